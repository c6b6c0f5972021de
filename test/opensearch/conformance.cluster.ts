/**
 * Asks a folder and a cluster of three nodes the same questions, and compares answers, order and
 * scores.
 */

import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { clusterTotals } from "../../adapters/opensearch/cluster-info.js";
import { compactCluster } from "../../adapters/opensearch/compact.js";
import { clusterModel, copyToCluster, documentsFromCluster } from "../../adapters/opensearch/copy.js";
import { fetchNearest } from "../../adapters/opensearch/nearest.js";
import { openClusterWriter, openConnectedIndex, openLoader } from "../../adapters/opensearch/open.js";
import { openIndex } from "../../src/api/open-index.js";
import { openWriter } from "../../src/api/writer.js";
import type { AskOptions } from "../../src/ask/options.js";
import type { AskResult } from "../../src/ask/result.js";
import { openSnapshot } from "../../src/index/open-snapshot.js";
import { openIndexWriter } from "../../src/index/write/writer.js";
import { textDocument } from "../support/ask.js";
import { MemoryStorage } from "../support/memory-storage.js";
import { type Both, loadBoth, makeCorpus, openBoth, visible } from "./corpus.js";
import { addressOf } from "./nodes.js";

const plan = inject("cluster");
const corpus = makeCorpus({ documents: 240, questions: 520, seed: 20 });
const FEW = 60;

/** The questions with different answers, and the total. */
async function compare(both: Both, questions: readonly string[], options: AskOptions): Promise<string[]> {
  const different: string[] = [];
  for (const question of questions) {
    const [expected, found] = [await both.folder.ask(question, options), await both.cluster.ask(question, options)];
    if (JSON.stringify(visible(found)) !== JSON.stringify(visible(expected))) different.push(question);
  }
  return different;
}

