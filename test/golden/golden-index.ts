/** What holds for the golden index of every format version. */

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { FileStorage } from "../../adapters/node/storage.js";
import { checkIndex } from "../../src/index/check.js";
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
