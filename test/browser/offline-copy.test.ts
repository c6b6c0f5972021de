/** Which blobs a site keeps in the browser's cache, when it is large and when it is published again. */

import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { openSite, type Site } from "../../adapters/browser/site.js";
import { SiteBlobs } from "../../adapters/browser/site-blobs.js";
import { fileBlobs } from "../../adapters/browser/site-storage.js";
import type { WebFetch } from "../../adapters/browser/web.js";
import { indexPaths } from "../../adapters/node/index.js";
import type { SiteManifest } from "../../src/publish/site-manifest.js";
import { projectRoot, tinyModel } from "../cli/run-cli.js";
import { MemoryCaches } from "./memory-caches.js";
import { type Setup, setup, withHost } from "./published-samples.js";

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

/** A blob that no version of the site has. */
const OTHER = "0123456789abcdef";
const QUESTION = "who founded the observatory?";

/** Names of the blobs in the cache. */
const blobsIn = ({ kept }: MemoryCaches): string[] =>
  [...kept.keys()].flatMap((url) => /data\/(\w+)\.bin$/.exec(url)?.[1] ?? []);

const cacheOther = (caches: MemoryCaches, site: string): void => {
  caches.kept.set(new URL(`data/${OTHER}.bin`, site).href, new ArrayBuffer(1));
};

/** Without a worker: what it would cache is put into the cache by the tests. */
const open = (url: string, caches: MemoryCaches): Promise<Site> => openSite(url, { caches, startWorker: null });

async function ask(site: Site): Promise<string[]> {
  const texts: string[] = [];
  for await (const { answers } of site.ask(QUESTION)) texts.push(...answers.map(({ text }) => text));
  return texts;
}

/** Caches the file table and the first blob of the model, as the worker does. */
async function cacheModel(url: string, caches: MemoryCaches, { files }: SiteManifest): Promise<string[]> {
  const blobs = new SiteBlobs({ base: new URL(url), caches });
  const [, chunk] = await fileBlobs(blobs, files!);
  await blobs.blob(chunk!);
  return [files!, chunk!];
}

/** Publishes the site again, with another document. */
async function publishMore({ folder, index, publish }: Setup): Promise<void> {
  await copyFile(join(projectRoot, "samples", "plum-jam.txt"), join(folder, "notes", "plum-jam.txt"));
  await indexPaths([join(folder, "notes", "plum-jam.txt")], { index, modelFolder: tinyModel, threads: 1 });
  await publish();
}

/** A visit without a network: the service worker returns the manifest of the complete version. */
const offline =
  ({ kept }: MemoryCaches): WebFetch =>
  async (url) => {
    const manifest = kept.get(`${url}?complete`);
    if (manifest === undefined) throw new TypeError("Failed to fetch");
    return new Response(manifest.slice(0));
  };

/** The first version with its offline copy, and its answers. */
async function openKept(url: string) {
  const caches = new MemoryCaches();
  const first = await open(url, caches);
  const answers = await ask(first);
  expect(await first.keepOffline()).toBe(true);
  return { caches, first, answers };
}

/** An offline visit opens this version, and answers as it did. */
async function expectOffline(url: string, { caches, first, answers }: Awaited<ReturnType<typeof openKept>>) {
  const visit = await openSite(url, { caches, startWorker: null, fetch: offline(caches) });
  expect(visit.manifest).toEqual(first.manifest);
  expect(await ask(visit)).toEqual(answers);
}

it("a site that is too large for offline use keeps its model, and drops blobs of other versions", async () => {
  const { site: folder, publish } = await setup(["history.md"]);
  await publish();
  await withHost(folder, {}, async ({ url }) => {
    for (const maxBytes of [0, "terms"] as const) {
      const caches = new MemoryCaches();
      const site = await open(url, caches);
      const model = await cacheModel(url, caches, site.manifest);
      cacheOther(caches, url);
      expect(await site.keepOffline({ maxBytes: maxBytes === 0 ? 0 : site.manifest.bytes.terms })).toBe(true);
      expect(blobsIn(caches)).toEqual(expect.arrayContaining(model));
      expect(blobsIn(caches)).not.toContain(OTHER);
    }
  });
});

it("blobs of other versions are dropped after the first question, also if nothing is kept for offline use", async () => {
  const { site: folder, publish } = await setup(["history.md"]);
  await publish();
  await withHost(folder, {}, async (host) => {
    const caches = new MemoryCaches();
    const site = await open(host.url, caches);
    const model = await cacheModel(host.url, caches, site.manifest);
    cacheOther(caches, host.url);
    await ask(site);
    await vi.waitFor(() => expect(blobsIn(caches)).not.toContain(OTHER), { timeout: 60_000 });
    expect(blobsIn(caches)).toEqual(expect.arrayContaining([site.manifest.start, ...model]));
  });
});

it("a complete offline copy is used until that of a new version is complete", async () => {
  const made = await setup(["history.md"]);
  await made.publish();
  await withHost(made.site, {}, async (host) => {
    const kept = await openKept(host.url);
    const { caches, first } = kept;

    await publishMore(made);
    const second = await open(host.url, caches);
    expect(second.manifest.start).not.toBe(first.manifest.start);
    await ask(second);
    cacheOther(caches, host.url);
    await ask(await open(host.url, caches));
    await vi.waitFor(() => expect(blobsIn(caches)).not.toContain(OTHER), { timeout: 60_000 }); // others were dropped
    await expectOffline(host.url, kept);

    // false while the offline visit drops what it does not need
    await expect.poll(() => second.keepOffline(), { timeout: 60_000 }).toBe(true);
    expect(blobsIn(caches)).not.toContain(first.manifest.start);
    const later = await openSite(host.url, { caches, startWorker: null, fetch: offline(caches) });
    expect(later.manifest).toEqual(second.manifest);
    expect(await later.documents()).toHaveLength(2);
  });
});

it("a complete offline copy stays if a new version is too large for offline use", async () => {
  const made = await setup(["history.md"]);
  await made.publish();
  await withHost(made.site, {}, async (host) => {
    const kept = await openKept(host.url);
    await publishMore(made);
    expect(await (await open(host.url, kept.caches)).keepOffline({ maxBytes: 1 })).toBe(true);
    await expectOffline(host.url, kept);
  });
});

it("nothing is dropped while something could not be cached", async () => {
  const made = await setup(["history.md"]);
  await made.publish();
  await withHost(made.site, {}, async (host) => {
    const caches = new MemoryCaches();
    const first = await open(host.url, caches);
    expect(await first.keepOffline()).toBe(true);
    const before = blobsIn(caches);
    await publishMore(made);
    const second = await open(host.url, caches);
    host.options = { ...host.options, path: "/gone/" };
    expect(await second.keepOffline()).toBe(false);
    expect(blobsIn(caches)).toEqual(expect.arrayContaining(before));
    host.options = { ...host.options, path: "/" };
    expect(await second.keepOffline()).toBe(true);
  });
});
