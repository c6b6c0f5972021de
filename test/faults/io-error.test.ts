/** Every operation fails, one after the other: once, and from then on for good. */

import { expect, it } from "vitest";
import { VerbatimError } from "../../src/errors.js";
import { MemoryStorage } from "../support/memory-storage.js";
import { contentOf, expectOldOrNew, playDay, tellStory } from "./harness.js";

const broken = () => new VerbatimError("io-error", "the disk does not answer");

it("an I/O error at any operation of a writer leaves the old version or the new one, whole", async () => {
  const story = await tellStory();
  const undisturbed = MemoryStorage.of(story.before);
  await playDay(undisturbed, story);
  let told = 0;
  for (const persistent of [false, true]) {
    for (let at = 1; at <= undisturbed.operations; at++) {
      const storage = MemoryStorage.of(story.before);
      storage.failAt({ at, error: broken, persistent });
      const { acknowledged, error } = await playDay(storage, story);
      const what = `operation ${at} (${storage.log[at - 1]}) fails ${persistent ? "for good" : "once"}`;
      if (error !== undefined) {
        told++;
        expect(error, what).toMatchObject({ code: "io-error" });
      }
      await expectOldOrNew(MemoryStorage.of(storage.files()), story, { acknowledged, what });
      if (!persistent) await expectOldOrNew(storage, story, { acknowledged, what }); // the same process goes on
    }
  }
  console.info(
    `io-error: ${2 * undisturbed.operations} failures, ${told} told to the caller, the others did not matter`,
  );
}, 600_000);

it("an I/O error at any operation of a reader is told, and the next try succeeds", async () => {
  const story = await tellStory();
  const files = story.before;
  const undisturbed = MemoryStorage.of(files);
  const expected = await contentOf(undisturbed);
  for (let at = 1; at <= undisturbed.operations; at++) {
    const storage = MemoryStorage.of(files);
    storage.failAt({ at, error: broken });
    await expect(contentOf(storage), `operation ${at}`).rejects.toMatchObject({ code: "io-error" });
    expect(await contentOf(storage)).toBe(expected);
  }
});

it("a source that gives fewer bytes than were asked for is never believed", async () => {
  const story = await tellStory();
  for (const most of [1, 63, 64, 100, 500]) {
    const storage = MemoryStorage.of(story.before);
    storage.shortReads = most;
    await expect(contentOf(storage)).rejects.toMatchObject({
      code: expect.stringMatching(/io-error|corrupt-manifest/),
    });
  }
});
