/**
 * An index of format version 4, kept for ever: `v4/index/` must open and say what `v4/expected.json` says, whatever the code has become.
 * Both are written when they are absent, by the code of that day; after that they are never changed. A new format gets a `v5/` beside it.
 */

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FORMAT_VERSION } from "../../src/index/format/container-layout.js";
import { openIndexWriter } from "../../src/index/write/writer.js";
import { encodeAgain } from "../support/encode-again.js";
import { madeUpModel, makePrepared } from "../support/made-up.js";
import { coarseListingModel, makeLarge } from "../support/many-rows.js";
import { MemoryStorage } from "../support/memory-storage.js";
import { describeIndex } from "./describe-index.js";
import { goldenFolder, itIsKept } from "./golden-index.js";

const folder = goldenFolder(4);
const index = join(folder, "index");
const isNewest = (FORMAT_VERSION as number) === 4;

/** A lexical segment, a thin one with a deletion, one that was raised from them, and one that was added since, with coarse rows in lists. */
async function makeIndex(): Promise<MemoryStorage> {
  const storage = new MemoryStorage();
  const first = makePrepared({ seed: 1, documents: 3 });
  const second = makePrepared({ seed: 2, documents: 4, first: 3 });
  const lexical = await openIndexWriter(storage, { model: madeUpModel, termUnit: "passage", level: "lexical" });
  for (const document of first) await lexical.add(document);
  await lexical.commit();
  await lexical.upgrade({ level: "thin", thinTerms: 8, encode: encodeAgain(first) });
  await lexical.close();
  const writer = await openIndexWriter(storage, { model: madeUpModel, addedLevel: "lexical" });
  for (const document of second) await writer.add(document);
  writer.delete("doc-1");
  await writer.commit();
  await writer.close();
  const coarse = await openIndexWriter(storage, { model: coarseListingModel });
  const stop = new AbortController();
  const onProgress = ({ documents }: { documents: number }): void => {
    if (documents >= 3) stop.abort(); // one stretch is raised, the rest is left as it is
  };
  const raising = { encode: encodeAgain([...first, ...second]), stretchPassages: 1, signal: stop.signal, onProgress };
  await expect(coarse.upgrade({ level: "full", ...raising })).rejects.toMatchObject({ code: "aborted" });
  for (const document of makeLarge({ seed: 3, documents: 4, first: 20 })) await coarse.add(document);
  await coarse.commit();
  await coarse.close();
  return storage;
}

async function writeIfAbsent(): Promise<void> {
  try {
    await readFile(join(folder, "expected.json"));
    return;
  } catch {
    if (!isNewest) throw new Error("test/golden/v4 is gone; restore it, it cannot be made again");
  }
  const storage = await makeIndex();
  await mkdir(index, { recursive: true });
  for (const [name, bytes] of storage.files()) await writeFile(join(index, name), bytes);
  await writeFile(join(folder, "expected.json"), `${JSON.stringify(await describeIndex(storage), null, 1)}\n`);
}

describe("the golden index of format version 4", async () => {
  await writeIfAbsent();

  itIsKept(folder, { documents: 10 });

  it.runIf(isNewest)("is what this code writes of the same documents, byte for byte", async () => {
    for (const [name, bytes] of (await makeIndex()).files()) {
      expect(new Uint8Array(await readFile(join(index, name))), name).toEqual(bytes);
    }
  });
});
