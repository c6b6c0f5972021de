/** The machine stops at every operation; what was not synced is lost, torn or mixed up. */

import { expect, it } from "vitest";
import { checkIndex } from "../../src/index/check.js";
import { Crash, MemoryStorage } from "../support/memory-storage.js";
import { expectOldOrNew, playDay, tellStory, WHOLE } from "./harness.js";

const SEEDS = WHOLE ? 40 : 3;

it("a crash at any operation leaves the old version or the new one, whole", async () => {
  const story = await tellStory();
  const undisturbed = MemoryStorage.of(story.before);
  expect(await playDay(undisturbed, story)).toEqual({ acknowledged: story.lastVersion, error: undefined });
  let found = 0;
  for (let at = 1; at <= undisturbed.operations; at++) {
    for (let seed = 0; seed < SEEDS; seed++) {
      const storage = MemoryStorage.of(story.before);
      storage.crashAt(at);
      const { acknowledged, error } = await playDay(storage, story);
      const what = `crash at operation ${at} (${storage.log.at(-1)}), seed ${at * 1000 + seed}`;
      if (error !== undefined) expect(error, what).toBeInstanceOf(Crash);
      await expectOldOrNew(storage.crash(at * 1000 + seed), story, { acknowledged, what });
      found++;
    }
  }
  console.info(
    `crash: ${found} crashes at ${undisturbed.operations} operations, versions ${story.firstVersion} to ${story.lastVersion}`,
  );
}, 600_000);

it("a crash before the first commit leaves no index, and the next run makes one", async () => {
  const story = await tellStory();
  const storage = new MemoryStorage();
  storage.crashAt(30);
  await expect(playDay(storage, story)).resolves.toMatchObject({ error: expect.any(Crash) });
  for (let seed = 0; seed < 20; seed++) {
    const after = storage.crash(seed);
    await expect(checkIndex(after)).rejects.toMatchObject({ code: "index-missing" });
    expect((await playDay(after, story)).error).toBeUndefined();
  }
});
