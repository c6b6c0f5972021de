/**
 * What an index holds, in a form that any language can check: texts and records as they are, the numbers of all
 * passages as checksums, and those of some passages in full. docs/index-format.md §13 describes the fields.
 */

import type { FileStorage } from "../../adapters/node/storage/file-storage.js";
import type { EncodedQuestion, NgramRows } from "../../src/encode/types.js";
import { ByteWriter } from "../../src/index/format/bytes.js";
import { crc32c } from "../../src/index/format/crc32c.js";
import { openSnapshot } from "../../src/index/open-snapshot.js";
import type { IndexSnapshot, StoredPassage } from "../../src/index/types.js";
import { createKernel } from "../../src/kernel/kernel.js";
import { prepareQuestion } from "../../src/search/prepare.js";
import { scoreBm25 } from "../../src/search/score/bm25.js";
import { PassageScorer } from "../../src/search/score/passage-scorer.js";
import { scoreSpans } from "../../src/search/score/score-spans.js";
import { Searcher } from "../../src/search/searcher.js";
import type { WordPieceTokenizer } from "../../src/text/wordpiece/tokenizer.js";
import { MADE_UP_WORDS, madeUpModel } from "../support/made-up.js";
import type { MemoryStorage } from "../support/memory-storage.js";
import { seededRandom } from "../support/random.js";

/** Passages per segment whose numbers are given in full. */
const FULL_PASSAGES = 1;
const MAX_ANSWER_TOKENS = 8;
const SPECIALS = { padId: 0, clsId: 1, sepId: 2 };
const QUESTION_WORDS = ["was", "observatory", "first", "comet", "café", "the", "observatory"];

export async function describeIndex(storage: MemoryStorage | FileStorage): Promise<unknown> {
  const snapshot = await openSnapshot(storage, { expectModel: madeUpModel });
  const segments = [];
  for (const segment of snapshot.segments) {
    const { name, level } = segment;
    const documents = [];
    for (let d = 0; d < segment.documentCount; d++) {
      const record = await segment.readDocument(d);
      documents.push({ deleted: segment.isDeleted(d), record, text: await segment.readText(d, 0, record.length) });
    }
    const numbers = [...segment.passageDocuments.keys()];
    const stored = level === "full" ? await segment.readPassages(numbers) : [];
    const passages = numbers.map((p) => {
      const place = { ...segment.passage(p), tokens: segment.passageTokens[p] };
      if (stored[p] === undefined) return place;
      const checked = { ...place, crc32c: checksum(stored[p]) };
      return p < FULL_PASSAGES ? { ...checked, stored: plain(stored[p]) } : checked;
    });
    const terms: Record<string, unknown> = {};
    for (let term = 0; term < madeUpModel.vocabularySize; term++) {
      const [list] = await segment.termPostings([term]);
      if (list) terms[term] = [...list.units].map((passage, i) => [passage, list.values[i]]);
    }
    const norms = {
      documents: [...(await segment.tfidfNorms("document"))],
      passages: [...(await segment.tfidfNorms("passage"))],
    };
    const vectors: number[][] = [];
    await segment.readVectors((_, rows) => {
      for (let at = 0; at < rows.length; at += madeUpModel.vector)
        vectors.push([...rows.subarray(at, at + madeUpModel.vector)]);
    });
    segments.push({ name, level, documents, passages, terms, norms, vectors });
  }
  const question = await describeQuestion(snapshot);
  await snapshot.close();
  const { version, formatVersion, documentCount, passageCount } = snapshot;
  return { version, formatVersion, documentCount, passageCount, segments, question };
}

/** A question whose encoding is given, and the scores that it gets. */
async function describeQuestion(snapshot: IndexSnapshot): Promise<unknown> {
  const model = madeUpModel;
  const encoded = madeUpQuestion();
  const kernel = createKernel();
  const tokenizer = SPECIALS as unknown as WordPieceTokenizer; // nothing else of it is used here
  const searcher = new Searcher({ snapshot, kernel, model, tokenizer });
  const scorer = await PassageScorer.read(searcher, encoded);
  const { scores: bm25 } = await scoreBm25(searcher, encoded.text);
  const prepared = prepareQuestion(encoded, { model, tokenizer: SPECIALS });
  const scores = [];
  let number = 0;
  for (const segment of snapshot.segments) {
    for (const [passage, document] of segment.passageDocuments.entries()) {
      const at = number++;
      if (segment.isDeleted(document)) continue;
      const { terms, tfidf, vector } = scorer.of(at);
      const stored = segment.level === "full" ? await segment.readPassages([passage]) : [];
      const spans = stored.flatMap((one) =>
        scoreSpans(one, prepared, { kernel, maxAnswerTokens: MAX_ANSWER_TOKENS, spansPerPassage: 2 }),
      );
      scores.push({ segment: segment.name, passage, terms, tfidf, vector, bm25: bm25[at], spans });
    }
  }
  searcher.close();
  const { scales, weights } = model;
  return {
    ...plain(encoded),
    model: { scales, weights, specials: SPECIALS },
    maxAnswerTokens: MAX_ANSWER_TOKENS,
    scores,
  };
}

function madeUpQuestion(): EncodedQuestion {
  const random = seededRandom(77);
  const { dense, coherency, vector } = madeUpModel;
  const ids = [SPECIALS.clsId, ...QUESTION_WORDS.map((word) => 10 + MADE_UP_WORDS.indexOf(word)), SPECIALS.sepId];
  /** Multiples of 1/64, which decimal notation and float32 hold exactly. */
  const floats = (count: number, from: number) =>
    Float32Array.from({ length: count }, () => random.whole(from, 64) / 64);
  const terms = [...new Set(ids.slice(1, -1))].sort((a, b) => a - b);
  const ngrams = () => floats(ids.length, 0);
  return {
    text: QUESTION_WORDS.join(" "),
    ids: Uint16Array.from(ids),
    start: floats(dense, -64),
    end: floats(dense, -64),
    coherency: floats(coherency, -64),
    offset: 1.5,
    startUnigrams: ngrams(),
    startBigrams: ngrams(),
    endUnigrams: ngrams(),
    endBigrams: ngrams(),
    terms: Uint16Array.from(terms),
    termWeights: floats(terms.length, 1),
    vector: floats(vector, -64),
  };
}

/** CRC32C of a passage's numbers: ids as u16, then a byte each, in this order. */
function checksum(passage: StoredPassage): string {
  const out = new ByteWriter();
  out.u16s(passage.ids);
  out.raw(Uint8Array.from(passage.startPositions));
  out.raw(Uint8Array.from(passage.endPositions));
  for (const rows of [passage.startVectors, passage.startCoherency, passage.endVectors, passage.endCoherency])
    out.raw(Uint8Array.from(rows, (value) => value & 255));
  for (const list of [passage.startUnigrams, passage.startBigrams, passage.endUnigrams, passage.endBigrams]) {
    out.raw(Uint8Array.from(list.positions));
    out.raw(Uint8Array.from(list.weights));
  }
  return crc32c(out.bytes()).toString(16).padStart(8, "0");
}

/** Typed arrays as JSON arrays. */
const plain = (value: StoredPassage | EncodedQuestion | NgramRows): Record<string, unknown> =>
  JSON.parse(
    JSON.stringify(value, (_, item) => (ArrayBuffer.isView(item) ? [...(item as unknown as number[])] : item)),
  );
