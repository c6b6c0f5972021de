/**
 * An index of format version 1, kept for ever: `v1/index/` must open and say what `v1/expected.json` says, whatever the code has become.
 * Both are written when they are absent, by the code of that day; after that they are never changed. A new format gets a `v2/` beside it.
 */

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FileStorage } from "../../adapters/node/storage.js";
import { checkIndex } from "../../src/index/check.js";
import { FORMAT_VERSION } from "../../src/index/container-layout.js";
import { crc32c } from "../../src/index/crc32c.js";
import { openSnapshot } from "../../src/index/snapshot.js";
import { openIndexWriter } from "../../src/index/writer.js";
import { madeUpModel, makePrepared } from "../support/made-up.js";
import { MemoryStorage } from "../support/memory-storage.js";

const folder = join(import.meta.dirname, "v1");
const index = join(folder, "index");

/** Two segments, one with a deletion and one with a replacement, in three versions. */
async function makeIndex(): Promise<MemoryStorage> {
  const storage = new MemoryStorage();
  const writer = await openIndexWriter(storage, { model: madeUpModel, termUnit: "passage" });
  for (const document of makePrepared({ seed: 1, documents: 5 })) await writer.add(document);
  await writer.commit();
  for (const document of makePrepared({ seed: 2, documents: 2, first: 4 })) await writer.add(document);
  await writer.commit();
  writer.delete("doc-1");
  await writer.commit();
  await writer.close();
  return storage;
}

/** What the index says, short enough to keep: texts as they are, numbers as checksums. */
async function describeIndex(storage: MemoryStorage | FileStorage): Promise<unknown> {
  const snapshot = await openSnapshot(storage, { expectModelHash: madeUpModel.passageModelHash });
  const segments = [];
  for (const segment of snapshot.segments) {
    const documents = [];
    for (let d = 0; d < segment.documentCount; d++) {
      const record = await segment.readDocument(d);
      documents.push({ deleted: segment.isDeleted(d), record, text: await segment.readText(d, 0, record.length) });
    }
    const numbers = [...segment.passageDocuments.keys()];
    const passages = (await segment.readPassages(numbers)).map((stored, p) => ({
      ...segment.passage(p),
      checksum: checksum(stored),
    }));
    const postings: Record<string, unknown> = {};
    for (let term = 0; term < madeUpModel.vocabularySize; term++) {
      const list = await segment.termPostings(term);
      if (list) postings[term] = [...list.units].map((unit, i) => [unit, list.values[i]]);
    }
    const norms = [...(await segment.tfidfNorms("document")), ...(await segment.tfidfNorms("passage"))].map((norm) =>
      norm.toFixed(4),
    );
    segments.push({ name: segment.name, documents, passages, postings, norms });
  }
  await snapshot.close();
  const { version, formatVersion, documentCount, passageCount } = snapshot;
  return { version, formatVersion, documentCount, passageCount, segments };
}

/** CRC32C over all numbers of a passage, in the order of their names. */
function checksum(value: object): string {
  const flat = (item: unknown): string =>
    item && typeof item === "object" && !ArrayBuffer.isView(item)
      ? Object.entries(item)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, child]) => `${key}:${flat(child)}`)
          .join(";")
      : String(item);
  return crc32c(new TextEncoder().encode(flat(value))).toString(16);
}

async function writeIfAbsent(): Promise<void> {
  try {
    await readFile(join(folder, "expected.json"));
    return;
  } catch {
    if (FORMAT_VERSION !== 1) throw new Error("test/golden/v1 is gone; restore it, it cannot be made again");
  }
  const storage = await makeIndex();
  await mkdir(index, { recursive: true });
  for (const [name, bytes] of storage.files()) await writeFile(join(index, name), bytes);
  await writeFile(join(folder, "expected.json"), `${JSON.stringify(await describeIndex(storage), null, 1)}\n`);
}

describe("the golden index of format version 1", async () => {
  await writeIfAbsent();

  it("opens and says what it said on the day it was written", async () => {
    const expected = JSON.parse(await readFile(join(folder, "expected.json"), "utf8"));
    expect(JSON.parse(JSON.stringify(await describeIndex(new FileStorage(index))))).toEqual(expected);
  });

  it("is whole", async () => {
    expect(await checkIndex(new FileStorage(index))).toMatchObject({
      ok: true,
      problems: [],
      version: 3,
      documents: 5,
    });
  });

  it.runIf(FORMAT_VERSION === 1)("is what this code writes of the same documents, byte for byte", async () => {
    for (const [name, bytes] of (await makeIndex()).files()) {
      expect(new Uint8Array(await readFile(join(index, name))), name).toEqual(bytes);
    }
  });
});
