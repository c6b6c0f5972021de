/** The disk is full at every write, after any number of its bytes. */

import { expect, it } from "vitest";
import { MemoryStorage } from "../support/memory-storage.js";
import { expectOldOrNew, playDay, tellStory } from "./harness.js";

const sizeOf = (files: ReadonlyMap<string, Uint8Array>) =>
  [...files.values()].reduce((sum, bytes) => sum + bytes.length, 0);

it("a disk that fills up at any write is told as out-of-space, and the index goes on when there is room", async () => {
  const story = await tellStory();
  const start = sizeOf(story.before);
  const undisturbed = MemoryStorage.of(story.before);
  await playDay(undisturbed, story);
  let full = 0;
  let enough = false;
  for (let room = 0; !enough; room += 97) {
    const storage = MemoryStorage.of(story.before);
    storage.capacity = start + room;
    const { acknowledged, error } = await playDay(storage, story);
    enough = error === undefined;
    if (!enough) {
      full++;
      expect(error, `${room} bytes left`).toMatchObject({ code: "out-of-space" });
    }
    storage.capacity = Number.POSITIVE_INFINITY;
    await expectOldOrNew(storage, story, { acknowledged, what: `${room} bytes left` });
  }
  expect(full).toBeGreaterThan(50);
  console.info(`disk-full: ${full} times at other bytes`);
}, 600_000);
