/**
 * Lower levels against their oracles: what thin answers is what full answers of the same passages, and lexical ranks
 * as BM25 by its definition does.
 */

import { describe, expect, it } from "vitest";
import type { Index } from "../../src/api/index-handle.js";
import { openIndex } from "../../src/api/open-index.js";
import { openWriter } from "../../src/api/writer.js";
import { listEntries, SPARE_ANSWERS } from "../../src/ask/entries.js";
import type { AskResult } from "../../src/ask/result.js";
import type { EncodedPassage, PassageInput, StoragePrecision } from "../../src/encode/types.js";
import type { IndexLevel } from "../../src/index/format/level.js";
import { openSnapshot } from "../../src/index/open-snapshot.js";
import { createKernel } from "../../src/kernel/kernel.js";
import { toAnswer } from "../../src/search/locate/answer.js";
import { mergeBest } from "../../src/search/locate/merge.js";
import { resolveSearchOptions } from "../../src/search/options.js";
import { prepareQuestion } from "../../src/search/prepare.js";
import { PassageScorer } from "../../src/search/score/passage-scorer.js";
import { CandidateScoring } from "../../src/search/score/score-candidates.js";
import { Searcher } from "../../src/search/searcher.js";
import { toCandidates } from "../../src/search/strategies/strategy.js";
import { isStopWord, words } from "../../src/text/words.js";
import type { Document } from "../../src/types.js";
import { Random } from "../../src/vectors/random.js";
import { FakeReader } from "../ask/fake-reader.js";
import { EVERY_PASSAGE, type FlatOptions, nested, textDocument } from "../support/ask.js";
import { MADE_UP_WORDS } from "../support/made-up.js";
import { MemoryStorage } from "../support/memory-storage.js";
import { TinyEncoder } from "../support/tiny-encoder.js";
import { tinyModel } from "../support/tiny-model.js";

const random = new Random(7);
/** Sentences of made-up words; of few, so that words and scores repeat. */
const documents: Document[] = Array.from({ length: 14 }, (_, n) => {
  const text = Array.from({ length: 20 + random.int(400) }, (_, w) => {
    const word = MADE_UP_WORDS[random.int(MADE_UP_WORDS.length)]!;
    return w % 11 === 10 ? `${word}.` : word;
  });
  return textDocument(`doc-${n}`, text.join(" "), MADE_UP_WORDS[random.int(MADE_UP_WORDS.length)]!);
});
const QUESTIONS = [
  "who founded the observatory in 1911?",
  "winter summer rain",
  "the captain sailed north with twelve men",
  "what did the teacher write to her daughter?",
  "observatory observatory comet",
];

const groups = (dim: number, step: number): number[] => new Array(Math.ceil(dim / 16)).fill(step);
/** Steps, n-grams and terms that do away with something. */
const storage: StoragePrecision = {
  start: groups(tinyModel.dense, 3),
  end: groups(tinyModel.dense, 7),
  coherency: groups(tinyModel.coherency, 5),
  ngramStep: 8,
  ngramsPerRow: 2,
  termsPerUnit: 20,
};

/** Counts what it encodes. */
class CountingEncoder extends TinyEncoder {
  passages = 0;
  questions = 0;

  override encodePassages(inputs: PassageInput[]): Promise<EncodedPassage[]> {
    this.passages += inputs.length;
    return super.encodePassages(inputs);
  }

  override encodeQuestion(...given: Parameters<TinyEncoder["encodeQuestion"]>) {
    this.questions++;
    return super.encodeQuestion(...given);
  }
}

const texts = documents.flatMap(({ title, text }) => [title, text]);

interface Made {
  index: Index;
  encoder: CountingEncoder;
  place: MemoryStorage;
}

async function made(level: IndexLevel, options: { thinTerms?: number; raise?: number } = {}): Promise<Made> {
  const { raise, ...rules } = options;
  const place = new MemoryStorage();
  const encoder = new CountingEncoder(texts, { storage });
  const writer = await openWriter({ storage: place, encoder, level, autoMerge: false, ...rules });
  await writer.add(documents);
  await writer.commit();
  if (raise !== undefined) {
    const stop = new AbortController();
    const onProgress = ({ documents: done }: { documents: number }): void => {
      if (done >= raise) stop.abort();
    };
    const run = writer.upgrade({ level: "full", batchPassages: 4, signal: stop.signal, onProgress });
    await expect(run).rejects.toMatchObject({ code: "aborted" });
  }
  await writer.close();
  encoder.passages = 0;
  return { index: await openIndex({ storage: place, encoder, correctsSpelling: false }), encoder, place };
}

