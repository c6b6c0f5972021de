/**
 * Index levels: how much is stored for each passage. New segments get the level of the index; an upgrade raises older
 * ones.
 *   lexical   texts and word n-grams, made without the network
 *   thin      also term postings and a vector per passage; the best passages are encoded when a question is asked
 *   full      also the start and end rows of every passage
 */

import { VerbatimError } from "../../errors.js";

/** Lowest first. */
export const LEVELS = ["lexical", "thin", "full"] as const;
export type IndexLevel = (typeof LEVELS)[number];

export const isLevel = (name: unknown): name is IndexLevel => LEVELS.includes(name as IndexLevel);

export const isBelow = (level: IndexLevel, other: IndexLevel): boolean => LEVELS.indexOf(level) < LEVELS.indexOf(other);

/** Default number of term weights that level `thin` keeps per passage: the largest. */
export const THIN_TERMS = 64;

/** The error for reading what segments of a level do not store. */
export function notAtLevel(name: string, { level, needs }: { level: IndexLevel; needs: IndexLevel }): VerbatimError {
  return new VerbatimError("invalid-argument", `Segment ${name} is of level ${level}; level ${needs} is needed.`, {
    where: name,
    found: level,
    expected: needs,
    hint: `Run: verbatim upgrade --level ${needs}`,
  });
}
