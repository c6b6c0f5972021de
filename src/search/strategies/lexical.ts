/** The passages that the question's words speak for by BM25, and the sentence of each that says most of them. No network is asked. */

import { tokenisePassage } from "../../encode/input.js";
import type { EncodedQuestion } from "../../encode/types.js";
import { throwIfAborted } from "../../errors.js";
import { splitSentences } from "../../text/sentences.js";
import { TopK } from "../../vectors/topk.js";
import { resolveOptions } from "../options.js";
import { prepareQuestion } from "../prepare.js";
import { type QuestionWord, scoreBm25, wordsSaid } from "../score/bm25.js";
import { type ScoredPassage, scoredPassages } from "../score/score-candidates.js";
import { allowedPassages, type Found } from "../search.js";
import type { SearchSession } from "../session.js";
import type { FoundSpan } from "../spans.js";
import type { SearchOptions } from "../types.js";

/**
 * The best allowed passages by BM25, as many as options.rankedPassages or `least`; of the best `sparseCandidates` a sentence each:
 *   score(sentence) = bm25(p) + Σ idf of the question's words in it
 * Of equal sentences the first; a passage without a word of the question is none.
 * @param question  its tokens count, its vectors do not
 * @throws as `findSpans`
 */
export async function findLexicalFirst(
  session: SearchSession,
  question: EncodedQuestion,
  request: { options: Partial<SearchOptions>; least: number },
): Promise<Found> {
  const options = resolveOptions(request.options);
  const { signal } = options;
  throwIfAborted(signal);
  const started = session.now();
  const prepared = prepareQuestion(question, session);
  const allowed = await allowedPassages(session, options);
  const { scores, words } = await scoreBm25(session, question.text, { signal });
  const count = Math.max(request.least, options.rankedPassages, options.sparseCandidates);
  const best = new TopK(Math.min(count, scores.length));
  for (let number = 0; number < scores.length; number++) {
    if (scores[number]! > 0 && allowed.has(number)) best.offer(number, scores[number]!);
  }
  session.scratch.give(scores);
  const passages = scoredPassages(session.numbering, best.sorted());
  const ranked = session.now();
  const spans = await Promise.all(
    passages.slice(0, options.sparseCandidates).map((found) => bestSentence(session, found, { words, signal })),
  );
  const ended = session.now();
  const steps = { encode: 0, terms: ranked - started, dense: 0, read: ended - ranked, score: 0, text: 0 };
  const found = spans.filter((span) => span !== undefined).sort((a, b) => b.score - a.score);
  const scored = { settled: false, scored: 0, unstored: 0 };
  return { prepared, spans: found, passages, options, ...scored, steps, started, ended };
}

/** undefined for a passage without tokens. */
async function bestSentence(
  session: SearchSession,
  { segment, passage, score }: ScoredPassage,
  { words, signal }: { words: readonly QuestionWord[]; signal: AbortSignal | undefined },
): Promise<FoundSpan | undefined> {
  const reader = session.segment(segment);
  const { document, start, end } = reader.passage(passage);
  const [{ ids, firstToken }, text] = await Promise.all([
    session.readTokens(segment, passage, signal),
    reader.readText(document, start, end, signal),
  ]);
  const { tokens } = tokenisePassage(session.tokenizer, text, { start: 0, end: text.length });
  let best: FoundSpan | undefined;
  for (const sentence of splitSentences(text)) {
    const inside = tokensWithin(tokens, sentence);
    if (inside === undefined) continue;
    const said = wordsSaid(text.slice(sentence.start, sentence.end), words);
    if (best !== undefined && score + said <= best.score) continue;
    best = {
      ...{ segment, passage, ids: Uint16Array.from(ids), firstToken },
      startPosition: firstToken + inside.first,
      endPosition: firstToken + inside.last,
      score: score + said,
      parts: { dense: 0, ngram: 0, terms: 0, tfidf: 0, bm25: score, sentence: said },
    };
  }
  return best;
}

/** The first and the last token that lie in a stretch of the text; undefined where there is none. */
function tokensWithin(
  { starts, ends, count }: { starts: ArrayLike<number>; ends: ArrayLike<number>; count: number },
  stretch: { start: number; end: number },
): { first: number; last: number } | undefined {
  let first = 0;
  while (first < count && starts[first]! < stretch.start) first++;
  let last = first - 1;
  while (last + 1 < count && ends[last + 1]! <= stretch.end) last++;
  return last < first ? undefined : { first, last };
}
