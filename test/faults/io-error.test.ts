/** Every operation fails in turn: once, and permanently from then on. */

import { describe, expect, it } from "vitest";
import { VerbatimError } from "../../src/errors.js";
import { MemoryStorage } from "../support/memory-storage.js";
import { contentOf, recordWorkload, WHOLE } from "./harness.js";
import { scenarios } from "./scenarios.js";

const broken = () => new VerbatimError("io-error", "the disk does not answer");

describe.each(await scenarios())("an I/O error in: $name", (scenario) => {
  it("leaves, at any operation, the complete old or new state", async () => {
    const undisturbed = MemoryStorage.of(scenario.before);
    await scenario.run(undisturbed);
    let failures = 0;
    let reported = 0;
    for (const persistent of [false, true]) {
      for (let at = persistent ? 1 : 2; at <= undisturbed.operations; at += WHOLE ? 1 : 2 * scenario.stride) {
        const storage = MemoryStorage.of(scenario.before);
        storage.failAt({ at, error: broken, persistent });
        const outcome = await scenario.run(storage);
        const what = `operation ${at} (${storage.log[at - 1]}) fails ${persistent ? "for good" : "once"}`;
        failures++;
        if (outcome.error !== undefined) {
          reported++;
          expect(outcome.error, what).toMatchObject({ code: "io-error" });
        }
        const found = MemoryStorage.of(storage.files());
        found.links = storage.links;
        await scenario.expectSound(found, outcome, what);
        if (!persistent && WHOLE) await scenario.expectSound(storage, outcome, what); // the same process continues
      }
    }
    console.info(
      `io-error: ${scenario.name}: ${failures} failures, ${reported} reported to the caller, the others did not matter`,
    );
  }, 3_600_000);
});

it("an I/O error at any operation of a reader is reported, and a retry succeeds", async () => {
  const workload = await recordWorkload();
  const files = workload.before;
  const undisturbed = MemoryStorage.of(files);
  const expected = await contentOf(undisturbed);
  for (let at = 1; at <= undisturbed.operations; at++) {
    const storage = MemoryStorage.of(files);
    storage.failAt({ at, error: broken });
    await expect(contentOf(storage), `operation ${at}`).rejects.toMatchObject({ code: "io-error" });
    expect(await contentOf(storage)).toBe(expected);
  }
  console.info(`io-error: ${undisturbed.operations} operations of a reader, each failed once and reported`);
});

it("a source that returns too few bytes is always detected", async () => {
  const workload = await recordWorkload();
  for (const most of [1, 63, 64, 100, 500]) {
    const storage = MemoryStorage.of(workload.before);
    storage.shortReads = most;
    await expect(contentOf(storage)).rejects.toMatchObject({
      code: expect.stringMatching(/io-error|corrupt-manifest/),
    });
  }
});
