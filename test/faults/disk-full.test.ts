/** The disk is full at every write, after any number of its bytes. */

import { describe, expect, it } from "vitest";
import { MemoryStorage } from "../support/memory-storage.js";
import { WHOLE } from "./harness.js";
import { scenarios } from "./scenarios.js";

const sizeOf = (files: ReadonlyMap<string, Uint8Array>) =>
  [...files.values()].reduce((sum, bytes) => sum + bytes.length, 0);

describe.each(await scenarios())("a disk that fills up in: $name", (scenario) => {
  it("is reported as out-of-space, loses nothing, and work continues when there is space", async () => {
    const start = sizeOf(scenario.before);
    let full = 0;
    let enough = false;
    for (let room = 0; !enough; room += WHOLE ? 97 : 199 * scenario.stride) {
      const storage = MemoryStorage.of(scenario.before);
      storage.capacity = start + room;
      const outcome = await scenario.run(storage);
      const what = `${room} bytes left`;
      enough = outcome.error === undefined;
      if (!enough) {
        full++;
        expect(outcome.error, what).toMatchObject({ code: "out-of-space" });
      }
      storage.capacity = Number.POSITIVE_INFINITY;
      await scenario.expectSound(storage, outcome, what);
    }
    expect(full).toBeGreaterThan(0);
    console.info(`disk-full: ${scenario.name}: ${full} times at other bytes`);
  }, 3_600_000);
});
