/** Which n-grams made a span's n-gram part: SPARC's interpretability ("1991: 1.65, amazon: 0.82"). */

import type { NgramRows } from "../../encode/types.js";
import type { StoredPassage } from "../../index/types.js";
import type { PreparedQuestion } from "../prepare.js";
import type { NgramMatch } from "../types.js";
import { matchNgrams, type Side } from "./ngrams.js";

export interface ExplainSpan {
  startPosition: number;
  endPosition: number;
  /** The text of an n-gram. */
  textOf: (ids: readonly number[]) => string;
}

/**
 * λ_n · stored weight · question weight of every n-gram that the question shares with the span's start row or end
 * row; places of one n-gram are summed. The weights sum to the span's n-gram part (up to rounding, for the order of
 * adding differs).
 * @returns weight descending, ties by text, then side
 */
export function ngramMatches(passage: StoredPassage, question: PreparedQuestion, span: ExplainSpan): NgramMatch[] {
  const weights = matchNgrams(passage.ids, question.ngrams);
  const start = passage.startPositions.indexOf(span.startPosition);
  const end = passage.endPositions.indexOf(span.endPosition);
  const matches = new Map<string, NgramMatch>();
  const collect = (
    rows: NgramRows,
    source: { row: number; side: Side; length: 1 | 2; weights: Float64Array },
  ): void => {
    const { row, side, length } = source;
    for (let entry = rows.offsets[row]!; entry < rows.offsets[row + 1]!; entry++) {
      const position = rows.positions[entry]!;
      const weight = question.ngramPerStep * rows.weights[entry]! * source.weights[position]!;
      if (weight === 0) continue;
      const ids = [...passage.ids.subarray(position, position + length)];
      const key = `${side} ${ids.join(" ")}`;
      const match = matches.get(key);
      if (match === undefined) matches.set(key, { text: span.textOf(ids), weight, side });
      else match.weight += weight;
    }
  };
  collect(passage.startUnigrams, { row: start, side: "start", length: 1, weights: weights.startUnigrams });
  collect(passage.startBigrams, { row: start, side: "start", length: 2, weights: weights.startBigrams });
  collect(passage.endUnigrams, { row: end, side: "end", length: 1, weights: weights.endUnigrams });
  collect(passage.endBigrams, { row: end, side: "end", length: 2, weights: weights.endBigrams });
  return [...matches.values()].sort(
    (a, b) => b.weight - a.weight || (a.text < b.text ? -1 : a.text > b.text ? 1 : 0) || (a.side < b.side ? 1 : -1),
  );
}
