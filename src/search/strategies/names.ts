/** The names of the strategies: the one list that the library, the command line, the server and MCP share. */

/**
 * - `hybrid`: candidates by terms, tf-idf and passage vectors together
 * - `sparse-first`: candidates by terms and tf-idf only
 * - `dense-first`: candidates by passage vectors only
 * - `exhaustive`: scores every passage; slow, the oracle of the other strategies
 * - `sparta-reader`: term postings rank passages, the reader alone answers (SPARTA §4.3)
 * - `lexical`: BM25 ranks passages and the best sentence of each is the answer; with a reader, the
 *   reader alone answers. No encoder runs.
 */
export const STRATEGY_NAMES = [
  "hybrid",
  "sparse-first",
  "dense-first",
  "exhaustive",
  "sparta-reader",
  "lexical",
] as const;

export type StrategyName = (typeof STRATEGY_NAMES)[number];
