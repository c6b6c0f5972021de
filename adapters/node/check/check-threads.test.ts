/** The check gives the same report with threads and without, whatever is damaged. */

import { mkdtemp, open, readdir, rm, stat, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { checkIndex } from "../../../src/index/maintain/check.js";
import { openIndexWriter } from "../../../src/index/write/writer.js";
import { madeUpModel, makePrepared } from "../../../test/support/made-up.js";
import { FileStorage } from "../storage/file-storage.js";
import { checkFolder } from "./check-threads.js";

let folder: string;
let index: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "verbatim-check-"));
  index = join(folder, "index");
  const writer = await openIndexWriter(new FileStorage(index), { model: madeUpModel, segmentPassages: 8 });
  for (const document of makePrepared({ seed: 1, documents: 12 })) await writer.add(document);
  writer.delete("doc-3");
  await writer.commit();
  await writer.close();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function flip(name: string, at: number): Promise<void> {
  const file = await open(join(index, name), "r+");
  const byte = new Uint8Array(1);
  await file.read(byte, 0, 1, at);
  await file.write(Uint8Array.of(byte[0]! ^ 4), 0, 1, at);
  await file.close();
}

it("gives the report of the single-threaded check for sound, damaged and missing files", async () => {
  const same = async (): Promise<string[]> => {
    const alone = await checkIndex(new FileStorage(index));
    const progress: number[] = [];
    const threaded = await checkFolder(index, { threads: 2, onProgress: (done) => progress.push(done) });
    expect(threaded).toEqual(alone);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    return threaded.problems.map(String);
  };
  expect(await same()).toEqual([]);
  const names = (await readdir(index)).filter((name) => name.startsWith("s0"));
  const first = names.find((name) => name.endsWith(".ngrams"))!;
  await flip(first, 80);
  const last = names.findLast((name) => name.endsWith(".text"))!;
  await flip(last, (await stat(join(index, last))).size - 3);
  const missing = names.find((name) => name.startsWith("s000002") && name.endsWith(".terms"))!;
  await unlink(join(index, missing));
  const problems = await same();
  expect(problems).toHaveLength(3);
  for (const [i, name] of [first, missing, last].entries()) expect(problems[i]).toContain(name);
  await rm(index, { recursive: true });
  await expect(checkFolder(index, { threads: 2 })).rejects.toMatchObject({ code: "index-missing" });
});

it("stops when its signal fires", async () => {
  const stop = new AbortController();
  const checking = checkFolder(index, { threads: 2, signal: stop.signal });
  stop.abort();
  await expect(checking).rejects.toMatchObject({ code: "aborted" });
});
