/**
 * A merge holds tables and pieces of files, never a whole file: compares live memory with the size
 * of the merge.
 */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { FileStorage } from "../../adapters/node/storage/file-storage.js";
import { checkIndex } from "../../src/index/maintain/check.js";
import type { Storage } from "../../src/index/ports.js";
import type { PreparedDocument } from "../../src/index/types.js";
import { openIndexWriter } from "../../src/index/write/writer.js";
import { madeUpModel, makePrepared } from "../support/made-up.js";
import { WHOLE } from "./harness.js";

const SEGMENTS = 4;
/** Approximate bytes of rows in a segment. */
const SMALL = 2_000_000;
const LARGE = WHOLE ? 200_000_000 : 8_000_000; // four of them stay below the maximum size of a merged segment, 1 GiB
/** Pieces of files in use at once, and what the test runner allocates. */
const STRETCHES = 12_000_000;
/** Bytes allowed per merged byte: tables of documents and passages. */
const TABLES_SHARE = 0.05;
const SAMPLES = 40;
/** A small merge has few operations, and a sample takes longer than ten of them. */
const OPERATIONS_PER_SAMPLE = 6;

const model = { ...madeUpModel, dense: 512, coherency: 256 };

/** Live bytes after garbage collection. */
let live: () => number;
let folder: string;

beforeAll(async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  live = () => {
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  folder = await mkdtemp(join(tmpdir(), "verbatim-memory-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** One document with many bytes of rows; only its name changes, so that it is made quickly. */
const [pattern] = makePrepared({ seed: 1, documents: 1, passages: [4, 4], words: [120, 120], kept: 1, model });
const rowBytes = pattern!.passages.reduce((sum, { encoded }) => sum + 2 * encoded.startVectors.length * 1.5, 0);
const named = (number: number): PreparedDocument => ({
  ...pattern!,
  document: { ...pattern!.document, id: `doc-${number}` },
});

/** Samples live memory at one in `every` operations after `begin`. */
function watched(storage: FileStorage, every: number): { storage: Storage; most: () => number; begin(): void } {
  let most: number | undefined;
  let operations = 0;
  const look = (): void => {
    if (most !== undefined && operations++ % every === 0) most = Math.max(most, live());
  };
  const wrapped: Storage = {
    place: storage.place,
    exists: () => storage.exists(),
    list: () => storage.list(),
    open: async (name) => {
      const source = await storage.open(name);
      return {
        size: () => source.size(),
        read: async (offset, length, signal) => {
          const bytes = await source.read(offset, length, signal);
          look();
          return bytes;
        },
        close: () => source.close(),
      };
    },
    create: async (name) => {
      const file = await storage.create(name);
      return {
        append: (bytes) => {
          look();
          return file.append(bytes);
        },
        sync: () => file.sync(),
        close: () => file.close(),
      };
    },
    rename: (from, to) => storage.rename(from, to),
    remove: (name) => storage.remove(name),
    syncDirectory: () => storage.syncDirectory(),
    lock: () => storage.lock(),
  };
  const begin = (): void => {
    most = 0;
  };
  return { storage: wrapped, most: () => most ?? 0, begin };
}

/** @returns bytes of the merged files, and bytes alive on top during the merge */
async function merge(bytes: number): Promise<{ merged: number; held: number }> {
  const documents = Math.ceil(bytes / rowBytes);
  const disk = new FileStorage(join(folder, String(bytes)));
  const { storage, most, begin } = watched(
    disk,
    Math.max(OPERATIONS_PER_SAMPLE, Math.floor((SEGMENTS * bytes) / 100_000 / SAMPLES)),
  );
  const writer = await openIndexWriter(storage, { model, durability: "relaxed" });
  for (let n = 0; n < SEGMENTS * documents; n++) {
    await writer.add(named(n));
    if (n % documents === documents - 1) await writer.commit();
  }
  const before = live();
  begin();
  const report = await writer.compact({ full: true });
  expect([report.segmentsBefore, report.segmentsAfter]).toEqual([SEGMENTS, 1]);
  const held = most() - before;
  await writer.close();
  expect((await checkIndex(disk)).ok).toBe(true);
  await rm(disk.place, { recursive: true });
  return { merged: report.bytesBefore, held };
}

it("a merge of large segments needs no more memory than one of small ones, apart from its tables", async () => {
  await merge(SMALL / 4); // warms up code and caches
  const small = await merge(SMALL);
  const large = await merge(LARGE);
  console.info(`merge-memory: ${JSON.stringify({ small, large })}`);
  expect(large.merged).toBeGreaterThan(3 * small.merged);
  expect(small.held).toBeLessThan(STRETCHES);
  expect(large.held).toBeLessThan(STRETCHES + TABLES_SHARE * (large.merged - small.merged));
  expect(large.held).toBeLessThan(large.merged / 2);
}, 21_600_000);
