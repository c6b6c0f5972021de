/** The machine stops at every operation; unsynced writes are lost, torn or reordered. */

import { describe, expect, it } from "vitest";
import { checkIndex } from "../../src/index/maintain/check.js";
import { Crash, MemoryStorage } from "../support/memory-storage.js";
import { recordWorkload, runWorkload, WHOLE } from "./harness.js";
import { scenarios } from "./scenarios.js";

/** Random losses tried per operation. VERBATIM_SEED (the first) splits a long run into ranges. */
const SEEDS = Number(process.env.VERBATIM_SEEDS ?? (WHOLE ? 3 : 1));
const FIRST_SEED = Number(process.env.VERBATIM_SEED ?? 0);

describe.each(await scenarios())("a crash in: $name", (scenario) => {
  it("leaves, at any operation, the complete old or new state", async () => {
    const undisturbed = MemoryStorage.of(scenario.before);
    expect((await scenario.run(undisturbed)).error).toBeUndefined();
    let found = 0;
    for (let at = 1; at <= undisturbed.operations; at += WHOLE ? 1 : scenario.stride) {
      for (let n = FIRST_SEED; n < FIRST_SEED + SEEDS; n++) {
        const seed = at * 1000 + n;
        const storage = MemoryStorage.of(scenario.before);
        storage.crashAt(at);
        const outcome = await scenario.run(storage);
        const what = `crash at operation ${at} (${storage.log.at(-1)}), seed ${seed} (VERBATIM_FAULTS=whole VERBATIM_SEED=${n})`;
        if (outcome.error !== undefined) expect(outcome.error, what).toBeInstanceOf(Crash);
        await scenario.expectSound(storage.crash(seed), outcome, what);
        found++;
      }
    }
    const stride = WHOLE ? "each" : `one in ${scenario.stride}`;
    console.info(
      `crash: ${scenario.name}: ${found} crashes, ${SEEDS} at ${stride} of ${undisturbed.operations} operations, old or new state after all`,
    );
  }, 21_600_000);
});

it("a crash before the first commit leaves no index, and the next run makes one", async () => {
  const workload = await recordWorkload();
  const storage = new MemoryStorage();
  storage.crashAt(30);
  await expect(runWorkload(storage, workload)).resolves.toMatchObject({ error: expect.any(Crash) });
  for (let seed = 0; seed < 20; seed++) {
    const after = storage.crash(seed);
    await expect(checkIndex(after)).rejects.toMatchObject({ code: "index-missing" });
    expect((await runWorkload(after, workload)).error).toBeUndefined();
  }
});
