/** What holds for the golden index of every format version. */

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { FileStorage } from "../../adapters/node/storage/file-storage.js";
import { FORMAT_VERSION } from "../../src/index/format/container-layout.js";
import { checkIndex } from "../../src/index/maintain/check.js";
import { openSnapshot } from "../../src/index/open-snapshot.js";
import { openIndexWriter } from "../../src/index/write/writer.js";
import { madeUpModel, makePrepared } from "../support/made-up.js";
import { MemoryStorage } from "../support/memory-storage.js";
import { describeIndex } from "./describe-index.js";

/** Folder of a version: `index/` and `expected.json`. */
export const goldenFolder = (version: number): string => join(import.meta.dirname, `v${version}`);

/** Two tests. @param holds  of the report of `check` */
export function itIsKept(folder: string, holds: { documents: number; version?: number }): void {
  const index = join(folder, "index");

  it("opens and says what it said on the day it was written", async () => {
    const expected = JSON.parse(await readFile(join(folder, "expected.json"), "utf8"));
    expect(JSON.parse(JSON.stringify(await describeIndex(new FileStorage(index))))).toEqual(expected);
  });

  it("is whole", async () => {
    expect(await checkIndex(new FileStorage(index))).toMatchObject({ ok: true, problems: [], ...holds });
  });
}

/** In memory, to be written to. */
export async function copyOfGolden(folder: string): Promise<MemoryStorage> {
  const index = join(folder, "index");
  const storage = new MemoryStorage();
  for (const name of await readdir(index)) {
    const file = await storage.create(name);
    await file.append(await readFile(join(index, name)));
    await file.sync();
    await file.close();
  }
  await storage.syncDirectory();
  return storage;
}

/** One test. @param documents  that it has */
export function itMayBeAddedTo(folder: string, documents: number): void {
  it("may be added to, and is of this version then", async () => {
    const storage = await copyOfGolden(folder);
    const writer = await openIndexWriter(storage, { model: madeUpModel });
    for (const document of makePrepared({ seed: 4, documents: 1, prefix: "new-" })) await writer.add(document);
    await writer.compact({ full: true });
    await writer.close();
    const snapshot = await openSnapshot(storage);
    expect(snapshot).toMatchObject({ formatVersion: FORMAT_VERSION, documentCount: documents + 1 });
    await snapshot.close();
    expect((await checkIndex(storage)).problems).toEqual([]);
  });
}
