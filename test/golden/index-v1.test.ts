/**
 * The golden index of format version 1: `index-v1/index/` must open and hold what `index-v1/expected.json` says,
 * whatever becomes of the code. Both are written when they are absent, and never changed afterwards. A new format
 * version gets its own folder.
 */

import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FileStorage } from "../../adapters/node/storage/file-storage.js";
import { FORMAT_VERSION } from "../../src/index/format/container-layout.js";
import { checkIndex } from "../../src/index/maintain/check.js";
import { committedVersions, decodeManifest, encodeManifest, manifestName } from "../../src/index/manifest/manifest.js";
import { openSnapshot } from "../../src/index/open-snapshot.js";
import { openIndexWriter } from "../../src/index/write/writer.js";
import { documentsAtPrecision } from "../support/at-precision.js";
import { encodeAgain } from "../support/encode-again.js";
import { madeUpModel, makePrepared } from "../support/made-up.js";
import { MemoryStorage } from "../support/memory-storage.js";
import { coarsely } from "../support/storage-precision.js";
import { describeIndex } from "./describe-index.js";

const folder = join(import.meta.dirname, "index-v1");
const index = join(folder, "index");
const expectedFile = join(folder, "expected.json");

/** Little of what the made-up model gives is kept. */
const coarseModel = { ...madeUpModel, storage: coarsely };

/** A lexical segment, a thin one with a deletion, one that was raised from them, and one that was added later. */
async function makeIndex(): Promise<MemoryStorage> {
  const storage = new MemoryStorage();
  const first = makePrepared({ seed: 1, documents: 3 });
  const second = makePrepared({ seed: 2, documents: 4, first: 3 });
  const lexical = await openIndexWriter(storage, { model: madeUpModel, level: "lexical" });
  for (const document of first) await lexical.add(document);
  await lexical.commit();
  await lexical.upgrade({ level: "thin", thinTerms: 8, encode: encodeAgain(first) });
  await lexical.close();
  const writer = await openIndexWriter(storage, { model: madeUpModel, addedLevel: "lexical" });
  for (const document of second) await writer.add(document);
  writer.delete("doc-1");
  await writer.commit();
  await writer.close();
  const coarse = await openIndexWriter(storage, { model: coarseModel });
  const stop = new AbortController();
  const onProgress = ({ documents }: { documents: number }): void => {
    if (documents >= 3) stop.abort(); // raises one stretch and leaves the rest as it is
  };
  const raising = {
    encode: encodeAgain(documentsAtPrecision([...first, ...second], coarseModel)),
    batchPassages: 1,
    signal: stop.signal,
    onProgress,
  };
  await expect(coarse.upgrade({ level: "full", ...raising })).rejects.toMatchObject({ code: "aborted" });
  const later = documentsAtPrecision(makePrepared({ seed: 3, documents: 4, first: 20 }), coarseModel);
  for (const document of later) await coarse.add(document);
  await coarse.commit();
  await coarse.close();
  return storage;
}

async function writeIfAbsent(): Promise<void> {
  try {
    await readFile(expectedFile);
  } catch {
    const storage = await makeIndex();
    await mkdir(index, { recursive: true });
    for (const [name, bytes] of storage.files()) await writeFile(join(index, name), bytes);
    await writeFile(expectedFile, `${JSON.stringify(await describeIndex(storage), null, 1)}\n`);
  }
}

/** A copy in memory that may be written to. */
async function copyOfGolden(): Promise<MemoryStorage> {
  const files = new Map<string, Uint8Array>();
  for (const name of await readdir(index)) files.set(name, await readFile(join(index, name)));
  return MemoryStorage.of(files);
}

/** The golden index, whose newest manifest requires a reader of `version`. */
async function withReaderVersion(version: number): Promise<MemoryStorage> {
  const files = (await copyOfGolden()).files();
  const newest = committedVersions([...files.keys()])[0]!;
  const name = manifestName(newest);
  const manifest = decodeManifest(files.get(name)!, name);
  files.set(name, encodeManifest({ ...manifest, formatVersion: version, minimumReaderVersion: version }));
  return MemoryStorage.of(files);
}

describe("the golden index of format version 1", async () => {
  await writeIfAbsent();

  it("opens and holds what it held on the day it was written", async () => {
    const expected = JSON.parse(await readFile(expectedFile, "utf8"));
    expect(JSON.parse(JSON.stringify(await describeIndex(new FileStorage(index))))).toEqual(expected);
  });

  it("passes check", async () => {
    expect(await checkIndex(new FileStorage(index))).toMatchObject({ ok: true, problems: [], documents: 10 });
  });

  it.runIf((FORMAT_VERSION as number) === 1)(
    "is what this code writes of the same documents, byte for byte",
    async () => {
      for (const [name, bytes] of (await makeIndex()).files()) {
        expect(new Uint8Array(await readFile(join(index, name))), name).toEqual(bytes);
      }
    },
  );

  it("accepts new documents, and is still sound after a full merge", async () => {
    const storage = await copyOfGolden();
    const writer = await openIndexWriter(storage, { model: madeUpModel });
    for (const document of makePrepared({ seed: 4, documents: 1, prefix: "new-" })) await writer.add(document);
    await writer.compact({ full: true });
    await writer.close();
    const snapshot = await openSnapshot(storage);
    expect(snapshot).toMatchObject({ formatVersion: FORMAT_VERSION, documentCount: 11 });
    await snapshot.close();
    expect((await checkIndex(storage)).problems).toEqual([]);
  });

  it("is refused with unsupported-format when it needs a reader of another version", async () => {
    for (const version of [0, 2, 4]) {
      await expect(openSnapshot(await withReaderVersion(version))).rejects.toMatchObject({
        code: "unsupported-format",
        found: version,
        expected: FORMAT_VERSION,
        message: `manifest-10.json needs a reader of format version ${version}; this program reads format version 1.`,
      });
    }
  });
});
