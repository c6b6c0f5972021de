/**
 * An index of format version 1, kept for ever: `v1/index/` must open and say what `v1/expected.json` says, whatever the code has become.
 * It cannot be made again: this code writes a later version.
 */

import { describe, expect, it } from "vitest";
import { FORMAT_VERSION } from "../../src/index/format/container-layout.js";
import { checkIndex } from "../../src/index/maintain/check.js";
import { openSnapshot } from "../../src/index/open-snapshot.js";
import type { StoredPassage } from "../../src/index/types.js";
import { openIndexWriter } from "../../src/index/write/writer.js";
import { madeUpModel, makePrepared } from "../support/made-up.js";
import type { MemoryStorage } from "../support/memory-storage.js";
import { coarsely } from "../support/storage-precision.js";
import { copyOfGolden, goldenFolder, itIsKept } from "./golden-index.js";

const folder = goldenFolder(1);

/** Every live passage by its document's id and its number there. */
async function livePassages(storage: MemoryStorage): Promise<Map<string, StoredPassage>> {
  const snapshot = await openSnapshot(storage);
  const passages = new Map<string, StoredPassage>();
  for (const segment of snapshot.segments) {
    for (const [p, document] of segment.passageDocuments.entries()) {
      if (segment.isDeleted(document)) continue;
      const { id } = await segment.readDocument(document);
      passages.set(`${id} ${segment.passage(p).start}`, (await segment.readPassages([p]))[0]!);
    }
  }
  await snapshot.close();
  return passages;
}

describe("the golden index of format version 1", () => {
  itIsKept(folder, { version: 3, documents: 5 });

  it("is compacted into the newest version without losing a bit", async () => {
    const storage = await copyOfGolden(folder);
    const before = await livePassages(storage);
    const writer = await openIndexWriter(storage);
    await writer.compact();
    await writer.close();
    const snapshot = await openSnapshot(storage);
    expect(snapshot.formatVersion).toBe(FORMAT_VERSION);
    expect(snapshot.segments).toHaveLength(1);
    await snapshot.close();
    expect(await livePassages(storage)).toEqual(before);
    expect((await checkIndex(storage)).problems.map(String)).toEqual([]);
  });

  it("takes documents of the newest version, and becomes as coarse as they are when both are merged", async () => {
    const model = { ...madeUpModel, storage: coarsely };
    const storage = await copyOfGolden(folder);
    const writer = await openIndexWriter(storage, { model });
    for (const document of makePrepared({ seed: 3, documents: 3, prefix: "new-" })) await writer.add(document);
    await writer.commit();
    expect((await checkIndex(storage)).problems.map(String)).toEqual([]);
    const before = await livePassages(storage);
    await writer.compact();
    await writer.close();
    expect((await checkIndex(storage)).problems.map(String)).toEqual([]);
    const after = await livePassages(storage);
    expect([...after.keys()].sort()).toEqual([...before.keys()].sort());
    for (const [place, passage] of after) {
      if (place.startsWith("new-")) expect(passage, place).toEqual(before.get(place));
      const steps = coarsely.end.map((step) => (step === 255 ? 0 : step));
      for (const [i, value] of passage.endVectors.entries()) {
        const was = before.get(place)!.endVectors[i]!;
        const step = steps[(i % model.dense) >> 4]!;
        if (step === 0) expect(value).toBe(0);
        else expect(Math.abs(value - was)).toBeLessThanOrEqual(step / 2);
      }
    }
  });
});