describe("an index with vectors", () => {
  const address = addressOf(plan, "vectors", "?shards=2&vectors=true");
  let both: Both;
  beforeAll(async () => {
    both = await loadBoth(corpus, address);
  });
  afterAll(() => both?.close());

  it("contains as much as the folder", () => {
    const { documents, passages } = both.folder.info;
    expect(both.cluster.info).toMatchObject({ documents, passages });
    expect(passages).toBeGreaterThan(documents + 100);
  });

  it("answers 520 questions like the folder, sparse-first", async () => {
    expect(await compare(both, corpus.questions, { strategy: "sparse-first" })).toEqual([]);
  });

  it("answers questions of 2,000 characters like the folder, sparse-first: they have more n-grams than a query may have", async () => {
    const texts = corpus.documents.map(({ text }) => text.replace(/\s+/g, " "));
    const long = [0, 30, 60, 90].map((first) => texts.slice(first).join(" ").slice(0, 2000));
    expect(await compare(both, long, { strategy: "sparse-first" })).toEqual([]);
    expect(await compare(both, long, { strategy: "sparse-first", advanced: { candidates: 3 } })).toEqual([]);
  });

  it("gives the folder's first answer to 95 of 100 questions, hybrid: a passage that is only fair by words and by its vector may not be fetched", async () => {
    const asked = corpus.questions.slice(0, 200);
    let same = 0;
    for (const question of asked) {
      const [expected, found] = [await both.folder.ask(question), await both.cluster.ask(question)];
      const place = ({ answers: [first] }: AskResult) => [first?.documentId, first?.start, first?.end, first?.score];
      if (JSON.stringify(place(found)) === JSON.stringify(place(expected))) same++;
    }
    expect(same).toBeGreaterThanOrEqual(0.95 * asked.length);
  });

  it("answers like the folder, hybrid, when every passage is fetched", async () => {
    const all = { strategy: "hybrid", advanced: { candidates: 2000 } } as const;
    expect(await compare(both, corpus.questions.slice(0, FEW), all)).toEqual([]);
  });

  it("agrees with the scores of all passages, dense-first", async () => {
    const all = { advanced: { candidates: 2000 } };
    let weighed = 0;
    for (const question of corpus.questions.slice(0, 20)) {
      const expected = await both.folder.ask(question, { strategy: "exhaustive", explain: true });
      const found = await both.cluster.ask(question, { strategy: "dense-first", explain: true, ...all });
      expect(found.answers).toEqual(expected.answers);
      weighed += expected.answers.filter(({ parts }) => parts!.vector !== 0).length;
    }
    expect(weighed).toBeGreaterThan(20);
  });

  it("answers like the folder, dense-first, comparing every vector", async () => {
    expect(await compare(both, corpus.questions.slice(0, 200), { strategy: "dense-first" })).toEqual([]);
  });

  it("finds at least nine of ten passages with graphs", async () => {
    let found = 0;
    let wanted = 0;
    const connected = await openConnectedIndex({ address });
    try {
      for (const question of corpus.questions.slice(0, 50)) {
        const { vector } = await corpus.encoder.encodeQuestion(question);
        const asked = { connected, vector, count: 20, filter: undefined, signal: undefined };
        const exact = (await fetchNearest({ ...asked, compareAll: true })).slice(0, 20);
        const near = await fetchNearest({ ...asked, compareAll: false });
        const names = new Set(near.map(({ key, number }) => `${key} ${number}`));
        wanted += exact.length;
        found += exact.filter(({ key, number }) => names.has(`${key} ${number}`)).length;
      }
    } finally {
      await connected.connection.close();
    }
    expect(wanted).toBeGreaterThan(900);
    expect(found / wanted).toBeGreaterThanOrEqual(0.9);
  });

  it("answers like the folder without the reader, with explanations and many answers", async () => {
    const questions = corpus.questions.slice(0, FEW);
    expect(await compare(both, questions, { strategy: "sparse-first", explain: true, topK: 15 })).toEqual([]);
    expect(await compare(both, questions, { strategy: "sparse-first", advanced: { candidates: 3 } })).toEqual([]);
    expect(await compare(both, questions, { strategy: "sparse-first", advanced: { candidates: 200 } })).toEqual([]);
  });

  it("applies filters like the folder", async () => {
    const filters = [
      'year >= 2010 and tag = "a"',
      'tags = "t1" or ok = true',
      'not (year < 2015) and id contains "doc-1"',
      'tag != "a" and exists year',
      'tags != "t1"',
      'year in (2001, 2002) or title contains "e"',
      'id = "odd" or missing = 3',
      'year = "2001"',
    ];
    for (const where of filters) {
      expect(await compare(both, corpus.questions.slice(0, 25), { strategy: "sparse-first", where }), where).toEqual(
        [],
      );
      expect(await compare(both, corpus.questions.slice(0, 5), { strategy: "dense-first", where }), where).toEqual([]);
    }
  });

  it("passes check, which reports missing entries", async () => {
    expect(await both.cluster.check()).toMatchObject({ ok: true, problems: [] });
  });
});

describe("an index without vectors", () => {
  const address = addressOf(plan, "wordsalone");
  const small = makeCorpus({ documents: 150, questions: 100, seed: 21 });
  let both: Both;
  beforeAll(async () => {
    both = await loadBoth(small, address);
  });
  afterAll(() => both?.close());

  it("answers like the folder, sparse-first", async () => {
    expect(await compare(both, small.questions, { strategy: "sparse-first" })).toEqual([]);
  });

  it("refuses unsupported options with a hint", async () => {
    const asked = (options: AskOptions) => both.cluster.ask(small.questions[0]!, options);
    await expect(asked({ strategy: "dense-first" })).rejects.toMatchObject({
      code: "invalid-argument",
      hint: expect.stringContaining("vectors=true"),
    });
    await expect(asked({ strategy: "exhaustive" })).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(asked({ filter: () => true })).rejects.toMatchObject({ code: "invalid-argument" });
  });
});

