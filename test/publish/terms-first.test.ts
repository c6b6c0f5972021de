/** What a published site says by words alone is what the engine's term postings say, whatever the shards. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { blobName, unpackJson } from "../../src/publish/blob.js";
import { numberLive } from "../../src/publish/live.js";
import { decodeStart } from "../../src/publish/start.js";
import { TermsFirst } from "../../src/publish/terms-first.js";
import type { ListedDocument } from "../../src/publish/text-shards.js";
import { writeSiteData } from "../../src/publish/write-site-data.js";
import { findSpans } from "../../src/search/search.js";
import { placeOf } from "../../src/text/place.js";
import { splitSentences } from "../../src/text/sentences.js";
import type { Document } from "../../src/types.js";
import { Random } from "../../src/vectors/random.js";
import { type Askable, askable, textDocument } from "../support/ask.js";
import { MADE_UP_WORDS } from "../support/made-up.js";

const QUESTIONS = [
  "who founded the observatory in 1911?",
  "winter winter summer rain",
  "the captain sailed north with twelve men and the comet",
  "Zürich café naïve 東京 unheard-of-word",
];

/** One in eight is long: several passages, paragraphs, lines. */
function madeUpDocuments(seed: number, count: number): Document[] {
  const random = new Random(seed);
  return Array.from({ length: count }, (_, number) => {
    const length = number % 8 === 3 ? 400 + random.int(300) : 5 + random.int(60);
    let text = "";
    for (let w = 0; w < length; w++) {
      const word = MADE_UP_WORDS[random.int(MADE_UP_WORDS.length)]!;
      text += w % 9 === 8 ? `${word}.${["\n", "\n\n", " "][random.int(3)]}` : `${word} `;
    }
    return textDocument(`doc-${number}`, text, MADE_UP_WORDS[random.int(60)]!);
  });
}

interface Published {
  site: TermsFirst;
  blobs: Map<string, Uint8Array>;
  gains: Float32Array;
  list: string;
}

async function publish(index: Askable, shards: { shardBytes: number; shardUnits: number }): Promise<Published> {
  const { info: model, tokenizer } = index.encoder;
  const vocabulary = Array.from({ length: tokenizer.vocabularySize }, (_, id) => tokenizer.tokenOf(id));
  const random = new Random(7);
  const gains = Float32Array.from(vocabulary, () => (random.int(9) === 0 ? 0 : 2 * random.next() - 0.4));
  const blobs = new Map<string, Uint8Array>();
  const put = async (bytes: Uint8Array): Promise<string> => {
    blobs.set(blobName(bytes), bytes);
    return blobName(bytes);
  };
  const { start, list, names } = await writeSiteData(index.snapshot, { model, vocabulary, gains, put, ...shards });
  expect(new Set(names)).toEqual(new Set(blobs.keys()));
  const fetch = async (name: string): Promise<Uint8Array> => blobs.get(name)!;
  return { site: new TermsFirst(decodeStart(blobs.get(start)!, start), fetch), blobs, gains, list };
}

/**
 * The engine's ranking by terms alone, with the gains of `publish`: live passages numbered consecutively as a site
 * does.
 */
async function oracle(index: Askable, question: string, gains: Float32Array): Promise<[number, number][]> {
  const encoded = await index.encoder.encodeQuestion(question);
  const counts = new Map<number, number>();
  for (const id of encoded.ids.slice(1, -1)) counts.set(id, (counts.get(id) ?? 0) + 1);
  encoded.termWeights = Float32Array.from(encoded.terms, (term) => counts.get(term)! * gains[term]!);
  const { passages } = await findSpans(index.searcher, encoded, { strategy: "sparta-reader", rankedPassages: 10_000 });
  const { segments } = index.snapshot;
  const numbers = segments.map(() => new Map<number, number>());
  let next = 0;
  for (const [s, segment] of segments.entries()) {
    for (let p = 0; p < segment.passageCount; p++) {
      if (!segment.isDeleted(segment.passageDocuments[p]!)) numbers[s]!.set(p, next++);
    }
  }
  return passages.map(({ segment, passage, score }) => [numbers[segment]!.get(passage)!, score]);
}

const cases = fc.record({
  seed: fc.nat({ max: 1_000_000 }),
  segments: fc.integer({ min: 1, max: 3 }),
  deleted: fc.subarray(["doc-0", "doc-3", "doc-7", "doc-11"]),
  shardBytes: fc.constantFrom(1, 100, 3000, 100_000),
  shardUnits: fc.constantFrom(1, 300, 3000, 100_000),
});

