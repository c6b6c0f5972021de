/** Lists an index's documents with and without the cache. */

import { expect, it } from "vitest";
import { madeUpModel, makePrepared } from "../../../test/support/made-up.js";
import { MemoryStorage } from "../../../test/support/memory-storage.js";
import { openIndexWriter } from "../write/writer.js";
import { type StoredDocument, StoredDocumentsCache } from "./stored-documents.js";

const documents = makePrepared({ seed: 3, documents: 12 });

async function listed(storage: MemoryStorage, cache?: StoredDocumentsCache): Promise<StoredDocument[]> {
  const writer = await openIndexWriter(storage);
  storage.counts.clear();
  const list: StoredDocument[] = [];
  for await (const document of writer.documents({ cache })) list.push(document);
  const opened = storage.counts.get("open") ?? 0;
  await writer.close();
  list.push({ ...list[0]!, id: `files opened: ${opened}` });
  return list;
}

async function change(
  storage: MemoryStorage,
  work: (writer: Awaited<ReturnType<typeof openIndexWriter>>) => unknown,
): Promise<void> {
  const writer = await openIndexWriter(storage, { model: madeUpModel, segmentPassages: 1, autoCommit: false });
  await work(writer);
  await writer.commit();
  await writer.close();
}

it("lists the same documents with a cache, which reads only new segments", async () => {
  const storage = new MemoryStorage();
  const cache = new StoredDocumentsCache();
  const expectSame = async (opened: number): Promise<void> => {
    const [known, fresh] = [await listed(storage, cache), await listed(storage)];
    expect(known.slice(0, -1)).toEqual(fresh.slice(0, -1));
    expect(known.at(-1)!.id).toBe(`files opened: ${opened}`);
  };
  await change(storage, async (writer) => {
    for (const document of documents.slice(0, 6)) await writer.add(document);
  });
  await expectSame(6); // one per segment
  await expectSame(0);
  await change(storage, async (writer) => {
    writer.delete("doc-2");
    await writer.add(documents[7]!);
    await writer.move([{ from: "doc-1", to: { id: "moved", source: "elsewhere" } }]);
  });
  await expectSame(2); // for the added and for the moved document
  await change(storage, (writer) => writer.compact({ full: true }));
  await expectSame(1);
  await expectSame(0);
});

it("reads what exceeds the cache each time", async () => {
  const storage = new MemoryStorage();
  await change(storage, async (writer) => {
    for (const document of documents) await writer.add(document);
  });
  const cache = new StoredDocumentsCache(5);
  const first = await listed(storage, cache);
  const second = await listed(storage, cache);
  expect(second.slice(0, -1)).toEqual(first.slice(0, -1));
  expect([first, second].map((list) => list.at(-1)!.id)).toEqual(["files opened: 12", "files opened: 7"]);
});