/** Places, texts and scores of the answers, without the segment. */
const essence = ({ answers }: Pick<AskResult, "answers">) =>
  answers.map(({ documentId, start, end, text, score, parts, ngrams, confidence }) => {
    return { documentId, start, end, text, score, parts, ngrams, confidence };
  });

/**
 * Every span of some passages of an index of level full, scored from what it stores, and the answers that they give.
 */
async function oracle(
  { place, encoder }: Made,
  question: string,
  { candidates, topK }: { candidates: ReadonlyArray<readonly [id: string, start: number]>; topK: number },
) {
  const snapshot = await openSnapshot(place);
  const { info: model, tokenizer } = encoder;
  const searcher = new Searcher({ snapshot, kernel: createKernel(), model, tokenizer });
  const encoded = await encoder.encodeQuestion(question);
  const options = resolveSearchOptions({ ...all, topK });
  const request = { searcher, question: prepareQuestion(encoded, searcher), options };
  const scoring = new CandidateScoring({
    ...request,
    scorer: await PassageScorer.read(searcher, encoded),
    allowed: searcher.allowed.live,
  });
  const chosen: number[] = [];
  for (const [s, segment] of snapshot.segments.entries()) {
    for (let p = 0; p < segment.passageCount; p++) {
      const { document, start } = segment.passage(p);
      const { id } = await segment.readDocument(document);
      if (candidates.some(([wanted, from]) => wanted === id && from === start)) {
        chosen.push(searcher.numbering.firstPassages[s]! + p);
      }
    }
  }
  await scoring.add(toCandidates(searcher.numbering, chosen));
  const asked = { question, topK: SPARE_ANSWERS * topK };
  const merged = await mergeBest(searcher, scoring.sortedSpans(), asked);
  const entries = await listEntries(searcher, merged, { question, confidence: undefined, topK });
  const answers = await Promise.all(
    entries.map((entry) => toAnswer(searcher, entry.merged, { question: request.question, explain: "ngrams" })),
  );
  searcher.close();
  await snapshot.close();
  return essence({ answers });
}

const all = { ...EVERY_PASSAGE, maxEncodedPassages: 1000, topK: 10, explain: true } satisfies FlatOptions;

describe("thin", () => {
  it("gives every passage the scores of full, to the bit", async () => {
    const full = await made("full");
    for (const thinTerms of [1, 5, 4096]) {
      const thin = await made("thin", { thinTerms });
      for (const question of QUESTIONS) {
        const expected = await full.index.ask(question, nested({ ...all, strategy: "exhaustive" }));
        const found = await thin.index.ask(question, nested({ ...all, strategy: "exhaustive" }));
        expect(expected.answers.length).toBeGreaterThan(3);
        expect(essence(found)).toEqual(essence(expected));
        expect(found.passages).toEqual(expected.passages);
        expect(found).toMatchObject({ level: "thin", kind: "spans" });
        expect(expected.encodedPassages).toBeUndefined();
      }
    }
  });

  it("answers as full does from the same candidates", async () => {
    const full = await made("full");
    const thin = await made("thin");
    const bounded = { ...all, earlyStopFactor: Number.POSITIVE_INFINITY };
    for (const question of QUESTIONS) {
      for (const maxEncodedPassages of [1, 3, 7]) {
        const found = await thin.index.ask(question, nested({ ...bounded, maxEncodedPassages }));
        expect(found.encodedPassages).toBe(maxEncodedPassages);
        const candidates = found.passages.map(({ documentId, start }) => [documentId, start] as const);
        expect(essence(found)).toEqual(await oracle(full, question, { candidates, topK: bounded.topK }));
      }
    }
  });

  it("answers as sparse-first of full does where every passage is a candidate", async () => {
    const full = await made("full");
    const thin = await made("thin");
    for (const question of QUESTIONS) {
      const expected = await full.index.ask(question, nested({ ...all, strategy: "sparse-first" }));
      for (const strategy of ["hybrid", "sparse-first"] as const) {
        const found = await thin.index.ask(question, nested({ ...all, strategy }));
        expect(essence(found)).toEqual(essence(expected));
      }
    }
  });

  it("encodes a passage once, also for the next version of the index", async () => {
    const { index, encoder, place } = await made("thin");
    const asked = { maxEncodedPassages: 6, earlyStopFactor: Number.POSITIVE_INFINITY };
    const first = await index.ask(QUESTIONS[0]!, nested(asked));
    expect(encoder.passages).toBe(6);
    expect(essence(await index.ask(QUESTIONS[0]!, nested(asked)))).toEqual(essence(first));
    expect(encoder.passages).toBe(6);
    const other = new CountingEncoder(texts, { storage });
    const writer = await openWriter({ storage: place, encoder: other, autoMerge: false });
    await writer.add([textDocument("later", "An owl sat on a fence.")]);
    await writer.commit();
    await writer.close();
    await index.refresh();
    await index.ask(QUESTIONS[0]!, nested(asked));
    expect(encoder.passages).toBe(6);
  });

  it("stops encoding where no other passage is likely to come first", async () => {
    const { index, encoder } = await made("thin");
    const result = await index.ask(QUESTIONS[0]!, nested({ topK: 1, maxEncodedPassages: 24, earlyStopFactor: 0 }));
    expect(result.encodedPassages).toBe(4);
    expect(encoder.passages).toBe(4);
  });

  it("says what needs stored rows", async () => {
    const { index } = await made("thin");
    await expect(index.ask("comet", { strategy: "dense-first" })).rejects.toMatchObject({
      code: "invalid-argument",
      hint: expect.stringMatching(/upgrade --level full/),
    });
  });
});

