/** Ranks passages by BM25 and finds the best sentence of each. No network runs. */

import { tokenisePassage } from "../../encode/input.js";
import { splitSentences } from "../../text/sentences.js";
import { TopK } from "../../vectors/topk.js";
import { type QuestionWord, questionCoverage, scoreBm25 } from "../score/bm25.js";
import type { ScoredPassage } from "../score/score-candidates.js";
import type { Searcher } from "../searcher.js";
import type { FoundSpan } from "../spans.js";
import { confirmedBest } from "./confirmed.js";
import type { Strategy } from "./strategy.js";

/**
 * Ranks the best allowed passages by BM25, as many as the largest of `rankedPassages`,
 * `readerPassages` and `candidates`, and finds a sentence in each of the best `candidates`:
 *   score(sentence) = bm25(p) + Σ idf of the question's words in it
 * The first of equal sentences wins. A passage without a word of the question is skipped.
 */
export const lexical: Strategy = {
  step: "terms",
  postings: "none",
  async run(request, scoring) {
    const { searcher, question, allowed, options } = request;
    const { signal, candidates } = options;
    const { scores, words } = await scoreBm25(searcher, question.encoded.text, { signal });
    const wanted = Math.max(options.readerPassages, options.rankedPassages, candidates);
    const best = await confirmedBest(request, wanted, (count) => {
      const top = new TopK(Math.min(count, scores.length));
      for (let number = 0; number < scores.length; number++) {
        if ((scores[number]! > 0 || allowed.isRestricted) && allowed.has(number)) top.offer(number, scores[number]!);
      }
      return [...top.sorted().ids];
    });
    const ranked = { ids: Uint32Array.from(best), scores: Float64Array.from(best, (number) => scores[number]!) };
    searcher.scratch.give(scores);
    const passages = scoring.rank(ranked);
    await scoring.addSpans(() =>
      Promise.all(passages.slice(0, candidates).map((found) => bestSentence(searcher, found, { words, signal }))),
    );
  },
};

/** undefined for a passage without tokens. */
async function bestSentence(
  searcher: Searcher,
  { segment, passage, score }: ScoredPassage,
  { words, signal }: { words: readonly QuestionWord[]; signal: AbortSignal | undefined },
): Promise<FoundSpan | undefined> {
  const reader = searcher.segment(segment);
  const { document, start, end } = reader.passage(passage);
  const [{ ids, firstToken }, text] = await Promise.all([
    searcher.readTokens(segment, passage, signal),
    reader.readText(document, start, end, signal),
  ]);
  const { tokens } = tokenisePassage(searcher.tokenizer, text, { start: 0, end: text.length });
  let best: FoundSpan | undefined;
  for (const sentence of splitSentences(text)) {
    const inside = tokensWithin(tokens, sentence);
    if (inside === undefined) continue;
    const said = questionCoverage(text.slice(sentence.start, sentence.end), words);
    if (best !== undefined && score + said <= best.score) continue;
    best = {
      segment,
      passage,
      ids: Uint16Array.from(ids),
      firstToken,
      startPosition: firstToken + inside.first,
      endPosition: firstToken + inside.last,
      score: score + said,
      parts: { dense: 0, ngram: 0, terms: 0, tfidf: 0, vector: 0, bm25: score, sentence: said },
    };
  }
  return best;
}

/** The first and the last token inside a range of the text; undefined if there is none. */
function tokensWithin(
  { starts, ends, count }: { starts: ArrayLike<number>; ends: ArrayLike<number>; count: number },
  range: { start: number; end: number },
): { first: number; last: number } | undefined {
  let first = 0;
  while (first < count && starts[first]! < range.start) first++;
  let last = first - 1;
  while (last + 1 < count && ends[last + 1]! <= range.end) last++;
  return last < first ? undefined : { first, last };
}
