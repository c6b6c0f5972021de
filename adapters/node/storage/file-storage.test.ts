import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkIndex } from "../../../src/index/maintain/check.js";
import { openSnapshot } from "../../../src/index/open-snapshot.js";
import { openIndexWriter } from "../../../src/index/write/writer.js";
import { madeUpModel, makePrepared } from "../../../test/support/made-up.js";
import { FileStorage } from "./file-storage.js";
import { storageError } from "./storage-error.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "verbatim-storage-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function write(storage: FileStorage, name: string, text: string): Promise<void> {
  const file = await storage.create(name);
  await file.append(new TextEncoder().encode(text));
  await file.sync();
  await file.close();
}

describe("FileStorage", () => {
  it("keeps write-once files", async () => {
    const storage = new FileStorage(folder);
    await write(storage, "b", "hello");
    await expect(storage.create("b")).rejects.toMatchObject({ code: "io-error" });
    await storage.rename("b", "a");
    await storage.syncDirectory();
    expect(await storage.list()).toEqual(["a"]);
    const source = await storage.open("a");
    expect(await source.size()).toBe(5);
    expect(new TextDecoder().decode(await source.read(1, 3))).toBe("ell");
    await storage.remove("a");
    expect(new TextDecoder().decode(await source.read(0, 5))).toBe("hello"); // an open file outlives its name
    await source.close();
    await source.close();
    await expect(source.read(0, 1)).rejects.toMatchObject({ code: "io-error" });
    await expect(storage.open("a")).rejects.toMatchObject({ code: "io-error" });
  });

  it.each([0, 65_536])("never gives fewer bytes than were asked for (blocking up to %i)", async (blockingReadBytes) => {
    const storage = new FileStorage(folder, { blockingReadBytes });
    await write(storage, "a", "hello");
    const source = await storage.open("a");
    const bytes = await source.read(0, 5);
    expect(bytes.constructor).toBe(Uint8Array);
    await expect(source.read(3, 5)).rejects.toMatchObject({ code: "io-error", found: 2, expected: 5 });
    await expect(source.read(0, 1, AbortSignal.abort())).rejects.toMatchObject({ code: "aborted" });
    await source.close();
  });

  it("tells a folder that is not there, and makes it for a writer", async () => {
    const storage = new FileStorage(join(folder, "deep", "new"));
    expect(await storage.exists()).toBe(false);
    const missing = { code: "index-missing", hint: expect.stringContaining("verbatim index PATH --index") };
    await expect(storage.list()).rejects.toMatchObject(missing);
    await expect(openSnapshot(storage)).rejects.toMatchObject(missing);
    await (await storage.lock()).release();
    expect(await storage.exists()).toBe(true);
    await expect(openSnapshot(storage)).rejects.toMatchObject(missing);
  });

  it("tells a file in the place of the folder", async () => {
    await writeFile(join(folder, "file"), "");
    expect(await new FileStorage(join(folder, "file")).exists()).toBe(false);
    await expect(new FileStorage(join(folder, "file")).lock()).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(new FileStorage(join(folder, "file", "x")).lock()).rejects.toMatchObject({ code: "invalid-argument" });
  });

  it.skipIf(process.getuid?.() === 0)("tells a folder that may not be written to", async () => {
    await chmod(folder, 0o500);
    await expect(new FileStorage(folder).lock()).rejects.toMatchObject({
      code: "permission-denied",
      hint: expect.stringContaining("--index"),
    });
    await chmod(folder, 0o700);
  });

  it.each([
    ["ENOSPC", "out-of-space"],
    ["EDQUOT", "out-of-space"],
    ["EACCES", "permission-denied"],
    ["EROFS", "permission-denied"],
    ["EIO", "io-error"],
    ["EMFILE", "io-error"],
  ])("says %s as %s with the next step", (code, expected) => {
    const error = storageError(Object.assign(new Error(code), { code }), { doing: "written", path: "/x" });
    expect(error).toMatchObject({ code: expected, found: code, where: "/x", hint: expect.stringMatching(/\.$/) });
  });

  it("holds an index", async () => {
    const storage = new FileStorage(folder);
    const writer = await openIndexWriter(storage, { model: madeUpModel, segmentPassages: 10 });
    for (const document of makePrepared({ seed: 3, documents: 20 })) await writer.add(document);
    await writer.commit();
    await writer.close();
    const snapshot = await openSnapshot(new FileStorage(folder, { blockingReadBytes: 0 }));
    expect(snapshot.documentCount).toBe(20);
    expect((await snapshot.segments[0]!.readPassages([2, 0])).length).toBe(2);
    await snapshot.close();
    expect(await checkIndex(storage)).toMatchObject({ ok: true, documents: 20 });
    expect((await readdir(folder)).filter((name) => name.startsWith("lock"))).toEqual([]);
  });
});

describe("lock", () => {
  const owner = async () => JSON.parse(await readFile(join(folder, "lock"), "utf8"));
  const put = (change: object) => writeFile(join(folder, "lock"), JSON.stringify(change));

  it("is held by one, who is named, and can be taken again when it is given back", async () => {
    const lock = await new FileStorage(folder).lock();
    await expect(new FileStorage(folder).lock()).rejects.toMatchObject({
      code: "index-locked",
      message: expect.stringContaining(`process ${process.pid} on ${hostname()}`),
      hint: expect.stringContaining("remove"),
    });
    await lock.release();
    await (await new FileStorage(folder).lock()).release();
    expect(await readdir(folder)).toEqual([]);
  });

  it("is taken over when its process is gone, when the number is another process's now, and after a restart of the machine", async () => {
    const lock = await new FileStorage(folder).lock();
    const mine = await owner();
    await expect(new FileStorage(folder).lock()).rejects.toMatchObject({ code: "index-locked" });
    const gone: object[] = [{ ...mine, pid: 2 ** 22 + 1 }];
    if (process.platform === "linux") gone.push({ ...mine, processStart: "1" }, { ...mine, boot: "another" });
    for (const stale of gone) {
      await put({ ...stale, token: "stale" });
      const taken = await new FileStorage(folder).lock();
      expect((await owner()).token).not.toBe("stale");
      await lock.release(); // not its lock any more: nothing happens
      expect((await owner()).pid).toBe(process.pid);
      await taken.release();
    }
    expect(await readdir(folder)).toEqual([]);
  });

  it("of another machine, or half written a moment ago, is respected", async () => {
    await put({ pid: 1, host: "elsewhere", since: "yesterday" });
    await expect(new FileStorage(folder).lock()).rejects.toThrow(/process 1 on elsewhere since yesterday/);
    await writeFile(join(folder, "lock"), "");
    await expect(new FileStorage(folder).lock()).rejects.toMatchObject({ code: "index-locked" });
  });

  it("goes to one only when many find it stale at once", async () => {
    await mkdir(folder, { recursive: true });
    await put({ pid: 2 ** 22 + 1, host: hostname(), token: "stale" });
    const tries = await Promise.allSettled(Array.from({ length: 20 }, () => new FileStorage(folder).lock()));
    expect(tries.filter((result) => result.status === "fulfilled")).toHaveLength(1);
  });
});
