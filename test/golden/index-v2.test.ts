/**
 * An index of format version 2, kept for ever: `v2/index/` must open and say what `v2/expected.json` says, whatever the code has become.
 * It cannot be made again: this code writes a later version.
 */

import { describe, expect, it } from "vitest";
import { checkIndex } from "../../src/index/check.js";
import { FORMAT_VERSION } from "../../src/index/container-layout.js";
import { openSnapshot } from "../../src/index/snapshot.js";
import { openIndexWriter } from "../../src/index/writer.js";
import { madeUpModel, makePrepared } from "../support/made-up.js";
import { copyOfGolden, goldenFolder, itIsKept } from "./golden-index.js";

const folder = goldenFolder(2);

describe("the golden index of format version 2", () => {
  itIsKept(folder, { version: 4, documents: 9 });

  it("may be added to, and is of this version then", async () => {
    const storage = await copyOfGolden(folder);
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
