/** Snapshots and restores copy an index to another place and never overwrite one silently. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { FileStorage } from "../../../adapters/node/storage/file-storage.js";
import { madeUpModel, makePrepared } from "../../../test/support/made-up.js";
import { MemoryStorage } from "../../../test/support/memory-storage.js";
import { encodeManifest, type Manifest, manifestName, readManifest, totalsOf } from "../manifest/manifest.js";
import { openSnapshot } from "../open-snapshot.js";
import type { Storage } from "../ports.js";
import { openIndexWriter } from "../write/writer.js";
import { checkIndex } from "./check.js";
import { restoreIndex, snapshotIndex } from "./snapshot.js";

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function newFolder(): Promise<FileStorage> {
  const folder = await mkdtemp(join(tmpdir(), "verbatim-copy-"));
  folders.push(folder);
  return new FileStorage(join(folder, "index"));
}

async function fill(storage: Storage, seed: number): Promise<void> {
  const writer = await openIndexWriter(storage, { model: madeUpModel, segmentPassages: 3 });
  for (const document of makePrepared({ seed, documents: 5 })) await writer.add(document);
  writer.delete("doc-1");
  await writer.commit();
  await writer.close();
}

async function idsOf(storage: Storage): Promise<Array<[id: string, hash: string]>> {
  const snapshot = await openSnapshot(storage);
  const found: Array<[string, string]> = [];
  for (const segment of snapshot.segments) {
    for (let d = 0; d < segment.documentCount; d++) {
      const { id, contentHash } = await segment.readDocument(d);
      if (!segment.isDeleted(d)) found.push([id, contentHash]);
    }
  }
  await snapshot.close();
  return found;
}

async function expectSame(storage: Storage, as: Storage): Promise<void> {
  expect(await idsOf(storage)).toEqual(await idsOf(as));
  expect((await checkIndex(storage)).problems.map(String)).toEqual([]);
}

describe.each(["links", "no links", "files"])("snapshot and restore with %s", (kind) => {
  const make = async (): Promise<Storage> => {
    if (kind === "files") return newFolder();
    const storage = new MemoryStorage();
    storage.links = kind === "links";
    return storage;
  };

  it("give the same index, which stays intact when the other one changes", async () => {
    const source = await make();
    await fill(source, 1);
    const target = await make();
    const progress: number[] = [];
    const report = await snapshotIndex(source, target, { onProgress: (done, total) => progress.push(done / total) });
    const files = report.linked + report.copied;
    expect(report).toMatchObject({ version: (await checkIndex(source)).version, files, documents: 4 });
    expect(kind === "no links" ? report.linked : report.copied).toBe(0);
    expect(progress.at(-1)).toBe(1);
    await expectSame(target, source);
    const before = await idsOf(target);
    const writer = await openIndexWriter(source);
    await writer.deleteWhere(() => true);
    await writer.commit();
    await writer.compact({ full: true });
    await writer.close();
    expect(await idsOf(target)).toEqual(before);
    expect((await checkIndex(target)).ok).toBe(true);
    await fill(target, 3); // and can be written to
  });

  it("replace an index only on request, as a new version that readers see when they refresh", async () => {
    const source = await make();
    await fill(source, 1);
    const target = await make();
    await fill(target, 2);
    const old = await idsOf(target);
    for (const [copy, hint] of [
      [snapshotIndex, /^Choose a folder without an index\.$/],
      [restoreIndex, /--replace/],
    ] as const) {
      await expect(copy(source, target)).rejects.toMatchObject({
        code: "invalid-argument",
        hint: expect.stringMatching(hint),
      });
    }
    const reader = await openSnapshot(target);
    const { version } = await restoreIndex(source, target, { replace: true });
    expect(version).toBe(reader.version + 1);
    await expectSame(target, source);
    expect((await reader.segments[0]!.readDocument(0)).contentHash).toBe(old[0]![1]);
    await reader.close();
    // Deletes from a segment with copied tombstones, up to their version number.
    for (let n = 0; n < 4; n++) {
      const writer = await openIndexWriter(target);
      expect(writer.delete(["doc-0", "doc-2", "doc-3", "doc-4"][n]!)).toBe(true);
      await writer.commit();
      await writer.close();
      expect((await checkIndex(target)).problems.map(String)).toEqual([]);
    }
  });
});

describe("snapshot", () => {
  it("of damaged bytes is refused with the file's name, and leaves nothing behind", async () => {
    const source = new MemoryStorage();
    await fill(source, 1);
    const name = "s000001.phrases";
    source.flipBit(name, 8 * 1000);
    const target = new MemoryStorage();
    const expected = { code: "corrupt-segment", where: expect.stringContaining(name) };
    await expect(snapshotIndex(source, target)).rejects.toMatchObject(expected);
    expect([...target.files().keys()]).toEqual([]);
    await expect(snapshotIndex(new MemoryStorage(), target)).rejects.toMatchObject({ code: "index-missing" });
    const held = await target.lock();
    await expect(snapshotIndex(source, target)).rejects.toMatchObject({ code: "index-locked" });
    await held.release();
  });

  it("with forged counts is refused, and leaves nothing behind", async () => {
    const source = new MemoryStorage();
    await fill(source, 1);
    const { version } = await checkIndex(source);
    const { manifest } = await readManifest(source, version);
    const most = Number.MAX_SAFE_INTEGER;
    const [first, ...rest] = manifest.segments;
    const totalsForged: Manifest = { ...manifest, totals: { ...manifest.totals, documents: most } };
    const segments = [{ ...first!, documents: first!.documents + 1 }, ...rest];
    const segmentForged: Manifest = { ...manifest, segments, totals: totalsOf(segments) };
    const huge = [{ ...first!, documents: most, deletedDocuments: 0 }];
    const hugeForged: Manifest = { ...manifest, segments: huge, totals: totalsOf(huge) };
    for (const forged of [totalsForged, segmentForged, hugeForged]) {
      const files = new Map([...source.files(), [manifestName(version), encodeManifest(forged)]]);
      const target = new MemoryStorage();
      const refused = restoreIndex(MemoryStorage.of(files), target, { verify: false });
      await expect(refused).rejects.toMatchObject({ code: expect.stringMatching(/^corrupt-(manifest|segment)$/) });
      expect([...target.files().keys()]).toEqual([]);
    }
  });

  it("taken while a writer commits and removes files is one of its versions", async () => {
    const source = new MemoryStorage();
    source.links = false;
    await fill(source, 1);
    const [changed] = makePrepared({ seed: 9, documents: 1 });
    let writes = 0;
    const target = new MemoryStorage();
    await snapshotIndex(source, target, {
      onProgress: async () => {
        if (++writes > 3) return;
        const writer = await openIndexWriter(source).catch(() => undefined);
        await writer?.add(changed!);
        await writer?.compact({ full: true });
        await writer?.close();
      },
    });
    expect((await checkIndex(target)).problems.map(String)).toEqual([]);
    expect((await openSnapshot(target)).documentCount).toBe(4);
  });
});
