/** Documents of fetched passages, read from a stub of a cluster that counts requests. */

import { afterEach, describe, expect, it } from "vitest";
import { parseAddress } from "../../adapters/opensearch/address.js";
import { Connection } from "../../adapters/opensearch/connection/connection.js";
import { Records } from "../../adapters/opensearch/record-cache.js";
import { fullPrecision } from "../../src/encode/precision.js";
import { type FetchedPassage, FetchedSegment } from "../../src/index/cluster/fetched-segment.js";
import { passageGrams } from "../../src/index/cluster/passage-blob.js";
import { madeUpModel, makePrepared } from "../support/made-up.js";
import { startStub } from "./stub.js";

const open: Array<{ close(): Promise<void> }> = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const keyOf = (order: number): string => `key${order}`;

function makePassages(documents: number): FetchedPassage[] {
  const options = { seed: 3, documents, passages: [1, 1], words: [5, 6] } as const;
  return makePrepared(options).map(({ document, passages }, order) => {
    const { start, end, encoded } = passages[0]!;
    const grams = passageGrams(document.text.slice(start, end));
    const precision = fullPrecision(madeUpModel);
    return { key: keyOf(order), order, number: 0, alone: true, start, end, encoded, grams, precision };
  });
}

/** What a cluster returns for the entry of a document. */
function storedRecord(key: string): object {
  const record = { id: `id of ${key}`, title: "", source: `${key}.txt`, map: [], length: 0 };
  return { doc: key, hash: "", order: 0, passages: 1, pieces: 0, record: { record, checkpoints: [], norm: 1 } };
}

describe("describeDocuments of fetched passages", () => {
  it("reads 256 documents per request, in the order of the index", async () => {
    const sizes: number[] = [];
    const stub = await startStub(({ path, body }) => {
      if (!path.endsWith("/_mget")) return { status: 200, body: {} };
      const { ids } = JSON.parse(body) as { ids: string[] };
      sizes.push(ids.length);
      return { status: 200, body: { docs: ids.map((_id) => ({ _id, found: true, _source: storedRecord(_id) })) } };
    });
    const connection = await Connection.open(parseAddress(`opensearch://127.0.0.1:${stub.port}/docs`, {}));
    open.push(connection, stub);
    const records = new Records(connection, "docs.1");
    const segment = new FetchedSegment("cluster", {
      passages: makePassages(600),
      grams: new Map(),
      texts: {
        readDocument: async (key) => (await records.record(key)).record,
        readText: async () => "",
      },
    });
    const ids: string[] = [];
    for await (const { id } of segment.describeDocuments()) ids.push(id);
    expect(ids).toEqual(Array.from({ length: 600 }, (_, order) => `id of ${keyOf(order)}`));
    expect(sizes).toEqual([256, 256, 88]);
  });
});