/** BM25 of every passage by its definition, from the texts. */
async function bm25({ place, encoder }: Made, question: string): Promise<Array<[place: string, score: number]>> {
  const snapshot = await openSnapshot(place);
  const passages: Array<{ place: string; counts: Map<string, number>; length: number }> = [];
  for (const segment of snapshot.segments) {
    for (let p = 0; p < segment.passageCount; p++) {
      const { document, start, end } = segment.passage(p);
      if (segment.isDeleted(document)) continue;
      const { id, title } = await segment.readDocument(document);
      const text = await segment.readText(document, start, end);
      const counts = new Map<string, number>();
      for (const { text: word } of words(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
      const length = encoder.tokenizer.tokenize(title).count + encoder.tokenizer.tokenize(text).count + 3;
      passages.push({ place: `${id} ${start}`, counts, length });
    }
  }
  await snapshot.close();
  const mean = passages.reduce((sum, { length }) => sum + length, 0) / passages.length;
  const asked = [...words(question)].map(({ text }) => text).filter((word) => !isStopWord(word));
  return passages.map(({ place: at, counts, length }) => {
    let score = 0;
    for (const word of asked) {
      const having = passages.filter((other) => other.counts.has(word)).length;
      const tf = counts.get(word) ?? 0;
      const idf = Math.log(1 + (passages.length - having + 0.5) / (having + 0.5));
      score += (idf * tf) / (tf + 0.9 * (1 - 0.4 + (0.4 * length) / mean));
    }
    return [at, score];
  });
}

describe("lexical", () => {
  it("ranks passages as BM25 by its definition, deleted ones left out of it", async () => {
    const lexical = await made("lexical");
    const writer = await openWriter({ storage: lexical.place, encoder: lexical.encoder, autoMerge: false });
    await writer.delete(["doc-3", "doc-11"]);
    await writer.commit();
    await writer.close();
    await lexical.index.refresh();
    for (const question of QUESTIONS) {
      const expected = new Map((await bm25(lexical, question)).filter(([, score]) => score > 0));
      const { passages } = await lexical.index.ask(question, { advanced: { rankedPassages: 1000 } });
      expect(passages.length).toBe(expected.size);
      for (const [n, { documentId, start, score }] of passages.entries()) {
        expect(score).toBeCloseTo(expected.get(`${documentId} ${start}`)!, 10);
        if (n > 0) expect(score).toBeLessThanOrEqual(passages[n - 1]!.score);
      }
    }
  });

  it("runs no network and answers with whole sentences of the documents", async () => {
    const { index, encoder } = await made("lexical");
    for (const question of QUESTIONS) {
      const result = await index.ask(question, { minConfidence: "calibrated" });
      expect(result).toMatchObject({ strategy: "lexical", level: "lexical", kind: "sentences" });
      expect(result.answers.length).toBeGreaterThan(0);
      for (const { documentId, start, end, text, context, confidence } of result.answers) {
        const { text: whole } = documents.find(({ id }) => id === documentId)!;
        expect(whole.slice(start, end)).toBe(text);
        expect(context).toContain(text);
        expect(confidence).toBeUndefined();
      }
    }
    expect(encoder.questions + encoder.passages).toBe(0);
    await expect(index.ask("comet", { minConfidence: 0.5 })).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(index.ask("comet", { strategy: "sparta-reader" })).rejects.toMatchObject({ code: "invalid-argument" });
  });

  it("gives the sentence that says most of the question", async () => {
    const place = new MemoryStorage();
    const text = "A comet was seen. The captain saw a comet over the bridge. It rained.";
    const encoder = new CountingEncoder([text], { storage });
    const writer = await openWriter({ storage: place, encoder, level: "lexical" });
    await writer.add([textDocument("one", text)]);
    await writer.commit();
    await writer.close();
    const index = await openIndex({ storage: place, encoder, correctsSpelling: false });
    const { answers } = await index.ask("which captain saw the comet?", { explain: true });
    expect(answers.map((answer) => answer.text)).toEqual(["The captain saw a comet over the bridge."]);
    const { bm25: passage = 0, sentence = 0 } = answers[0]!.parts!;
    expect(passage).toBeGreaterThan(0);
    expect(passage + sentence).toBeCloseTo(answers[0]!.score, 10);
  });

  it("with a reader gives the reader's spans of the best passages", async () => {
    const { place, encoder } = await made("lexical");
    const reader = new FakeReader({ info: { vocabularySize: encoder.info.vocabularySize } });
    const index = await openIndex({ storage: place, encoder, reader, correctsSpelling: false });
    const result = await index.ask(QUESTIONS[0]!);
    expect(result).toMatchObject({ strategy: "lexical", kind: "spans", reading: { passages: 10 } });
    expect(encoder.questions + encoder.passages).toBe(0);
    const off = await index.ask(QUESTIONS[0]!, { reader: "off" });
    expect(off).toMatchObject({ kind: "sentences" });
    expect(off.reading).toBeUndefined();
  });

  it("asked for spans encodes the best passages, each with the score of full", async () => {
    const full = await made("full");
    const lexical = await made("lexical");
    for (const question of QUESTIONS) {
      const expected = await full.index.ask(question, nested({ ...all, strategy: "exhaustive" }));
      const found = await lexical.index.ask(question, nested({ ...all, strategy: "exhaustive" }));
      expect(essence(found)).toEqual(essence(expected));
      const hybrid = await lexical.index.ask(question, nested({ ...all, strategy: "hybrid", maxEncodedPassages: 3 }));
      expect(hybrid.encodedPassages).toBe(3);
      const scores = new Map(
        expected.passages.map(({ documentId, start, score }) => [`${documentId} ${start}`, score]),
      );
      for (const { documentId, start, score } of hybrid.passages)
        expect(score).toBe(scores.get(`${documentId} ${start}`));
    }
  });
});

describe("an index that is being raised", () => {
  it("answers from both parts, every passage with the score of full", async () => {
    const full = await made("full");
    for (const from of ["lexical", "thin"] as const) {
      const mixed = await made(from, { raise: 8 });
      const { levels } = mixed.index.info;
      expect(levels.full).toBeGreaterThan(0);
      expect(levels[from]).toBeGreaterThan(0);
      for (const question of QUESTIONS) {
        const expected = await full.index.ask(question, nested({ ...all, strategy: "exhaustive" }));
        const found = await mixed.index.ask(question, nested({ ...all, strategy: "exhaustive" }));
        expect(found.level).toBe("mixed");
        expect(essence(found)).toEqual(essence(expected));
        const hybrid = await mixed.index.ask(question, nested({ ...all, strategy: undefined }));
        expect(hybrid.strategy).toBe("hybrid");
        expect(hybrid.answers[0]?.score).toBe(expected.answers[0]!.score);
      }
    }
  });
});
