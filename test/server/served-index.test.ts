/** The index and its documents open together, and once. */

import { expect, it, vi } from "vitest";
import type { AnswerThreads } from "../../adapters/server/answering/answer-threads.js";
import type { NewestVersion } from "../../adapters/server/answering/answering-service.js";
import { PathRedactor } from "../../adapters/server/http/path-redactor.js";
import { ServedIndex } from "../../adapters/server/served-index.js";
import { openWriter } from "../../src/api/writer.js";
import { textDocument } from "../support/ask.js";
import { MemoryStorage } from "../support/memory-storage.js";
import { TinyEncoder } from "../support/tiny-encoder.js";

it("lists documents from the moment on that it is open", async () => {
  const documents = [textDocument("a", "The mill was sold by Karl Voss.")];
  const storage = new MemoryStorage();
  const encoder = new TinyEncoder(documents.map(({ text }) => text));
  const index = ServedIndex.ofStorage({ storage, encoder, redactor: new PathRedactor([]) });
  expect(await index.refresh()).toBe(0);
  const writer = await openWriter({ storage, encoder });
  await writer.add(documents);
  await writer.commit();
  await writer.close();
  let refreshed = false;
  const refreshing = index.refresh().finally(() => {
    refreshed = true;
  });
  let looks = 0;
  while (!refreshed) {
    if (index.isOpen) expect(await index.documents.list({ limit: 10 })).toMatchObject({ total: 1 });
    looks++;
    // between any two steps of the opening
    await (looks % 50 === 0 ? new Promise((done) => setImmediate(done)) : Promise.resolve());
  }
  expect(looks).toBeGreaterThan(10);
  expect(await refreshing).toBe(1);
  await index.close();
});

/** Counts how often each file is opened. */
class CountingStorage extends MemoryStorage {
  readonly opened = new Map<string, number>();
  override open(name: string): ReturnType<MemoryStorage["open"]> {
    this.opened.set(name, (this.opened.get(name) ?? 0) + 1);
    return super.open(name);
  }
}

it("opens every file once where threads answer, and after a commit only what is new", async () => {
  const documents = [textDocument("a", "The mill was sold by Karl Voss."), textDocument("b", "The pump stopped.")];
  const storage = new CountingStorage();
  const encoder = new TinyEncoder(documents.map(({ text }) => text));
  const versions: number[] = [];
  const threads = {
    refresh: async ({ atLeastVersion }: NewestVersion) => void versions.push(atLeastVersion),
    ask: async (question: string) => ({ question }),
    close: async () => {},
  };
  const add = async (document: (typeof documents)[number]): Promise<void> => {
    const writer = await openWriter({ storage, encoder, autoMerge: false });
    await writer.add([document]);
    await writer.commit();
    await writer.close();
    storage.opened.clear();
  };
  const answering = threads as unknown as AnswerThreads;
  const index = ServedIndex.ofStorage({ storage, encoder, threads: answering, redactor: new PathRedactor([]) });
  expect(await index.refresh()).toBe(0);
  await add(documents[0]!);
  expect(await index.refresh()).toBe(1);
  const isOfSegment = (name: string): boolean => name.startsWith("s0");
  const first = [...storage.opened].filter(([name]) => isOfSegment(name));
  expect(first.length).toBeGreaterThan(5);
  expect(first.map(([, times]) => times)).toEqual(first.map(() => 1));
  await add(documents[1]!);
  expect(await index.refresh()).toBe(2);
  const second = [...storage.opened].filter(([name]) => isOfSegment(name));
  expect(second.length).toBe(first.length);
  expect(second.filter(([name]) => first.some(([before]) => before === name))).toEqual([]);
  expect(versions).toEqual([1, 2]);
  expect(index.info).toMatchObject({ version: 2, documents: 2 });
  expect(await index.documents.list({ limit: 10 })).toMatchObject({ total: 2 });
  expect(await index.requireOpen().ask("who?")).toEqual({ question: "who?" });
  await index.close();
});

it("reads documents of the version that answers, until the threads have the next one", async () => {
  const storage = new MemoryStorage();
  const [old, changed] = [textDocument("a", "The mill was sold."), textDocument("a", "The pump stopped.")];
  const encoder = new TinyEncoder([old.text, changed.text]);
  const write = async (document: typeof old): Promise<void> => {
    const writer = await openWriter({ storage, encoder });
    await writer.add([document]);
    await writer.commit();
    await writer.close();
  };
  await write(old);
  let release = (): void => {};
  const refresh = vi.fn(async () => {});
  const threads = { refresh, close: async () => {} } as unknown as AnswerThreads;
  const index = ServedIndex.ofStorage({ storage, encoder, redactor: new PathRedactor([]), threads });
  await index.refresh();
  await write(changed);
  refresh.mockImplementationOnce(() => new Promise<void>((done) => (release = done)));
  const refreshing = index.refresh();
  await vi.waitFor(() => expect(refresh).toHaveBeenCalledTimes(2));
  expect([index.requireOpen().version, await index.documents.text("a", 0, 100)]).toEqual([1, old.text]);
  release();
  await refreshing;
  expect([index.requireOpen().version, await index.documents.text("a", 0, 100)]).toEqual([2, changed.text]);
  await write(old);
  refresh.mockImplementationOnce(() => Promise.reject(new Error("a thread ended")));
  await expect(index.refresh()).rejects.toThrow("a thread ended");
  expect([index.requireOpen().version, await index.documents.text("a", 0, 100)]).toEqual([2, changed.text]);
  await index.close();
});

it("notices an index that was deleted and made again with the same version number", async () => {
  const [old, other] = [textDocument("old", "The mill was sold."), textDocument("other", "The pump stopped.")];
  const storage = new MemoryStorage();
  const encoder = new TinyEncoder([old.text, other.text]);
  const make = async (document: typeof old): Promise<void> => {
    for (const name of await storage.list()) await storage.remove(name);
    const writer = await openWriter({ storage, encoder });
    await writer.add([document]);
    await writer.commit();
    await writer.close();
  };
  await make(old);
  const refreshed = vi.fn(async () => {});
  const threads = { refresh: refreshed, close: async () => {} } as unknown as AnswerThreads;
  const redactor = new PathRedactor([]);
  const handles = [
    ServedIndex.ofStorage({ storage, encoder, redactor }),
    ServedIndex.ofStorage({ storage, encoder, redactor, threads }),
  ];
  const [here] = handles;
  for (const handle of handles) expect(await handle.refresh()).toBe(1);
  expect(here!.info).toMatchObject({ version: 1, bytes: expect.any(Number) });
  const before = here!.info!;
  await make(other);
  for (const handle of handles) {
    expect(await handle.refresh()).toBe(1);
    expect(await handle.documents.ids()).toEqual(["other"]);
    await handle.refresh(); // nothing is new
  }
  expect(refreshed).toHaveBeenCalledTimes(2);
  expect(here!.info).not.toBe(before);
  const { answers } = await here!.requireOpen().ask("who sold the pump?", { minConfidence: 0 });
  expect(answers.map(({ documentId }) => documentId)).toContain("other");
  for (const handle of handles) await handle.close();
});
