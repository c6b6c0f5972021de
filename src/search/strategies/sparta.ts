/** Ranks passages by SPARTA's term postings alone and scores no span: the first half of `sparta-reader`. */

import { VerbatimError } from "../../errors.js";
import { confirmedBest, withOthers } from "./confirmed.js";
import type { Strategy } from "./strategy.js";

/**
 * Ranks the best allowed passages by λ_t · terms, as many as `rankedPassages` or `readerPassages`.
 * A passage without a term of the question is skipped.
 */
export const sparta: Strategy = {
  step: "terms",
  postings: "terms",
  check({ levels }) {
    if (!levels.includes("lexical")) return;
    throw new VerbatimError(
      "invalid-argument",
      "sparta-reader needs term postings, and segments of level lexical have none.",
      { hint: "Ask without --strategy, or run: verbatim upgrade --level thin" },
    );
  },
  async run(request, scoring) {
    const { scorer, allowed, options } = request;
    const wanted = Math.max(options.readerPassages, options.rankedPassages);
    const isCandidate = (number: number): boolean => allowed.has(number);
    const scores = new Map<number, number>();
    const best = await confirmedBest(request, wanted, (count) => {
      const ranked = scorer.best(count, { isCandidate });
      for (const [n, id] of ranked.ids.entries()) scores.set(id, ranked.scores[n]!);
      return withOthers(request, ranked, { count, isCandidate });
    });
    scoring.rank({ ids: Uint32Array.from(best), scores: Float64Array.from(best, (id) => scores.get(id) ?? 0) });
  },
};
