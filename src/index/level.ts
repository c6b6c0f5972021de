/**
 * "How much of each passage is kept?" An index has a level, which new segments get; each segment has its own, and is raised by an upgrade.
 *   lexical   texts and the n-grams of their words: no network was asked
 *   thin      and term postings: the best passages are encoded when a question is asked
 *   full      and the rows of every passage
 */

import { VerbatimError } from "../errors.js";

/** Lowest first. */
export const LEVELS = ["lexical", "thin", "full"] as const;
export type IndexLevel = (typeof LEVELS)[number];

export const SEGMENT_COMPONENTS = [
  "documents",
  "text",
  "passages",
  "phrases",
  "coarse",
  "ngrams",
  "terms",
  "tfidf",
] as const;
export type SegmentComponent = (typeof SEGMENT_COMPONENTS)[number];

/** Files of a segment of each level, in the order of SEGMENT_COMPONENTS. */
export const COMPONENTS: Record<IndexLevel, readonly SegmentComponent[]> = {
  lexical: ["documents", "text", "passages", "tfidf"],
  thin: ["documents", "text", "passages", "terms", "tfidf"],
  full: SEGMENT_COMPONENTS,
};

/** What segments of every level have, and what only some have. */
export type BaseComponent = "documents" | "text" | "passages" | "tfidf";
export type BySegmentComponent<T> = Record<BaseComponent, T> & Partial<Record<SegmentComponent, T>>;

export const isLevel = (name: unknown): name is IndexLevel => LEVELS.includes(name as IndexLevel);

export const isBelow = (level: IndexLevel, other: IndexLevel): boolean => LEVELS.indexOf(level) < LEVELS.indexOf(other);

/** Largest term weights that a segment of level `thin` keeps of a unit, where nobody says another number. */
export const THIN_TERMS = 64;

/** What segments of a level do not have was asked for. */
export function notAtLevel(name: string, { level, needs }: { level: IndexLevel; needs: IndexLevel }): VerbatimError {
  return new VerbatimError("invalid-argument", `Segment ${name} is of level ${level}; level ${needs} is needed.`, {
    where: name,
    found: level,
    expected: needs,
    hint: `Run: verbatim upgrade --level ${needs}`,
  });
}
