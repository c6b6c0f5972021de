/**
 * Writes that take fewer bytes than given: an error halfway, a disk that reports wrong success, a
 * system call that writes partially.
 */

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { FileStorage } from "../../adapters/node/storage/file-storage.js";
import { VerbatimError } from "../../src/errors.js";
import { checkIndex } from "../../src/index/maintain/check.js";
import { MemoryStorage } from "../support/memory-storage.js";
import { contentOf, recordWorkload, runWorkload, WHOLE } from "./harness.js";
import { scenarios } from "./scenarios.js";

/** Maximum bytes that one write of the real adapter takes; undefined: all. */
const most = vi.hoisted(() => ({ bytes: undefined as number | undefined, writes: 0 }));

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  return {
    ...real,
    open: async (...how: Parameters<typeof real.open>) => {
      const handle = await real.open(...how);
      const write = handle.write.bind(handle) as (
        b: Uint8Array,
        at: number,
        n: number,
      ) => Promise<{ bytesWritten: number }>;
      Object.assign(handle, {
        write: (bytes: Uint8Array, at: number, length: number) => {
          most.writes++;
          if (most.bytes === 0) return Promise.resolve({ bytesWritten: 0 });
          return write(bytes, at, Math.min(length, most.bytes ?? length));
        },
      });
      return handle;
    },
  };
});

const SHARES = WHOLE ? [0, 0.01, 0.5, 1] : [0.5];
const broken = () => new VerbatimError("io-error", "the disk gave up in the middle of a write");

describe.each(await scenarios())("a write that fails in the middle in: $name", (scenario) => {
  it("leaves, at any write, the complete old or new state", async () => {
    const undisturbed = MemoryStorage.of(scenario.before);
    await scenario.run(undisturbed);
    const appends = undisturbed.counts.get("append") ?? 0;
    let failures = 0;
    for (let at = 1; at <= appends; at += WHOLE ? 1 : 2 * scenario.stride) {
      for (const share of SHARES) {
        const storage = MemoryStorage.of(scenario.before);
        storage.shortWrite = { at, share, error: broken };
        const outcome = await scenario.run(storage);
        const what = `write ${at} of ${appends} fails after ${share} of its bytes`;
        if (scenario.name !== "repair" || outcome.error !== undefined)
          // repair retries
          expect(outcome.error, what).toMatchObject({ code: "io-error" });
        storage.shortWrite = undefined;
        const found = MemoryStorage.of(storage.files());
        found.links = storage.links;
        await scenario.expectSound(found, outcome, what);
        failures++;
      }
    }
    console.info(`short-write: ${scenario.name}: ${failures} writes failed in the middle, ${appends} writes in all`);
  }, 3_600_000);
});

it("a disk that silently writes too few bytes is always detected", async () => {
  const workload = await recordWorkload();
  const undisturbed = MemoryStorage.of(workload.before);
  await runWorkload(undisturbed, workload);
  const appends = undisturbed.counts.get("append")!;
  const versions = [...workload.contents.values()];
  const counts = { silent: 0, named: 0, harmless: 0 };
  for (let at = 1; at <= appends; at += WHOLE ? 1 : 3) {
    const storage = MemoryStorage.of(workload.before);
    storage.shortWrite = { at, share: 0.5, error: undefined };
    const { error } = await runWorkload(storage, workload);
    const what = `write ${at} of ${appends}`;
    if (error !== undefined) expect(error, what).toMatchObject({ code: expect.stringMatching(/corrupt-|io-error/) });
    const found = MemoryStorage.of(storage.files());
    counts.silent++;
    if ((await checkIndex(found)).ok) {
      counts.harmless++; // the truncated file is no longer part of the index
      expect(versions, what).toContain(await contentOf(found));
    } else {
      counts.named++;
      await expect(contentOf(found), what).rejects.toMatchObject({ code: expect.stringMatching(/corrupt-/) });
    }
  }
  expect(counts.named).toBeGreaterThan(0);
  console.info(`short-write: a lying disk: ${JSON.stringify(counts)}`);
}, 3_600_000);

describe("a file on disk", () => {
  it("is complete when the system takes seven bytes at a time, and an error when it takes none", async () => {
    const folder = await mkdtemp(join(tmpdir(), "verbatim-short-"));
    try {
      const storage = new FileStorage(folder);
      const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i * 7);
      most.bytes = 7;
      const file = await storage.create("whole");
      await file.append(bytes);
      await file.close();
      expect(most.writes).toBe(Math.ceil(1000 / 7)); // otherwise nothing was truncated
      expect(new Uint8Array(await readFile(join(folder, "whole")))).toEqual(bytes);
      most.bytes = 0;
      const stuck = await storage.create("stuck");
      await expect(stuck.append(bytes)).rejects.toMatchObject({ code: "io-error" });
      await stuck.close();
    } finally {
      most.bytes = undefined;
      await rm(folder, { recursive: true, force: true });
    }
  });
});
