/**
 * `durability: "relaxed"`, without syncs. A killed process loses nothing that was committed; a
 * power cut may take commits, but the index is then an earlier version or a typed error, never a
 * mixture.
 */

import { expect, it } from "vitest";
import { VerbatimError } from "../../src/errors.js";
import { checkIndex } from "../../src/index/maintain/check.js";
import { repairIndex } from "../../src/index/maintain/repair.js";
import { madeUpModel } from "../support/made-up.js";
import { MemoryStorage } from "../support/memory-storage.js";
import { addedIn, contentOf, expectOldOrNew, recordWorkload, runWorkload, WHOLE, type Workload } from "./harness.js";

const SEEDS = Number(process.env.VERBATIM_SEEDS ?? (WHOLE ? 10 : 1));
const FIRST_SEED = Number(process.env.VERBATIM_SEED ?? 0);
const STRIDE = WHOLE ? 1 : 5;
const DAMAGE = ["corrupt-manifest", "corrupt-segment", "index-missing"];

async function operationsOf(workload: Workload): Promise<number> {
  const storage = MemoryStorage.of(workload.before);
  expect((await runWorkload(storage, workload, "relaxed")).error).toBeUndefined();
  expect([storage.counts.get("sync"), storage.counts.get("syncDirectory")]).toEqual([undefined, undefined]);
  return storage.operations;
}

it("a process killed at any operation loses nothing that was committed", async () => {
  for (const kind of ["addAndDelete", "moveAndCompact"] as const) {
    const workload = await recordWorkload(kind);
    const operations = await operationsOf(workload);
    let kills = 0;
    for (let at = 1; at <= operations; at += STRIDE, kills++) {
      const storage = MemoryStorage.of(workload.before);
      storage.crashAt(at);
      const { acknowledged } = await runWorkload(storage, workload, "relaxed");
      const what = `killed at operation ${at} of ${kind} (${storage.log.at(-1)})`;
      await expectOldOrNew(MemoryStorage.of(storage.files()), workload, { acknowledged, what }); // the operating system keeps what was written
    }
    console.info(
      `relaxed: ${kind}: a process killed at ${kills} of ${operations} operations, nothing committed was lost`,
    );
  }
}, 21_600_000);

it("a power cut leaves an earlier version, or a typed error that repair fixes", async () => {
  const counts = { cuts: 0, versions: 0, errors: 0, nothing: 0 };
  for (const kind of ["addAndDelete", "moveAndCompact"] as const) {
    const workload = await recordWorkload(kind);
    const versions = [...workload.contents.values()];
    const real = new Set([...versions.flatMap((content) => content.split("\n")), ...(await addedIn(workload))]);
    const operations = await operationsOf(workload);
    for (let at = 1; at <= operations; at += STRIDE) {
      for (let n = FIRST_SEED; n < FIRST_SEED + SEEDS; n++) {
        const seed = at * 1000 + n;
        const storage = MemoryStorage.of(workload.before);
        storage.crashAt(at);
        await runWorkload(storage, workload, "relaxed");
        const found = storage.crash(seed);
        const what = `power cut at operation ${at} of ${kind}, seed ${seed} (VERBATIM_FAULTS=whole VERBATIM_SEED=${n})`;
        counts.cuts++;
        if (await expectVersionOrDamage(found, versions, what)) counts.versions++;
        else if (await expectRepaired(found, real, what)) counts.errors++;
        else counts.nothing++;
      }
    }
  }
  console.info(`relaxed: ${JSON.stringify(counts)}`);
  expect(counts.errors).toBeGreaterThan(0); // otherwise nothing was tested
}, 21_600_000);

/**
 * Returns false if the index reports that it is damaged; fails unless it is one of the versions
 * otherwise.
 */
async function expectVersionOrDamage(
  storage: MemoryStorage,
  versions: readonly string[],
  what: string,
): Promise<boolean> {
  try {
    expect(versions, what).toContain(await contentOf(storage));
  } catch (error) {
    if (!(error instanceof VerbatimError)) throw error;
    expect(DAMAGE, what).toContain(error.code);
    return false;
  }
  const names = (await checkIndex(storage)).problems.map(({ file }) => file);
  expect(
    names.every((name) => /\.(vectors|tfidf|terms)$/.test(name)),
    `${what}: ${names}`,
  ).toBe(true); // contentOf does not read it
  return true;
}

/**
 * Checks that the repaired index is intact and has only documents that existed. @returns false if
 * nothing was left on disk
 */
async function expectRepaired(storage: MemoryStorage, real: ReadonlySet<string>, what: string): Promise<boolean> {
  try {
    await repairIndex(storage, { model: madeUpModel });
  } catch (error) {
    expect(error, what).toMatchObject({ code: "index-missing" });
    return false;
  }
  expect((await checkIndex(storage)).problems.map(String), what).toEqual([]);
  const content = await contentOf(storage);
  for (const line of content === "" ? [] : content.split("\n")) expect(real.has(line), `${what}: ${line}`).toBe(true);
  return true;
}
