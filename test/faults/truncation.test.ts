/** Files cut short, grown, swapped, missing; a folder that changes under a reader. */

import { describe, expect, it } from "vitest";
import { checkIndex } from "../../src/index/maintain/check.js";
import { committedVersions } from "../../src/index/manifest/manifest.js";
import { openSnapshot } from "../../src/index/open-snapshot.js";
import { openIndexWriter } from "../../src/index/write/writer.js";
import { madeUpModel, makePrepared } from "../support/made-up.js";
import { MemoryStorage } from "../support/memory-storage.js";
import { contentOf, recordWorkload, runWorkload, WHOLE } from "./harness.js";

const STRIDE = WHOLE ? 1 : 41;

describe("a file of the live version", () => {
  it(
    "cut at any length, or longer than it was, is named",
    async () => {
      const { before, firstVersion } = await recordWorkload();
      let cuts = 0;
      for (const [name, bytes] of before) {
        if (name.startsWith("manifest-") && name !== `manifest-${firstVersion}.json`) continue;
        const lengths = Array.from({ length: Math.ceil(bytes.length / STRIDE) }, (_, i) => i * STRIDE);
        for (const length of [...lengths, bytes.length - 1, bytes.length + 1]) {
          const changed = new Uint8Array(length);
          changed.set(bytes.subarray(0, length));
          const storage = MemoryStorage.of(new Map([...before, [name, changed]]));
          const { problems } = await checkIndex(storage);
          expect(problems[0]?.file, `${name} of ${length} bytes`).toBe(name);
          await expect(openSnapshot(storage)).rejects.toMatchObject({ code: expect.stringMatching(/corrupt-/) });
          cuts++;
        }
      }
      console.info(`truncation: ${cuts} lengths`);
    },
    WHOLE ? 3_600_000 : 600_000,
  );

  it("is named when it is missing, or belongs to another segment", async () => {
    const { before } = await recordWorkload();
    const storage = MemoryStorage.of(before);
    await storage.remove("s000002.text");
    expect((await checkIndex(storage)).problems.map(String)).toEqual(["s000002.text: the file is missing"]);
    await expect(openSnapshot(storage)).rejects.toMatchObject({ code: "corrupt-segment", where: "s000002.text" });
    await expect(openIndexWriter(storage, { model: madeUpModel })).rejects.toMatchObject({ where: "s000002.text" });
    const swapped = MemoryStorage.of(new Map([...before, ["s000001.text", before.get("s000002.text")!]]));
    expect((await checkIndex(swapped)).problems[0]!.file).toBe("s000001.text");
  });
});

describe("a damaged committed manifest", () => {
  it("is an error that names repair, for readers and writers, even if the version before is intact", async () => {
    const { before, firstVersion } = await recordWorkload();
    for (const bytes of [new Uint8Array(0), new Uint8Array(500), new TextEncoder().encode("{}")]) {
      const storage = MemoryStorage.of(new Map([...before, [`manifest-${firstVersion}.json`, bytes]]));
      const expected = { code: "corrupt-manifest", hint: expect.stringContaining("verbatim repair") };
      await expect(openSnapshot(storage)).rejects.toMatchObject(expected);
      await expect(openIndexWriter(storage, { model: madeUpModel })).rejects.toMatchObject(expected);
      expect((await checkIndex(storage)).problems.map((problem) => problem.file)).toEqual([
        `manifest-${firstVersion}.json`,
      ]);
      expect(storage.files().size).toBe(before.size); // nothing was removed
      (await storage.lock()).release(); // and the lock was given back
    }
  });

  it("is ignored when it is not committed", async () => {
    const { before, firstVersion } = await recordWorkload();
    const torn = new Map([...before, [`manifest-${firstVersion + 1}.json.tmp`, new Uint8Array(10)]]);
    expect((await openSnapshot(MemoryStorage.of(torn))).version).toBe(firstVersion);
  });
});

describe("a reader", () => {
  it("keeps its version while a writer replaces everything and removes old files", async () => {
    const workload = await recordWorkload();
    const storage = MemoryStorage.of(workload.before);
    const snapshot = await openSnapshot(storage);
    expect((await runWorkload(storage, workload)).error).toBeUndefined();
    expect(committedVersions([...storage.files().keys()])).toEqual([workload.lastVersion, workload.lastVersion - 1]);
    const segment = snapshot.segments.at(-1)!;
    expect((await segment.readDocument(0)).id).toBe("doc-2");
    expect(await segment.readText(0, 0, 10)).toHaveLength(10);
    expect(await contentOf(storage)).toBe(workload.contents.get(workload.lastVersion));
  });

  it("starts again when files are removed between reading the manifest and opening them", async () => {
    const workload = await recordWorkload();
    const storage = MemoryStorage.of(workload.before);
    const open = storage.open.bind(storage);
    let once = true;
    storage.open = async (name) => {
      const source = await open(name);
      if (once && name.startsWith("manifest-")) {
        once = false;
        const writer = await openIndexWriter(storage, { model: madeUpModel });
        for (const id of ["doc-0", "doc-1", "doc-2"]) writer.delete(id);
        await writer.add(makePrepared({ seed: 5, documents: 1 })[0]!);
        await writer.commit();
        writer.delete("doc-1");
        await writer.add(makePrepared({ seed: 6, documents: 1 })[0]!);
        await writer.commit();
        await writer.close();
      }
      return source;
    };
    const snapshot = await openSnapshot(storage);
    expect([snapshot.version, snapshot.documentCount]).toEqual([workload.firstVersion + 2, 1]);
  });
});
