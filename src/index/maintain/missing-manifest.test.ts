/** Segments without a manifest: an index that lost it is kept, and an interrupted first run starts again. */

import { describe, expect, it } from "vitest";
import { madeUpModel, makePrepared } from "../../../test/support/made-up.js";
import { MemoryStorage } from "../../../test/support/memory-storage.js";
import { committedVersions, isIndexFile } from "../manifest/manifest.js";
import { openSnapshot } from "../open-snapshot.js";
import { openIndexWriter } from "../write/writer.js";
import { checkIndex } from "./check.js";
import { repairIndex } from "./repair.js";
import { restoreIndex, snapshotIndex } from "./snapshot.js";

const documents = makePrepared({ seed: 31, documents: 4, passages: [1, 2] });

async function made(): Promise<MemoryStorage> {
  const storage = new MemoryStorage();
  const writer = await openIndexWriter(storage, { model: madeUpModel });
  for (const document of documents) await writer.add(document);
  await writer.commit();
  writer.delete("doc-2");
  await writer.commit();
  await writer.close();
  return storage;
}

/** An index whose manifests were removed. */
async function withoutManifest(): Promise<MemoryStorage> {
  const storage = await made();
  for (const version of committedVersions([...storage.files().keys()]))
    await storage.remove(`manifest-${version}.json`);
  return storage;
}

describe("an index whose manifest is missing", () => {
  it("is refused by readers, writers and copies, which delete nothing and recommend repair", async () => {
    const storage = await withoutManifest();
    const before = storage.files();
    const attempts = [
      () => openSnapshot(storage),
      () => openIndexWriter(storage, { model: madeUpModel }),
      () => openIndexWriter(storage),
      () => snapshotIndex(storage, new MemoryStorage()),
    ];
    for (const attempt of attempts)
      await expect(attempt()).rejects.toMatchObject({
        code: "corrupt-manifest",
        message: "The manifest of the index in memory is missing.",
        hint: expect.stringContaining("verbatim repair --index memory"),
      });
    for (const replace of [false, true])
      await expect(restoreIndex(await made(), storage, { replace })).rejects.toMatchObject({
        code: "corrupt-manifest",
      });
    const report = await checkIndex(storage);
    expect([report.ok, report.version, report.problems.map(String)]).toEqual([false, 0, ["manifest: missing"]]);
    expect(storage.files()).toEqual(before);
  });

  it("is recovered by repair, but not with another model, which would drop every segment", async () => {
    const storage = await withoutManifest();
    const before = storage.files();
    const other = { ...madeUpModel, name: "other", passageModelHash: "f".repeat(64) };
    await expect(repairIndex(storage, { model: other })).rejects.toMatchObject({
      code: "model-mismatch",
      found: madeUpModel.passageModelHash.slice(0, 32),
      hint: expect.stringContaining("--model"),
    });
    expect(storage.files()).toEqual(before);
    const report = await repairIndex(storage, { model: madeUpModel });
    expect(report).toMatchObject({ repaired: true, manifest: "rebuilt", documents: 3, droppedSegments: [] });
    expect((await checkIndex(storage)).ok).toBe(true);
    const writer = await openIndexWriter(storage, { model: madeUpModel });
    expect(["doc-1", "doc-2"].map((id) => writer.has(id) !== undefined)).toEqual([true, false]);
    await writer.close();
  });
});

describe("a first run that is interrupted before its first commit", () => {
  it("is no index, and the next run starts again, even if a segment was complete", async () => {
    for (const complete of [false, true]) {
      const storage = new MemoryStorage();
      const writer = await openIndexWriter(storage, { model: madeUpModel, autoCommit: false });
      await writer.add(documents[0]!);
      if (complete) await writer.flush();
      const after = MemoryStorage.of(storage.files()); // the process was killed
      expect([...after.files().keys()]).toContain("uncommitted");
      const repair = () => repairIndex(after, { model: madeUpModel });
      for (const attempt of [() => checkIndex(after), () => openSnapshot(after), repair])
        await expect(attempt()).rejects.toMatchObject({ code: "index-missing" });
      const again = await openIndexWriter(after, { model: madeUpModel });
      for (const document of documents) await again.add(document);
      await again.commit();
      await again.close();
      expect(await checkIndex(after)).toMatchObject({ ok: true, documents: documents.length });
      expect([...after.files().keys()]).not.toContain("uncommitted");
    }
  });

  it("starts again after a crash at any operation, whatever was lost", async () => {
    const firstRun = async (storage: MemoryStorage): Promise<void> => {
      const writer = await openIndexWriter(storage, { model: madeUpModel, autoCommit: false });
      await writer.add(documents[0]!);
      await writer.flush();
      await writer.add(documents[1]!);
      await writer.commit();
      await writer.close();
    };
    const undisturbed = new MemoryStorage();
    await firstRun(undisturbed);
    for (let at = 1; at <= undisturbed.operations; at++) {
      const storage = new MemoryStorage();
      storage.crashAt(at);
      await firstRun(storage).catch(() => {});
      const after = storage.crash(at);
      const what = `crash at operation ${at} (${storage.log.at(-1)})`;
      const found = await checkIndex(after).catch((error) => error);
      if (found.code === undefined) expect(found, what).toMatchObject({ ok: true, documents: 2 });
      else expect(found, what).toMatchObject({ code: "index-missing" });
      await firstRun(after);
      expect(await checkIndex(after), what).toMatchObject({ ok: true, documents: 2 });
    }
  });

  it("leaves no file if it is closed without a commit, also after an interrupted run", async () => {
    const storage = new MemoryStorage();
    const first = await openIndexWriter(storage, { model: madeUpModel });
    await first.add(documents[0]!);
    const killed = MemoryStorage.of(storage.files());
    await first.close();
    for (const place of [storage, killed]) {
      const writer = await openIndexWriter(place, { model: madeUpModel, autoCommit: false });
      await writer.add(documents[1]!);
      await writer.flush();
      await writer.add(documents[2]!);
      await writer.close();
      expect([...place.files().keys()].filter(isIndexFile)).toEqual([]);
    }
  });
});
