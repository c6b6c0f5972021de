/**
 * Background work on a published site: spans are searched alongside sentences, and storing files
 * for offline use waits.
 */

import { expect, it, vi } from "vitest";
import { openSite, type PhraseWorker } from "../../adapters/browser/site.js";
import { MemoryCaches } from "./memory-caches.js";
import { setup, withHost } from "./published-samples.js";

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });
/** The default is one second, which a busy machine may need for anything. */
const patience = { timeout: 60_000 };

/** A phrase worker that is ready at once and answers when the test calls `answer`. */
class FakeWorker {
  readonly asked: { id: number; question: string }[] = [];
  ended = false;
  readonly #listeners = new Map<string, (event: never) => void>();
  postMessage({ id, method, params }: { id: number; method: string; params: { question: string } }): void {
    if (method === "open") queueMicrotask(() => this.emit("message", { data: { rpc: "result", id } }));
    if (method === "ask") this.asked.push({ id, question: params.question });
  }
  addEventListener(type: string, listener: (event: never) => void): void {
    this.#listeners.set(type, listener);
  }
  terminate(): void {
    this.ended = true;
  }
  emit(type: string, event: object): void {
    this.#listeners.get(type)!(event as never);
  }
  answer(): void {
    const { id, question } = this.asked.at(-1)!;
    const result = { question, kind: "spans", strategy: "hybrid", answers: [], passages: [], steps: {}, tookMs: 1 };
    this.emit("message", { data: { rpc: "result", id, result } });
  }
}

it("spans are searched alongside the sentences, once the model is loaded", async () => {
  const { site: folder, publish } = await setup(["history.md"]);
  await publish();
  await withHost(folder, {}, async (host) => {
    const worker = new FakeWorker();
    const site = await openSite(host.url, { caches: null, startWorker: () => worker as unknown as PhraseWorker });
    const first = site.ask("who founded the observatory?");
    expect((await first.next()).value).toMatchObject({ kind: "sentences" });
    expect(worker.asked).toEqual([]);
    const spans = first.next();
    await vi.waitFor(() => expect(worker.asked).toHaveLength(1), patience);
    worker.answer();
    expect((await spans).value).toMatchObject({ kind: "spans" });
    const second = site.ask("who built the bridge?");
    const sentences = second.next();
    // in its first step; the second was not requested yet
    await vi.waitFor(() => expect(worker.asked).toHaveLength(2), { ...patience, interval: 1 });
    expect(worker.asked.map(({ question }) => question)).toEqual([
      "who founded the observatory?",
      "who built the bridge?",
    ]);
    worker.answer(); // before the sentences, which still come first
    expect((await sentences).value).toMatchObject({ kind: "sentences" });
    expect((await second.next()).value).toMatchObject({ kind: "spans" });
    site.close();
    expect(worker.ended).toBe(true);
  });
});

it("another phrase worker is started after one has failed", async () => {
  const { site: folder, publish } = await setup(["history.md"]);
  await publish();
  await withHost(folder, {}, async (host) => {
    const workers: FakeWorker[] = [];
    const startWorker = (): PhraseWorker => {
      workers.push(new FakeWorker());
      return workers.at(-1) as unknown as PhraseWorker;
    };
    const site = await openSite(host.url, { caches: null, startWorker });
    const first = site.ask("who founded the observatory?");
    await first.next();
    const spans = first.next();
    await vi.waitFor(() => expect(workers[0]!.asked).toHaveLength(1), patience);
    workers[0]!.emit("error", { message: "out of memory" });
    await expect(spans).rejects.toMatchObject({ code: "internal", message: expect.stringContaining("out of memory") });
    expect(workers[0]!.ended).toBe(true);
    const second = site.ask("who founded the observatory?");
    await second.next();
    const answers = second.next();
    await vi.waitFor(() => expect(workers[1]!.asked).toHaveLength(1), patience);
    workers[1]!.answer();
    expect((await answers).value).toMatchObject({ kind: "spans" });
    site.close();
  });
});

it("only stored files are looked up in the cache, and others are stored while no question is being answered", async () => {
  const { site: folder, publish } = await setup(["history.md"]);
  await publish({ level: "terms" });
  await withHost(folder, {}, async (host) => {
    const caches = new MemoryCaches();
    const site = await openSite(host.url, { caches });
    expect(caches.looks).toBe(0);
    const asking = site.ask("who founded the observatory?");
    await asking.next();
    const keeping = site.keepOffline();
    expect(site.keepOffline()).toBe(keeping);
    let isKept = false;
    void keeping.then(() => (isKept = true));
    await new Promise((done) => setTimeout(done, 200)); // long enough to store a site of one small document
    expect(isKept).toBe(false);
    await asking.next();
    expect(await keeping).toBe(true);
    const { length } = host.asked;
    expect(await site.keepOffline()).toBe(true);
    expect(host.asked.length).toBe(length);
    const manifest = await (await fetch(new URL("manifest.json", host.url))).arrayBuffer();
    await host.stop();
    const again = await openSite(host.url, { caches, fetch: onlyManifest(manifest) });
    const found = await again.ask("who founded the observatory?").next();
    expect(found.value).toMatchObject({ kind: "sentences" });
    expect(caches.looks).toBeGreaterThan(0);
  });
});

/**
 * The manifest comes from the service worker, as in a browser; everything else must be in the
 * cache.
 */
function onlyManifest(bytes: ArrayBuffer) {
  return async (url: string): Promise<Response> => {
    if (!url.endsWith("manifest.json")) throw new TypeError("Failed to fetch");
    return new Response(bytes.slice(0));
  };
}
