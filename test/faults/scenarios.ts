/**
 * Operations that may be interrupted, and what must hold afterwards. One entry per operation of the
 * library; every kind of fault runs through all of them.
 */

import { createHash } from "node:crypto";
import { expect } from "vitest";
import { checkIndex } from "../../src/index/maintain/check.js";
import { repairIndex } from "../../src/index/maintain/repair.js";
import { restoreIndex, snapshotIndex } from "../../src/index/maintain/snapshot.js";
import { MemoryStorage } from "../support/memory-storage.js";
import { contentOf, expectOldOrNew, recordWorkload, runWorkload } from "./harness.js";

export interface Outcome {
  /** Last acknowledged version. */
  acknowledged: number;
  error: unknown;
}

export interface Scenario {
  name: string;
  /**
   * A short run disturbs one operation in this many, another one for each seed; the long run all of
   * them.
   */
  stride: number;
  /** The disk before the operation. */
  before: ReadonlyMap<string, Uint8Array>;
  run(storage: MemoryStorage): Promise<Outcome>;
  /**
   * Fails unless the disk holds the old or the new state, complete, with everything acknowledged,
   * and work can continue.
   */
  expectSound(storage: MemoryStorage, outcome: Outcome, what: string): Promise<void>;
}

/** Runs to the end or to the first error. */
async function attempt(work: () => Promise<{ version: number }>): Promise<Outcome> {
  try {
    return { acknowledged: (await work()).version, error: undefined };
  } catch (error) {
    return { acknowledged: 0, error };
  }
}

const WRITES = {
  addAndDelete: { name: "add, update, delete, commit", stride: 1 },
  moveAndCompact: { name: "move, delete by predicate, compact", stride: 4 },
  upgrade: { name: "upgrade from lexical to full", stride: 4 },
} as const;

async function write(kind: keyof typeof WRITES): Promise<Scenario> {
  const workload = await recordWorkload(kind);
  return {
    ...WRITES[kind],
    before: workload.before,
    run: (storage) => runWorkload(storage, workload),
    expectSound: (storage, { acknowledged }, what) => expectOldOrNew(storage, workload, { acknowledged, what }),
  };
}

/**
 * The state is `old` or `next`; `next` if it was acknowledged; and the same call again makes it
 * `next`.
 */
async function expectCopied(
  storage: MemoryStorage,
  states: { old: string | undefined; next: string; again: () => Promise<unknown> },
  rest: { outcome: Outcome; what: string },
): Promise<void> {
  const { old, next, again } = states;
  const { outcome, what } = rest;
  const state = async (): Promise<string | undefined> => {
    try {
      expect((await checkIndex(storage)).problems.map(String), what).toEqual([]);
      return await contentOf(storage);
    } catch (error) {
      expect(error, what).toMatchObject({ code: "index-missing" });
      return undefined;
    }
  };
  const found = await state();
  expect(outcome.error === undefined ? [next] : [old, next], what).toContain(found);
  if (found === undefined || found !== next) await again();
  expect(await state(), what).toBe(next);
}

async function snapshot(links: boolean): Promise<Scenario> {
  const { before } = await recordWorkload();
  const source = MemoryStorage.of(before);
  source.links = links;
  const next = await contentOf(source);
  const run = (storage: MemoryStorage) => {
    storage.links = links;
    return attempt(() => snapshotIndex(source, storage));
  };
  return {
    name: links ? "snapshot by links" : "snapshot by copying",
    stride: 1,
    before: new Map(),
    run,
    expectSound: (storage, outcome, what) =>
      expectCopied(storage, { old: undefined, next, again: () => snapshotIndex(source, storage) }, { outcome, what }),
  };
}

async function restore(): Promise<Scenario> {
  const { before } = await recordWorkload();
  const other = await recordWorkload("moveAndCompact");
  const changed = MemoryStorage.of(other.before);
  await runWorkload(changed, other);
  const source = MemoryStorage.of(changed.files());
  source.links = false;
  const old = await contentOf(MemoryStorage.of(before));
  const next = await contentOf(source);
  const again = (storage: MemoryStorage) => restoreIndex(source, storage, { replace: true });
  return {
    name: "restore over an index",
    stride: 2,
    before,
    run: (storage) => attempt(() => again(storage)),
    expectSound: (storage, outcome, what) =>
      expectCopied(storage, { old, next, again: () => again(storage) }, { outcome, what }),
  };
}

/**
 * An index with a rebuildable damaged file, a damaged document, and a damaged manifest of the
 * version before.
 */
async function repair(): Promise<Scenario> {
  const { before } = await recordWorkload();
  const damaged = MemoryStorage.of(before);
  damaged.flipBit("s000001.tfidf", 8 * 70);
  damaged.flipBit("s000002.phrases", 8 * 80);
  const files = damaged.files();
  const undisturbed = MemoryStorage.of(files);
  await repairIndex(undisturbed);
  const next = await contentOf(undisturbed);
  return {
    name: "repair",
    stride: 2,
    before: files,
    run: (storage) => attempt(() => repairIndex(storage)),
    async expectSound(storage, outcome, what) {
      const problems = (await checkIndex(storage)).problems.map(({ file }) => file);
      expect(outcome.error === undefined ? [[]] : [[], ["s000001.tfidf", "s000002.phrases"]], what).toContainEqual(
        problems,
      );
      const report = await repairIndex(storage);
      expect(report.repaired, what).toBe(problems.length > 0);
      expect((await checkIndex(storage)).problems, what).toEqual([]);
      expect(await contentOf(storage), what).toBe(next);
    },
  };
}

/**
 * Checks each state of a disk once per outcome: most operations only read, so disturbances at
 * neighboring ones leave the same bytes, and what a check finds follows from them.
 */
function checkedOnce(scenario: Scenario): Scenario {
  const sound = new Set<string>();
  return {
    ...scenario,
    async expectSound(storage, outcome, what) {
      if (storage.operations > 0) return scenario.expectSound(storage, outcome, what); // not a fresh start
      const state = [outcome.acknowledged, outcome.error === undefined, storage.links];
      const hash = createHash("sha256").update(state.join());
      for (const [name, bytes] of storage.files()) hash.update(`${name} ${bytes.length} `).update(bytes);
      const key = hash.digest("hex");
      if (sound.has(key)) return;
      await scenario.expectSound(storage, outcome, what);
      sound.add(key);
    },
  };
}

export async function scenarios(): Promise<Scenario[]> {
  const writes = [write("addAndDelete"), write("moveAndCompact"), write("upgrade")];
  const all = await Promise.all([...writes, snapshot(true), snapshot(false), restore(), repair()]);
  return all.map(checkedOnce);
}
