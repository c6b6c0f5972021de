/**
 * Merging postings of millions of short lists must not block the thread: the work between two
 * pauses is bounded. merge.test.ts checks the result.
 */

import { expect, it } from "vitest";
import { MemoryStorage } from "../../../test/support/memory-storage.js";
import { openContainer } from "../format/container.js";
import { ContainerWriter } from "../format/container-writer.js";
import { KeyedPostings, writePostings } from "../segment/keyed-postings.js";
import { PostingsBuilder } from "../segment/postings-builder.js";
import { mergePostings } from "./merge-postings.js";

const options = { component: "terms" as const, passageModelHash: "ab".repeat(32) };
const LISTS = 9000;
/** The maximum lists of a group (docs/index-format.md §8). */
const MAX_BETWEEN = 512;

const create = (storage: MemoryStorage) => ContainerWriter.create(storage, "s000001.terms", options);

async function read(storage: MemoryStorage, writer: ContainerWriter, units: number): Promise<KeyedPostings> {
  return new KeyedPostings(await openContainer(storage, await writer.finish(), options), "", units);
}

/** One unit with every second key. */
async function made(first: number): Promise<KeyedPostings> {
  const builder = new PostingsBuilder();
  for (let n = 0; n < LISTS; n++) builder.add(first + 2 * n, 1);
  builder.endUnit();
  const storage = new MemoryStorage();
  const writer = await create(storage);
  await writePostings(writer, "", builder);
  return read(storage, writer, 1);
}

it("pauses after at most 512 lists of a source, and merges all of them", async () => {
  const sources = [await made(0), await made(1)];
  const since = [0, 0];
  let most = 0;
  const counted = sources.map((lists, source) => ({
    units: Int32Array.of(source),
    lists: {
      async *all(signal?: AbortSignal) {
        for await (const some of lists.all(signal)) {
          since[source]! += some.length;
          most = Math.max(most, since[source]!);
          yield some;
        }
      },
    },
  }));
  const storage = new MemoryStorage();
  const writer = await create(storage);
  let waited = 0;
  await mergePostings(writer, "", {
    sources: counted,
    pause: () => {
      since.fill(0);
      return waited++ % 3 === 0 ? new Promise((resolve) => setTimeout(resolve, 0)) : undefined;
    },
  });
  expect(most).toBeLessThanOrEqual(MAX_BETWEEN);
  expect(waited).toBeGreaterThanOrEqual((2 * LISTS) / MAX_BETWEEN);
  const merged: Array<[key: number, unit: number]> = [];
  for await (const lists of (await read(storage, writer, 2)).all())
    for (const { key, postings } of lists) merged.push([key, postings.units[0]!]);
  expect(merged).toEqual(Array.from({ length: 2 * LISTS }, (_, key) => [key, key % 2]));
});
