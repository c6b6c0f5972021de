/** Several writers that find no index at an address and create it at the same time. */

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { pointAlias } from "../../adapters/opensearch/alias-lookup.js";
import { openClusterIndex, openClusterWriter, openConnectedIndex, openLoader } from "../../adapters/opensearch/open.js";
import type { Document } from "../../src/types.js";
import { makeCorpus } from "../opensearch/corpus.js";
import { type FakeCluster, startFakeCluster } from "./fake-cluster.js";
import { intercept } from "./intercept.js";

const { encoder, documents } = makeCorpus({ documents: 8, questions: 1, seed: 33 });
const [firstHalf, secondHalf] = [documents.slice(0, 5), documents.slice(5)];

let cluster: FakeCluster;
beforeEach(async () => {
  cluster = await startFakeCluster("docs");
});
afterEach(async () => {
  vi.restoreAllMocks();
  await cluster.close();
});

async function load(part: readonly Document[]): Promise<void> {
  const writer = await openClusterWriter({ address: cluster.address, encoder });
  await writer.add(part);
  await writer.commit();
  await writer.close();
}

async function loadedDocuments(): Promise<number> {
  const index = await openClusterIndex({ address: cluster.address, encoder });
  const { documents: count } = index.info;
  await index.close();
  return count;
}

const createsIndex = ({ method, path }: { method: string; path: string }): boolean =>
  method === "PUT" && !path.startsWith("/_index_template");

it("a writer that finds no index uses the one that another writer creates in the meantime", async () => {
  intercept("send", createsIndex, () => load(firstHalf));
  await load(secondHalf);
  expect(await loadedDocuments()).toBe(documents.length);
  expect(cluster.indexes()).toHaveLength(1);
});

it("writers that start at the same time share one index", async () => {
  const parts = [documents.slice(0, 3), documents.slice(3, 6), documents.slice(6)];
  await Promise.all(parts.map((part) => load(part)));
  expect(await loadedDocuments()).toBe(documents.length);
  expect(cluster.indexes()).toHaveLength(1);
});

it("a writer with another model is refused if the other writer was first", async () => {
  intercept("send", createsIndex, () => load(firstHalf));
  const model = { ...encoder.info, passageModelHash: "another" };
  await expect(openLoader({ address: cluster.address }, model)).rejects.toMatchObject({ code: "model-mismatch" });
  expect(await loadedDocuments()).toBe(firstHalf.length);
});

it("an index that the alias no longer points to is not used, and the message names it", async () => {
  await load(firstHalf);
  const { connection, index } = await openConnectedIndex({ address: cluster.address });
  const actions = [{ remove: { index, alias: "docs" } }];
  await connection.send({ method: "POST", path: "/_aliases", body: { actions } });
  await expect(load(secondHalf)).rejects.toMatchObject({
    code: "unsupported-format",
    message: expect.stringContaining(index),
    hint: expect.stringContaining(`Delete the index ${index}`),
  });
  await pointAlias(connection, index);
  await connection.close();
  await load(secondHalf);
  expect(await loadedDocuments()).toBe(documents.length);
});