describe("a published index, asked by words alone", () => {
  it("ranks passages as the engine does, to the bit", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ seed, segments, deleted, ...shards }) => {
        const index = await askable(madeUpDocuments(seed, 16), { segments, deleted });
        const { site, gains } = await publish(index, shards);
        for (const question of QUESTIONS) {
          const { ids, scores } = await site.rank(question, { topK: 10_000 });
          expect(Array.from(ids, (id, n) => [id, scores[n]])).toEqual(await oracle(index, question, gains));
        }
      }),
      { numRuns: 12, seed: 1 },
    );
  });

  it("shows whole sentences of those passages, their exact words at their place, and every document whole", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ seed, segments, deleted, ...shards }) => {
        const documents = madeUpDocuments(seed, 16);
        const index = await askable(documents, { segments, deleted });
        const { site, gains, list, blobs } = await publish(index, shards);
        const byId = new Map(documents.map((document) => [document.id, document]));
        for (const question of QUESTIONS) {
          const found = await site.ask(question, { topK: 6 });
          const ranked = (await oracle(index, question, gains)).slice(0, 6);
          expect(found[0]?.score).toBe(ranked[0]?.[1]);
          // Passages overlap by a sentence: what two of them have as their best is shown once, where it is better.
          const scores = ranked.map(([, score]) => score);
          let behind = 0;
          for (const { score } of found) {
            behind = scores.indexOf(score, behind) + 1;
            expect(behind).toBeGreaterThan(0);
          }
          expect(new Set(found.map(({ documentId, start }) => `${documentId} ${start}`)).size).toBe(found.length);
          for (const { documentId, start, end, text, place, passageStart, passageEnd, title } of found) {
            const document = byId.get(documentId)!;
            expect(deleted).not.toContain(documentId);
            expect(document.text.slice(start, end)).toBe(text);
            expect(title).toBe(document.title);
            const newlines = (from: number, to: number) => document.text.slice(from, to).split("\n").length - 1;
            expect(place).toEqual(placeOf(document.map, start, newlines));
            const sentences = splitSentences(document.text, passageStart, passageEnd);
            expect(sentences).toContainEqual({ start, end });
          }
        }
        for (const listed of unpackJson<ListedDocument[]>(blobs.get(list)!, list)) {
          const whole = byId.get(listed.id)!.text;
          expect(listed.length).toBe(whole.length);
          let text = "";
          for (const piece of await site.readPieces(listed, { from: 0, to: listed.length })) {
            expect(piece.from).toBeLessThanOrEqual(text.length);
            text = text.slice(0, piece.from) + piece.text;
          }
          expect(text).toBe(whole);
        }
      }),
      { numRuns: 8, seed: 2 },
    );
  });

  it("counts what is not deleted", async () => {
    const index = await askable(madeUpDocuments(5, 16), { segments: 2, deleted: ["doc-1", "doc-3"] });
    const { snapshot } = index;
    const live = numberLive(snapshot);
    expect(live.documents).toBe(14);
    const passages = snapshot.segments.map(
      ({ passageCount, deletedPassageCount }) => passageCount - deletedPassageCount,
    );
    expect(live.passages).toBe(passages.reduce((sum, count) => sum + count, 0));
  });

  it("reads passages until enough are accepted, also without a word of the question", async () => {
    const documents = [...madeUpDocuments(3, 40), textDocument("rare", "Nothing but zebra crossing here.")];
    const { site } = await publish(await askable(documents), { shardBytes: 1000, shardUnits: 1000 });
    const accepts = (text: string): boolean => text.includes("zebra");
    expect((await site.ask("winter summer", { accepts })).map(({ documentId }) => documentId)).toEqual(["rare"]);
    expect(await site.ask("winter summer", { accepts, maxPassages: 6 })).toEqual([]);
    expect(await site.ask("winter summer", { accepts: () => true })).toEqual(await site.ask("winter summer"));
  });

  it("refuses an empty question, and finds nothing for unknown words", async () => {
    const index = await askable(madeUpDocuments(6, 4));
    const { site } = await publish(index, { shardBytes: 1000, shardUnits: 1000 });
    await expect(site.ask("  ")).rejects.toMatchObject({ code: "invalid-argument" });
    expect(await site.ask("☃")).toEqual([]);
  });
});
