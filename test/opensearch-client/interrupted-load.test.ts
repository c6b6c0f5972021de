/** Runs that are cut off while they load a cluster, or at their commit, and are repeated. */

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Connection } from "../../adapters/opensearch/connection/connection.js";
import { copyToCluster } from "../../adapters/opensearch/copy.js";
import { openClusterDeleter, openClusterWriter, openLoader } from "../../adapters/opensearch/open.js";
import { openSnapshot } from "../../src/index/open-snapshot.js";
import { type Both, loadBoth, makeCorpus, visible } from "../opensearch/corpus.js";
import { textDocument } from "../support/ask.js";
import { type FakeCluster, startFakeCluster } from "./fake-cluster.js";

const corpus = makeCorpus({ documents: 40, questions: 10, seed: 32 });
const { encoder } = corpus;
/** Documents that the index has from the beginning, and more that are loaded later. */
const earlier = { ...corpus, documents: corpus.documents.slice(0, 10) };
const SPARSE = { strategy: "sparse-first" } as const;

let cluster: FakeCluster;
let both: Both;
beforeEach(async () => {
  cluster = await startFakeCluster("docs");
  both = await loadBoth(earlier, cluster.address);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await both?.close();
  await cluster?.close();
});

/** Sends documents and stops without a commit, as when the process is killed. */
async function loadWithoutCommit(documents: typeof corpus.documents): Promise<void> {
  const other = await startFakeCluster("other");
  const source = await loadBoth({ ...corpus, documents }, other.address);
  const snapshot = await openSnapshot(source.storage);
  const { loader } = await openLoader({ address: cluster.address }, snapshot.manifest.model);
  await copyToCluster(snapshot, loader);
  await loader.flush();
  await loader.close();
  await snapshot.close();
  await source.close();
  await other.close();
}

/** The next commit number is not sent. */
function failAtCommit(): void {
  const original = Connection.prototype.send;
  vi.spyOn(Connection.prototype, "send").mockImplementation(async function (this: Connection, request) {
    if (JSON.stringify(request.body ?? {}).includes("version++")) throw new Error("killed");
    return original.call(this, request) as never;
  });
}

async function answers(): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const question of corpus.questions) found.push(visible(await both.cluster.ask(question, SPARSE)));
  return found;
}

describe("a run that was cut off", () => {
  it("shows nothing before the repeated run commits, not even when that begins", async () => {
    const before = await answers();
    await loadWithoutCommit(corpus.documents);
    const writer = await openClusterWriter({ address: cluster.address, encoder });
    await both.cluster.refresh();
    expect(both.cluster.info).toMatchObject({ version: 1, documents: 10 });
    expect(await answers()).toEqual(before);
    await writer.close();
  });

  it("after it had sent everything is committed by the repeated run, in which nothing changes", async () => {
    await loadWithoutCommit(corpus.documents);
    const writer = await openClusterWriter({ address: cluster.address, encoder });
    const done = await writer.add(corpus.documents);
    expect(done).toMatchObject({ documents: 0, unchanged: corpus.documents.length });
    await writer.close();
    expect(await both.cluster.refresh()).toBe(2);
    expect(both.cluster.info).toMatchObject({ documents: corpus.documents.length });

    const third = await openClusterWriter({ address: cluster.address, encoder });
    await third.add(corpus.documents);
    expect(await third.commit()).toBe(2);
    await third.close();
  });

  it("between making documents visible and its commit number is committed by the repeated run", async () => {
    const writer = await openClusterWriter({ address: cluster.address, encoder });
    await writer.add(corpus.documents);
    failAtCommit();
    await expect(writer.commit()).rejects.toThrow("killed");
    await writer.close();
    vi.restoreAllMocks();
    const again = await openClusterWriter({ address: cluster.address, encoder });
    await again.add(corpus.documents);
    await again.close();
    expect(await both.cluster.refresh()).toBe(2);
  });

  it("while it deleted is committed when the deletion is repeated", async () => {
    const deleting = await openClusterDeleter({ address: cluster.address });
    expect(await deleting.remove(["doc-1"])).toBe(1);
    await deleting.close();
    const again = await openClusterDeleter({ address: cluster.address });
    expect(await again.remove(["doc-1"])).toBe(0);
    expect(await again.commit()).toBe(2);
    await again.close();
    await both.cluster.refresh();
    expect(both.cluster.info).toMatchObject({ documents: 9 });
  });

  it("is followed by documents in the order of the input", async () => {
    await loadWithoutCommit(corpus.documents.slice(0, 20));
    const writer = await openClusterWriter({ address: cluster.address, encoder });
    await writer.add([...corpus.documents.slice(0, 20), textDocument("last", "Something new stands here.")]);
    await writer.commit();
    await writer.close();
    const records = cluster.stub.requests
      .filter(({ path }) => path.endsWith("/_bulk"))
      .flatMap(({ body }) => body.split("\n").filter((line) => line.includes('"kind":"document"')))
      .map((line) => JSON.parse(line) as { id: string; order: number });
    const orders = new Map(records.map(({ id, order }) => [id, order]));
    expect(orders.get("last")).toBe(20);
    expect(new Set(orders.values()).size).toBe(21);
  });
});

