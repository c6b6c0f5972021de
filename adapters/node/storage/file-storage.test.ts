import { execFileSync } from "node:child_process";
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
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
    // an open file outlives its name
    expect(new TextDecoder().decode(await source.read(0, 5))).toBe("hello");
    await source.close();
    await source.close();
    await expect(source.read(0, 1)).rejects.toMatchObject({ code: "io-error" });
    await expect(storage.open("a")).rejects.toMatchObject({ code: "io-error" });
  });

  it.each([0, 65_536])("never returns fewer bytes than requested (blocking up to %i)", async (blockingReadBytes) => {
    const storage = new FileStorage(folder, { blockingReadBytes });
    await write(storage, "a", "hello");
    const source = await storage.open("a");
    const bytes = await source.read(0, 5);
    expect(bytes.constructor).toBe(Uint8Array);
    await expect(source.read(3, 5)).rejects.toMatchObject({ code: "io-error", found: 2, expected: 5 });
    await expect(source.read(0, 1, AbortSignal.abort())).rejects.toMatchObject({ code: "aborted" });
    await source.close();
  });

  it.skipIf(process.platform === "win32")("refuses a named pipe in the place of a file, without waiting", async () => {
    execFileSync("mkfifo", [join(folder, "s000001.text")]);
    const opened = new FileStorage(folder).open("s000001.text");
    await expect(opened).rejects.toMatchObject({ code: "io-error", message: expect.stringContaining("not a regular") });
  });

  it("reports a missing folder, and creates it for a writer", async () => {
    const storage = new FileStorage(join(folder, "deep", "new"));
    expect(await storage.exists()).toBe(false);
    const missing = { code: "index-missing", hint: expect.stringContaining("verbatim index PATH --index") };
    await expect(storage.list()).rejects.toMatchObject(missing);
    await expect(openSnapshot(storage)).rejects.toMatchObject(missing);
    await (await storage.lock()).release();
    expect(await storage.exists()).toBe(true);
    await expect(openSnapshot(storage)).rejects.toMatchObject(missing);
  });

  it("refuses a file in place of the folder", async () => {
    await writeFile(join(folder, "file"), "");
    expect(await new FileStorage(join(folder, "file")).exists()).toBe(false);
    await expect(new FileStorage(join(folder, "file")).lock()).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(new FileStorage(join(folder, "file", "x")).lock()).rejects.toMatchObject({ code: "invalid-argument" });
  });

  it.skipIf(process.getuid?.() === 0)("reports a folder without write permission", async () => {
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
  ])("reports %s as %s with the next step", (code, expected) => {
    const error = storageError(Object.assign(new Error(code), { code }), { doing: "written", path: "/x" });
    expect(error).toMatchObject({ code: expected, found: code, where: "/x", hint: expect.stringMatching(/\.$/) });
  });

  it.skipIf(process.platform === "win32")("creates the folder and its files for their owner only", async () => {
    const place = join(folder, "deep", "private");
    const storage = new FileStorage(place);
    const lock = await storage.lock();
    await write(storage, "a", "hello");
    const copy = new FileStorage(join(folder, "copy"));
    await (await copy.lock()).release();
    expect(await copy.link(storage, "a", "a")).toBe(true);
    const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
    expect(await Promise.all([place, join(folder, "copy")].map(modeOf))).toEqual([0o700, 0o700]);
    const files = ["deep/private/a", "deep/private/lock", "copy/a"];
    expect(await Promise.all(files.map((name) => modeOf(join(folder, name))))).toEqual([0o600, 0o600, 0o600]);
    await lock.release();
  });

  it("never replaces a file by a rename", async () => {
    const storage = new FileStorage(folder);
    await write(storage, "manifest-2", "acknowledged");
    await write(storage, "manifest-2.tmp", "another");
    await expect(storage.rename("manifest-2.tmp", "manifest-2")).rejects.toMatchObject({ code: "io-error" });
    expect(await readFile(join(folder, "manifest-2"), "utf8")).toBe("acknowledged");
    await expect(storage.rename("missing", "b")).rejects.toMatchObject({ code: "io-error", found: "ENOENT" });
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
