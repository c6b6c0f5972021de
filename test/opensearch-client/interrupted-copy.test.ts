/** `verbatim copy` into a cluster, stopped by Ctrl-C while it waits. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Connection } from "../../adapters/opensearch/connection/connection.js";
import { temporaryFolder, verbatim } from "../cli/run-cli.js";
import { type Both, loadBoth, makeCorpus } from "../opensearch/corpus.js";
import { type FakeCluster, startFakeCluster } from "./fake-cluster.js";

const corpus = makeCorpus({ documents: 10, questions: 1, seed: 34 });
let cluster: FakeCluster;
let both: Both;
let folder: string;
let stop: AbortController;
beforeEach(async () => {
  cluster = await startFakeCluster("docs");
  both = await loadBoth(corpus, cluster.address);
  folder = await temporaryFolder();
  for (const [name, bytes] of both.storage.files()) await writeFile(join(folder, name), bytes);
  stop = new AbortController();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await both?.close();
  await cluster?.close();
});

/** The cluster rejects all entries, and Ctrl-C is pressed at the first rejection. */
function stopWhileBusy(): void {
  const original = Connection.prototype.send;
  vi.spyOn(Connection.prototype, "send").mockImplementation(async function (this: Connection, request) {
    if (!request.path.endsWith("/_bulk")) return original.call(this, request) as never;
    stop.abort();
    const { lines = [] } = request;
    return {
      status: 200,
      body: { errors: true, items: lines.map(() => ({ index: { _id: "x", status: 429 } })) },
    } as never;
  });
}

const copy = (to: string, ...flags: string[]) =>
  verbatim(["copy", folder, to, ...flags], { cwd: folder, signal: stop.signal });

it("stops at Ctrl-C while the cluster is busy", async () => {
  const other = cluster.address.replace("/docs", "/other");
  stopWhileBusy();
  expect(await copy(other)).toMatchObject({ status: 130 });
});

it("stops at Ctrl-C while the cluster is busy, and removes the index that was to replace another", async () => {
  const before = cluster.indexes();
  stopWhileBusy();
  expect(await copy(cluster.address, "--replace")).toMatchObject({ status: 130 });
  expect(cluster.indexes()).toEqual(before);
});

it("removes the old index at Ctrl-C without waiting until no server uses it", async () => {
  const before = cluster.indexes();
  const original = Connection.prototype.send;
  vi.spyOn(Connection.prototype, "send").mockImplementation(async function (this: Connection, request) {
    const reply = await original.call(this, request);
    if (request.path === "/_aliases") stop.abort();
    return reply as never;
  });
  expect(await copy(cluster.address, "--replace")).toMatchObject({ status: 0 });
  expect(cluster.indexes()).toHaveLength(1);
  expect(cluster.indexes()).not.toEqual(before);
  await both.cluster.refresh();
  expect(both.cluster.info.documents).toBe(corpus.documents.length);
});
