/**
 * An index of format version 2, kept for ever: `v2/index/` must open and say what `v2/expected.json` says, whatever the code has become.
 * It cannot be made again: this code writes a later version.
 */

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FileStorage } from "../../adapters/node/storage.js";
import { checkIndex } from "../../src/index/check.js";
import { FORMAT_VERSION } from "../../src/index/container-layout.js";
import { openSnapshot } from "../../src/index/snapshot.js";
import { openIndexWriter } from "../../src/index/writer.js";
import { madeUpModel, makePrepared } from "../support/made-up.js";
import { MemoryStorage } from "../support/memory-storage.js";
import { describeIndex } from "./describe-index.js";

const folder = join(import.meta.dirname, "v2");
const index = join(folder, "index");
describe("the golden index of format version 2", () => {
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

  it("may be added to, and is of this version then", async () => {
    const storage = new MemoryStorage();
    for (const name of await readdir(index)) {
      const file = await storage.create(name);
      await file.append(await readFile(join(index, name)));
      await file.sync();
      await file.close();
    }
    await storage.syncDirectory();
    const writer = await openIndexWriter(storage, { model: madeUpModel });
    for (const document of makePrepared({ seed: 4, documents: 1, prefix: "new-" })) await writer.add(document);
    await writer.compact({ full: true });
    await writer.close();
    const snapshot = await openSnapshot(storage);
    expect(snapshot).toMatchObject({ formatVersion: FORMAT_VERSION, documentCount: 10 });
    expect(snapshot.segments.map(({ level }) => level)).toEqual(["full"]);
    await snapshot.close();
    expect((await checkIndex(storage)).problems).toEqual([]);
  });
});
