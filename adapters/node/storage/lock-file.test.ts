import { mkdtemp, readdir, readFile, rm, unlink, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { checkIndex } from "../../../src/index/maintain/check.js";
import { openIndexWriter } from "../../../src/index/write/writer.js";
import { madeUpModel, makePrepared } from "../../../test/support/made-up.js";
import { FileStorage } from "./file-storage.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "verbatim-lock-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** No process has this number: Linux stops at 2^22. */
const NO_PROCESS = 2 ** 22 + 1;

const owner = async () => JSON.parse(await readFile(join(folder, "lock"), "utf8"));
const put = (change: object) => writeFile(join(folder, "lock"), JSON.stringify(change));

/** The fields of a lock that this process takes. */
async function ownFields(): Promise<Record<string, unknown>> {
  const lock = await new FileStorage(folder).lock();
  const fields = await owner();
  await lock.release();
  return fields;
}

it("a lock has one owner, who is named, and can be taken again after its release", async () => {
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

it("a lock is taken over when its process is gone, its number was reused, or the machine was restarted", async () => {
  const lock = await new FileStorage(folder).lock();
  const mine = await owner();
  await expect(new FileStorage(folder).lock()).rejects.toMatchObject({ code: "index-locked" });
  const gone: object[] = [{ ...mine, pid: NO_PROCESS }];
  if (process.platform === "linux") gone.push({ ...mine, processStart: "1" });
  if (mine.pidNamespace === "pid:[4026531836]") gone.push({ ...mine, boot: "another" });
  for (const stale of gone) {
    await put({ ...stale, token: "stale" });
    const taken = await new FileStorage(folder).lock();
    expect((await owner()).token).not.toBe("stale");
    await lock.release(); // no longer its lock, so nothing happens
    expect((await owner()).pid).toBe(process.pid);
    await taken.release();
  }
  expect(await readdir(folder)).toEqual([]);
});

it("a lock of another machine, of another PID namespace, or half written a moment ago is respected", async () => {
  const mine = await ownFields();
  const others: object[] = [
    { pid: 1, host: "elsewhere", since: "yesterday" },
    { ...mine, pid: NO_PROCESS, pidNamespace: "pid:[1]" },
    { ...mine, pid: NO_PROCESS, pidNamespace: "pid:[1]", boot: "another" },
  ];
  for (const other of others) {
    await put(other);
    await expect(new FileStorage(folder).lock()).rejects.toMatchObject({
      code: "index-locked",
      hint: expect.stringMatching(
        /^That process is on another machine or in another container\..* remove .*lock and try/,
      ),
    });
  }
  await writeFile(join(folder, "lock"), "");
  await expect(new FileStorage(folder).lock()).rejects.toMatchObject({ code: "index-locked" });
});

it("one of many processes that find the same stale lock takes it", async () => {
  await put({ ...(await ownFields()), pid: NO_PROCESS, token: "stale" });
  const tries = await Promise.allSettled(Array.from({ length: 20 }, () => new FileStorage(folder).lock()));
  expect(tries.filter((result) => result.status === "fulfilled")).toHaveLength(1);
});

it("a writer whose lock was removed by hand publishes nothing and destroys nothing of the next writer", async () => {
  const options = { model: madeUpModel, segmentPassages: 100 };
  const documents = makePrepared({ seed: 3, documents: 6, passages: [1, 2] });
  const first = await openIndexWriter(new FileStorage(folder), options);
  await first.add(documents[0]!);
  await first.commit();
  for (const document of documents.slice(1, 3)) await first.add(document);
  await unlink(join(folder, "lock"));

  const second = await openIndexWriter(new FileStorage(folder), options);
  await second.add(documents[3]!);
  const version = await second.commit();
  await expect(first.commit()).rejects.toMatchObject({
    code: expect.stringMatching(/^(index-locked|io-error)$/),
  });
  await first.close();
  await second.add(documents[4]!);
  expect(await second.commit()).toBe(version + 1);
  await second.close();
  const report = await checkIndex(new FileStorage(folder));
  expect(report.problems).toEqual([]);
  expect(report.documents).toBeGreaterThanOrEqual(3);
  expect((await readdir(folder)).filter((name) => name.startsWith("lock"))).toEqual([]);
});

it("a lock that was removed or replaced does not verify", async () => {
  const lock = await new FileStorage(folder).lock();
  await lock.verify();
  await put({ ...(await owner()), token: "another" });
  await expect(lock.verify()).rejects.toMatchObject({
    code: "index-locked",
    message: expect.stringContaining("belongs to"),
  });
  await unlink(join(folder, "lock"));
  await expect(lock.verify()).rejects.toMatchObject({
    code: "index-locked",
    message: expect.stringContaining("removed"),
  });
});
