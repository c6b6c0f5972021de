import { expect, it } from "vitest";
import { madeUpModel, makePrepared } from "../../../test/support/made-up.js";
import { MemoryStorage } from "../../../test/support/memory-storage.js";
import { checkIndex } from "../maintain/check.js";
import { lockStorage } from "./lock-storage.js";
import { openIndexWriter } from "./writer.js";

it("a storage that lost its lock renames and removes nothing", async () => {
  const memory = MemoryStorage.of(new Map([["a", new Uint8Array([1])]]));
  const { storage, lock } = await lockStorage(memory);
  await storage.rename("a", "b");
  memory.breakLock();
  await expect(storage.rename("b", "c")).rejects.toMatchObject({ code: "index-locked" });
  await expect(storage.remove("b")).rejects.toMatchObject({ code: "index-locked" });
  expect([...memory.files().keys()]).toEqual(["b"]);
  await lock.release();
});

it("a writer that lost its lock at any step does not damage the next writer's index", async () => {
  const options = { model: madeUpModel, segmentPassages: 2 };
  const documents = makePrepared({ seed: 5, documents: 8, passages: [1, 2] });
  for (let lostAfter = 0; lostAfter <= 4; lostAfter++) {
    const memory = new MemoryStorage();
    const first = await openIndexWriter(memory, options);
    for (const document of documents.slice(0, lostAfter)) await first.add(document);
    if (lostAfter > 2) await first.commit();
    memory.breakLock();
    const second = await openIndexWriter(memory, options);
    await second.add(documents[6]!);
    const version = await second.commit();
    const before = memory.files();
    await first.add(documents[7]!).catch(() => {});
    await expect(first.commit()).rejects.toThrow();
    await first.close();
    for (const [name, bytes] of before) expect(memory.files().get(name), name).toEqual(bytes);
    expect(second.version).toBe(version);
    await second.add(documents[5]!);
    await second.commit();
    await second.close();
    expect(await checkIndex(memory)).toMatchObject({ problems: [], version: version + 1 });
  }
});
