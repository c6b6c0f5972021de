/** What a search may be asked to do: defaults and bounds. */

import { VerbatimError } from "../errors.js";
import type { SearchOptions, Strategy } from "./types.js";

const STRATEGIES: readonly Strategy[] = ["hybrid", "sparse-first", "dense-first", "exhaustive"];

export const DEFAULT_OPTIONS = {
  /** Finds what either side finds. */
  strategy: "hybrid",
  topK: 5,
  /** DenSPI §5: answers of SQuAD rarely are longer. */
  maxAnswerTokens: 20,
  /** The right passage is among the ten best by terms for 94 % of the questions of a first trial; twice that. */
  sparseCandidates: 20,
  denseCandidates: 20,
  /** Start rows before they are reduced to passages: several good rows of one passage must not crowd out the others. */
  denseRows: 500,
  /**
   * 96 of the 100 best rows lie in the lists that hold so many, 99 with twice as many (bench/dense-scan.ts). Of 800 questions over 7 million rows
   * hybrid answers all as it does with every row, of 600 held-out ones over 2.3 million 99.7 %.
   */
  probe: 1 / 16,
  /** Leaves the dense stage out of nine questions in ten or two in three, by the kind of question, at no exact match (docs/evaluation.md). */
  denseBelow: 1.3,
  /** Of level `thin`, 20 with the default stop encode nine or so, at 0.4 to 0.7 points of exact match below `full` (docs/evaluation.md). */
  encodePassages: 20,
  explain: false,
  rankedPassages: 100,
} as const satisfies Omit<SearchOptions, "signal" | "filter" | "filterKey">;

/** @throws VerbatimError `invalid-argument` for an option out of its range */
export function resolveOptions(given: Partial<SearchOptions>): SearchOptions & { rankedPassages: number } {
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const options: SearchOptions & { rankedPassages: number } = { ...DEFAULT_OPTIONS, ...set };
  if (!STRATEGIES.includes(options.strategy)) refuse("strategy", STRATEGIES.join(", "), options.strategy);
  checkCount("topK", options.topK, { least: 1, most: 10_000 });
  checkCount("maxAnswerTokens", options.maxAnswerTokens, { least: 1, most: 64 });
  checkCount("sparseCandidates", options.sparseCandidates, { least: 1 });
  checkCount("denseCandidates", options.denseCandidates, { least: 1 });
  // The default follows a larger number of passages; a number that was given must fit.
  if (given.denseRows === undefined) options.denseRows = Math.max(options.denseRows, options.denseCandidates);
  checkCount("denseRows", options.denseRows, { least: options.denseCandidates });
  checkCount("encodePassages", options.encodePassages, { least: 1 });
  if (!(options.probe > 0 && options.probe <= 1)) refuse("probe", "a number above 0 and at most 1", options.probe);
  if (!(options.denseBelow >= 0)) refuse("denseBelow", "a number of 0 or more", options.denseBelow);
  checkCount("rankedPassages", options.rankedPassages, { least: 0 });
  if (options.filter !== undefined && typeof options.filter !== "function") {
    refuse("filter", "a function of a document", typeof options.filter);
  }
  if (options.filterKey !== undefined && options.filter === undefined) {
    refuse("filterKey", "given with a filter", "given alone");
  }
  return options;
}

function checkCount(name: string, value: number, { least, most = 1e9 }: { least: number; most?: number }): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  refuse(name, most === 1e9 ? `an integer ≥ ${least}` : `an integer from ${least} to ${most}`, value);
}

function refuse(name: string, expected: string, found: unknown): never {
  throw new VerbatimError(
    "invalid-argument",
    `${name} must be ${expected.includes(",") ? "one of " : ""}${expected}, not ${found}.`,
    {
      found,
      expected,
      where: name,
      hint: `Give ${name} as ${expected}.`,
    },
  );
}
