/**
 * Runs the same SPARTA term weights in other engines, and measures recall of the exact best units
 * and time.
 */

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { EncodedQuestion } from "../../src/encode/types.js";
import { percentile } from "../../src/evaluate/percentile.js";
import { PassageScorer } from "../../src/search/score/passage-scorer.js";
import type { Searcher } from "../../src/search/searcher.js";
import type { PeerLine } from "./run-peer.js";

/** Term weights of all units: offsets [N + 1], terms ascending within a unit. */
export interface UnitWeights {
  offsets: Uint32Array;
  terms: Uint16Array;
  impacts: Uint8Array;
}

/** Transposes all postings of all segments. */
export async function weightsOf(searcher: Searcher): Promise<UnitWeights> {
  const { numbering, model, snapshot } = searcher;
  const { firstPassages } = numbering;
  const offsets = new Uint32Array(firstPassages.at(-1)! + 1);
  const eachList = async (visit: (term: number, unit: number, impact: number) => void): Promise<void> => {
    for (let term = 0; term < model.vocabularySize; term++) {
      for (const [s, segment] of snapshot.segments.entries()) {
        const [list] = await segment.termPostings([term]);
        for (let n = 0; n < (list?.units.length ?? 0); n++)
          visit(term, firstPassages[s]! + list!.units[n]!, list!.values[n]!);
      }
    }
  };
  await eachList((_, unit) => offsets[unit + 1]!++);
  for (let unit = 0; unit + 1 < offsets.length; unit++) offsets[unit + 1]! += offsets[unit]!;
  const next = offsets.slice();
  const terms = new Uint16Array(offsets.at(-1)!);
  const impacts = new Uint8Array(offsets.at(-1)!);
  await eachList((term, unit, impact) => {
    terms[next[unit]!] = term;
    impacts[next[unit]!++] = impact;
  });
  return { offsets, terms, impacts };
}

const bytesOf = (array: Uint8Array | Uint16Array | Uint32Array): Buffer =>
  Buffer.from(array.buffer, array.byteOffset, array.byteLength);

/** Writes the files that peers read: offsets.u32, terms.u16, impacts.u8, units.txt, queries.txt. */
export async function writeWeights(
  folder: string,
  { offsets, terms, impacts }: UnitWeights,
  questions: readonly EncodedQuestion[],
): Promise<void> {
  await writeFile(join(folder, "offsets.u32"), bytesOf(offsets));
  await writeFile(join(folder, "terms.u16"), bytesOf(terms));
  await writeFile(join(folder, "impacts.u8"), bytesOf(impacts));
  const queries = questions.map(({ terms, termWeights }) =>
    Array.from(terms, (term, n) => `${term}^${termWeights[n]}`),
  );
  await writeFile(join(folder, "queries.txt"), queries.map((parts) => `${parts.join(" ")}\n`).join(""));
  await writeFile(join(folder, "units.txt"), unitLines({ offsets, terms, impacts }));
}

function* unitLines({ offsets, terms, impacts }: UnitWeights): Generator<string> {
  for (let unit = 0; unit + 1 < offsets.length; unit++) {
    const parts: string[] = [];
    for (let n = offsets[unit]!; n < offsets[unit + 1]!; n++) parts.push(`${terms[n]}|${impacts[n]}`);
    yield `${parts.join(" ")}\n`;
  }
}

/** Tolerance for engines that add in 32 bits and in another order. */
const ROUNDING = 1e-6;

/** Judges the units found for one question. Units with equal scores are interchangeable. */
export interface GoldUnits {
  /** Share of the `k` best units that are in `found`. */
  recall(question: number, found: ArrayLike<number>): number;
}

/** The best units by exact sums over all units. */
export function exactBest(
  { offsets, terms, impacts }: UnitWeights,
  questions: readonly EncodedQuestion[],
  k: number,
): GoldUnits {
  const units = offsets.length - 1;
  const all = questions.map(({ terms: asked, termWeights }) => {
    const weights = new Float64Array(65_536);
    for (const [n, term] of asked.entries()) weights[term] = termWeights[n]!;
    const scores = new Float64Array(units);
    for (let unit = 0; unit < units; unit++) {
      let sum = 0;
      for (let n = offsets[unit]!; n < offsets[unit + 1]!; n++) sum += weights[terms[n]!]! * impacts[n]!;
      scores[unit] = sum;
    }
    const sorted = scores.slice().sort();
    const wanted = Math.min(k, scores.filter((score) => score > 0).length);
    return { scores, wanted, least: sorted[units - wanted]! * (1 - ROUNDING) };
  });
  return {
    recall(question, found) {
      const { scores, wanted, least } = all[question]!;
      const right = new Set(Array.from(found).filter((unit) => unit < units && scores[unit]! >= least));
      return wanted === 0 ? 1 : Math.min(right.size, wanted) / wanted;
    },
  };
}

export interface Measured {
  engine: string;
  msP50: number;
  msP99: number;
  recall: number;
}

/** Our own engine, terms only, after asking every question once. */
export async function measureOwn(
  searcher: Searcher,
  questions: readonly EncodedQuestion[],
  { k, truth }: { k: number; truth: GoldUnits },
): Promise<Measured> {
  const times: number[] = [];
  let recall = 0;
  for (let round = 0; round < 2; round++) {
    times.length = 0;
    recall = 0;
    for (const [n, encoded] of questions.entries()) {
      const began = performance.now();
      const scorer = await PassageScorer.read(searcher, encoded, { postings: "terms" });
      const { ids: found } = scorer.best(k, { isCandidate: (passage) => searcher.allowed.live.has(passage) });
      times.push(performance.now() - began);
      recall += truth.recall(n, found);
    }
  }
  times.sort((a, b) => a - b);
  const [msP50, msP99] = [percentile(times, 0.5), percentile(times, 0.99)];
  return { engine: "verbatim, terms", msP50, msP99, recall: recall / questions.length };
}

/** The units found by a peer, per question. */
export async function foundBy(
  folder: string,
  { found }: PeerLine & { found: string },
  k: number,
): Promise<Uint32Array[]> {
  const { buffer, byteOffset, byteLength } = await readFile(join(folder, found));
  const all = new Uint32Array(buffer.slice(byteOffset, byteOffset + byteLength));
  return Array.from({ length: all.length / k }, (_, n) => all.subarray(n * k, (n + 1) * k));
}
