/**
 * An index of format version 2, kept for ever: `v2/index/` must open and say what `v2/expected.json` says, whatever the code has become.
 * Both are written when they are absent, by the code of that day; after that they are never changed. A new format gets a `v3/` beside it.
 */

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FileStorage } from "../../adapters/node/storage.js";
import { checkIndex } from "../../src/index/check.js";
import { FORMAT_VERSION } from "../../src/index/container-layout.js";
import { openIndexWriter } from "../../src/index/writer.js";
import { madeUpModel, makePrepared } from "../support/made-up.js";
import { MemoryStorage } from "../support/memory-storage.js";
import { coarsely } from "../support/storage-precision.js";
import { describeIndex } from "./describe-index.js";

const folder = join(import.meta.dirname, "v2");
const index = join(folder, "index");
const isNewest = (FORMAT_VERSION as number) === 2;

/** Three segments, one with a deletion, one with a replacement, one kept coarsely, in four versions. */
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
  const coarse = await openIndexWriter(storage, { model: { ...madeUpModel, storage: coarsely } });
  for (const document of makePrepared({ seed: 3, documents: 4, prefix: "coarse-" })) await coarse.add(document);
  await coarse.commit();
  await coarse.close();
  return storage;
}

async function writeIfAbsent(): Promise<void> {
  try {
    await readFile(join(folder, "expected.json"));
    return;
  } catch {
    if (!isNewest) throw new Error("test/golden/v2 is gone; restore it, it cannot be made again");
  }
  const storage = await makeIndex();
  await mkdir(index, { recursive: true });
  for (const [name, bytes] of storage.files()) await writeFile(join(index, name), bytes);
  await writeFile(join(folder, "expected.json"), `${JSON.stringify(await describeIndex(storage), null, 1)}\n`);
}

describe("the golden index of format version 2", async () => {
  await writeIfAbsent();

  it("opens and says what it said on the day it was written", async () => {
    const expected = JSON.parse(await readFile(join(folder, "expected.json"), "utf8"));
    expect(JSON.parse(JSON.stringify(await describeIndex(new FileStorage(index))))).toEqual(expected);
  });

  it("is whole", async () => {
    expect(await checkIndex(new FileStorage(index))).toMatchObject({
      ok: true,
      problems: [],
      version: 4,
      documents: 9,
    });
  });

  it.runIf(isNewest)("is what this code writes of the same documents, byte for byte", async () => {
    for (const [name, bytes] of (await makeIndex()).files()) {
      expect(new Uint8Array(await readFile(join(index, name))), name).toEqual(bytes);
    }
  });
});