describe("passages of documents that are not complete", () => {
  const texts = new Map(earlier.documents.map(({ id, text }) => [id, text]));

  /** Sends the passages of these documents, but not their records, which make them complete. */
  async function loadPassagesOnly(documents: typeof corpus.documents): Promise<void> {
    const original = Connection.prototype.send;
    vi.spyOn(Connection.prototype, "send").mockImplementation(async function (this: Connection, request) {
      if (!request.path.endsWith("/_bulk")) return original.call(this, request);
      const passages = (request.lines ?? []).flatMap((line, n, lines) =>
        /"kind":"(passage|alone)"/.test(line) ? [lines[n - 1]!, line] : [],
      );
      if (passages.length > 0) await original.call(this, { ...request, lines: passages });
      return { status: 200, body: { errors: false } };
    } as typeof original);
    const writer = await openClusterWriter({ address: cluster.address, encoder });
    await writer.add(documents);
    await writer.commit();
    await writer.close();
    vi.restoreAllMocks();
  }

  async function expectCompleteDocuments(): Promise<void> {
    let found = 0;
    for (const question of corpus.questions) {
      for (const { documentId, text, start, end } of (await both.cluster.ask(question, SPARSE)).answers) {
        expect(texts.get(documentId)?.slice(start, end)).toBe(text);
        found++;
      }
    }
    expect(found).toBeGreaterThan(0);
  }

  it("are not asked when the commit of another run makes them visible", async () => {
    await loadPassagesOnly(corpus.documents.slice(10));
    await both.cluster.refresh();
    await expectCompleteDocuments();
  });

  it("that will replace others are not read with the text of these", async () => {
    await loadPassagesOnly(earlier.documents.map((one) => ({ ...one, text: `Before all of it. ${one.text}` })));
    await both.cluster.refresh();
    await expectCompleteDocuments();
  });

  it("are taken back when their document fails while it is encoded", async () => {
    const { info } = both.cluster;
    let calls = 0;
    const failing = Object.create(encoder, {
      encodePassages: {
        value: async (...given: Parameters<typeof encoder.encodePassages>) => {
          if (++calls > 8) throw new Error("the network failed");
          return encoder.encodePassages(...given);
        },
      },
    }) as typeof encoder;
    const writer = await openClusterWriter({ address: cluster.address, encoder: failing });
    const long = textDocument("long", "The bell rings at noon. ".repeat(20_000));
    await expect(writer.add([textDocument("mill", "The mill was sold."), long])).rejects.toThrow("the network failed");
    await writer.commit();
    await writer.close();
    await both.cluster.refresh();
    expect(both.cluster.info.passages).toBe(info.passages + both.cluster.info.documents - info.documents);
  });
});

it("a run that changes nothing, after one that was committed, makes no new version", async () => {
  const writer = await openClusterWriter({ address: cluster.address, encoder });
  await writer.add(earlier.documents);
  expect(await writer.commit()).toBe(1);
  await writer.close();
});
