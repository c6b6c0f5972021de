/**
 * How often a question waits for a cluster, and how much it fetches. The cluster is one in memory
 * that counts; its answers are a folder's.
 */

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { Connection } from "../../adapters/opensearch/connection/connection.js";
import { type Both, loadBoth, makeCorpus, visible } from "../opensearch/corpus.js";
import { type FakeCluster, startFakeCluster } from "./fake-cluster.js";

const corpus = makeCorpus({ documents: 120, questions: 40, seed: 30 });
let cluster: FakeCluster;
let both: Both;
beforeAll(async () => {
  cluster = await startFakeCluster("docs");
  both = await loadBoth(corpus, cluster.address);
});
afterAll(async () => {
  await both?.close();
  await cluster?.close();
});
afterEach(() => void vi.restoreAllMocks());

interface Asked {
  isEqual: boolean;
  /** Requests that begin while another one is under way share a round trip. */
  roundTrips: number;
  requests: string[];
  /** Passages whose blob was requested. */
  blobs: number;
  /** Searches that count an n-gram. */
  counts: number;
}

async function ask(question: string): Promise<Asked> {
  const options = { strategy: "sparse-first" } as const;
  const expected = await both.folder.ask(question, options);
  const before = [cluster.stub.requests.length, cluster.searches.length] as const;
  let roundTrips = 0;
  let underWay = 0;
  for (const method of ["search", "searches", "entries"] as const) {
    const original = Connection.prototype[method] as (...given: unknown[]) => Promise<unknown>;
    vi.spyOn(Connection.prototype, method).mockImplementation(async function (this: Connection, ...given: unknown[]) {
      if (method === "searches" && (given[1] as unknown[]).length === 0) return [];
      if (underWay++ === 0) roundTrips++;
      return original.apply(this, given).finally(() => underWay--) as never;
    } as never);
  }
  const found = await both.cluster.ask(question, options);
  vi.restoreAllMocks();
  const searches = cluster.searches.slice(before[1]);
  return {
    isEqual: JSON.stringify(visible(found)) === JSON.stringify(visible(expected)),
    roundTrips,
    requests: cluster.stub.requests.slice(before[0]).map(({ path }) => path.split("/")[2]!),
    blobs: searches.reduce((sum, { docvalue_fields, size = 0 }) => sum + (docvalue_fields ? size : 0), 0),
    counts: searches.filter(({ aggs }) => aggs !== undefined).length,
  };
}

describe("a question to a cluster", () => {
  it("waits four times, for counts, documents, passages, and their records and texts", async () => {
    const asked: Asked[] = [];
    for (const question of corpus.questions) asked.push(await ask(question));
    expect(asked.filter(({ isEqual }) => !isEqual)).toEqual([]);
    expect(asked.filter(({ roundTrips, counts }) => roundTrips > (counts > 0 ? 4 : 3))).toEqual([]);
    const usual = asked.filter(({ requests }) => requests.join(" ") === "_msearch _search _search _search _mget");
    expect(usual.length).toBeGreaterThan(30);
  });

  it("fetches the blobs of twice the candidates", async () => {
    expect(await ask(corpus.questions[0]!)).toMatchObject({ blobs: 40 });
  });

  it("counts no n-gram again until there is a new version, and each with one search", async () => {
    const question = `${corpus.documents[3]!.title} ${corpus.documents[8]!.title}`;
    const first = await ask(question);
    const again = await ask(question);
    expect(first).toMatchObject({ isEqual: true });
    expect(again).toMatchObject({ isEqual: true, roundTrips: 3, counts: 0 });
    const words = question.split(" ").length;
    expect(first.counts).toBeLessThanOrEqual(2 * words - 1);
  });
});