describe("copying", () => {
  const small = makeCorpus({ documents: 120, questions: FEW, seed: 22 });
  const address = addressOf(plan, "copied", "?shards=1");

  it("copies an index into the cluster and back without changing a number, and resumes", async () => {
    const storage = new MemoryStorage();
    const writer = await openWriter({ storage, encoder: small.encoder });
    await writer.add(small.documents);
    await writer.delete(["doc-3", "doc-11"]);
    await writer.commit();
    await writer.close();
    const snapshot = await openSnapshot(storage);
    const { model } = snapshot.manifest;
    const half = await openLoader({ address }, model);
    const stop = new AbortController();
    const onProgress = ({ documents }: { documents: number }): void => {
      if (documents === 50) stop.abort();
    };
    await expect(copyToCluster(snapshot, half.loader, { signal: stop.signal, onProgress })).rejects.toMatchObject({
      code: "aborted",
    });
    await half.loader.commit();
    await half.loader.close();
    const rest = await openLoader({ address }, model);
    const done = await copyToCluster(snapshot, rest.loader);
    expect(done).toMatchObject({ unchanged: 50, documents: snapshot.documentCount - 50 });
    await rest.loader.commit();
    await rest.loader.close();

    const both = await openBoth(storage, { encoder: small.encoder, address });
    expect(await compare(both, small.questions, { strategy: "sparse-first" })).toEqual([]);
    await both.close();

    const back = new MemoryStorage();
    const connected = await openConnectedIndex({ address });
    const again = await openIndexWriter(back, { model: await clusterModel(connected) });
    for await (const { document, passages } of documentsFromCluster(connected))
      await again.add({ document, passages: passages! });
    await again.commit();
    await again.close();
    await connected.connection.close();
    const copy = await openIndex({ storage: back, encoder: small.encoder, correctsSpelling: false });
    const first = await openIndex({ storage, encoder: small.encoder, correctsSpelling: false });
    for (const question of small.questions)
      expect(visible(await copy.ask(question, { strategy: "exhaustive" }))).toEqual(
        visible(await first.ask(question, { strategy: "exhaustive" })),
      );
    await copy.close();
    await first.close();
    await snapshot.close();
  });
});

describe("writers that start at the same time", () => {
  it("create one index together and lose no document", async () => {
    const { documents, encoder } = makeCorpus({ documents: 30, questions: 1, seed: 26 });
    const address = addressOf(plan, "together", "?shards=2");
    const load = async (part: typeof documents): Promise<void> => {
      const writer = await openClusterWriter({ address, encoder });
      await writer.add(part);
      await writer.commit();
      await writer.close();
    };
    await Promise.all([documents.slice(0, 10), documents.slice(10, 20), documents.slice(20)].map(load));
    const connected = await openConnectedIndex({ address });
    expect(await clusterTotals(connected)).toMatchObject({ documents: documents.length });
    await connected.connection.close();
  });
});

describe("changes", () => {
  const small = makeCorpus({ documents: 80, questions: FEW, seed: 23 });
  const address = addressOf(plan, "changing", "?shards=2");

  it("answers like the folder after documents were changed, deleted and moved", async () => {
    const before = await loadBoth(small, address);
    const changed = { ...small.documents[5]!, text: `${small.documents[7]!.text} ${small.documents[9]!.text}` };
    const to = { id: "moved", source: "moved.txt", metadata: { year: 1999 } };
    const inFolder = await openWriter({ storage: before.storage, encoder: small.encoder });
    const inCluster = await openClusterWriter({ address, encoder: small.encoder });
    for (const writer of [inFolder, inCluster]) {
      const done = await writer.add([changed, small.documents[6]!, textDocument("new", "Something new stands here.")]);
      expect(done).toMatchObject({ documents: 2, unchanged: 1, replaced: 1 });
      expect(await writer.delete(["doc-1", "doc-22", "nobody"])).toBe(2);
      expect(await writer.move([{ from: "doc-2", to }])).toBe(1);
      await writer.commit();
      await writer.close();
    }
    await before.folder.refresh();
    await before.cluster.refresh();
    const { documents, passages } = before.folder.info;
    expect(before.cluster.info).toMatchObject({ documents, passages });
    expect(await compare(before, small.questions, { strategy: "sparse-first" })).toEqual([]);
    expect(await before.cluster.check()).toMatchObject({ ok: true, problems: [] });
    const where = 'id = "moved" and year = 1999';
    expect(await compare(before, small.questions.slice(0, 10), { strategy: "sparse-first", where })).toEqual([]);

    const connected = await openConnectedIndex({ address });
    const report = await compactCluster(connected);
    expect(report.segmentsAfter).toBeLessThanOrEqual(4); // two shards, two copies of each
    expect(await clusterTotals(connected)).toMatchObject({
      ...{ documents, passages, shards: 2, replicas: 1, vectors: false },
      segments: report.segmentsAfter,
    });
    await connected.connection.close();
    expect(await compare(before, small.questions, { strategy: "sparse-first" })).toEqual([]);
    await before.close();
  });
});
