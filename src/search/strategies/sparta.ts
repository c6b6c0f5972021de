/** Ranks passages by SPARTA's term postings alone and scores no span: the first half of `sparta-reader`. */

import { VerbatimError } from "../../errors.js";
import type { Stage } from "./strategy.js";

/**
 * Ranks the best allowed passages by λ_t · terms, as many as `rankedPassages` or `readerPassages`.
 * A passage without a term of the question is skipped.
 */
export const sparta: Stage = {
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
  async run({ sparse, allowed, options }, scoring) {
    const count = Math.max(options.readerPassages, options.rankedPassages);
    scoring.rank(sparse.best(count, (number) => allowed.has(number)));
  },
};
