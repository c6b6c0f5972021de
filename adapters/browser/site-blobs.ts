/**
 * The blobs of a published site by name, from memory, the browser's cache or the network. Every
 * blob is verified; a damaged one is fetched once more, bypassing all caches, before that is an error.
 */

import { hasCode, throwIfAborted, VerbatimError } from "../../src/errors.js";
import { blobName } from "../../src/publish/blob.js";
import { decodeSiteManifest, SITE_MANIFEST, type SiteManifest } from "../../src/publish/site-manifest.js";
import { Lru } from "../../src/search/lru.js";
import {
  type CacheMode,
  COMPLETE_MANIFEST,
  cacheName,
  type FetchPriority,
  type WebCache,
  type WebCaches,
  type WebFetch,
  webCaches,
  webFetch,
} from "./web.js";

/** Room for the postings and texts of recent questions; larger blobs are used once. */
const MEMORY_BYTES = 16 * 1024 * 1024;
const LARGEST_IN_MEMORY = 512 * 1024;

/** @returns whether these bytes were published under the name */
type Verify = (bytes: Uint8Array) => boolean;

interface SiteBlobsOptions {
  /** Address of the site's folder; ends in "/". */
  base: URL;
  /** Default: the global one. */
  fetch?: WebFetch;
  /** Default: the browser's; null: none. */
  caches?: WebCaches | null;
  /** Priority of every request. Default "auto". */
  priority?: FetchPriority;
}

export class SiteBlobs {
  readonly base: URL;
  readonly #fetch: WebFetch;
  readonly #cache: Promise<WebCache | undefined>;
  readonly #memory = new Lru<string, Uint8Array>(MEMORY_BYTES, (bytes) => bytes.length);
  readonly #underWay = new Map<string, Promise<Uint8Array>>();
  readonly #priority: FetchPriority;
  /** Bytes of the manifest, as they were read last. */
  #manifest: Uint8Array | undefined;
  /**
   * Names known to be in the browser's cache: looking a blob up there takes as long as a request.
   */
  #inCache: Promise<Set<string>> | undefined;

  constructor(options: SiteBlobsOptions) {
    this.base = options.base;
    this.#fetch = options.fetch ?? webFetch;
    this.#priority = options.priority ?? "auto";
    const caches = options.caches === null ? undefined : (options.caches ?? webCaches());
    // answering works without a cache, should it be full or forbidden
    this.#cache = caches?.open(cacheName(options.base)).catch(() => undefined) ?? Promise.resolve(undefined);
  }

  url(name: string): string {
    return new URL(`data/${name}.bin`, this.base).href;
  }

  /** @throws VerbatimError `corrupt-manifest`, `unsupported-format`, `io-error` */
  async manifest(): Promise<SiteManifest> {
    const url = new URL(SITE_MANIFEST, this.base).href;
    const read = async (cache: CacheMode): Promise<SiteManifest> => {
      this.#manifest = await this.#get(url, cache);
      return decodeSiteManifest(new TextDecoder().decode(this.#manifest), url);
    };
    try {
      return await read("no-cache");
    } catch (error) {
      if (hasCode(error, "corrupt-manifest")) return read("reload");
      throw error;
    }
  }

  /**
   * The bytes of a blob. Concurrent callers share one request; a signal ends the waiting, not the
   * request.
   * @param options.verify  default: the name is the hash of the bytes
   * @throws VerbatimError `io-error` (unreachable), `corrupt-segment` (damaged twice), `aborted`
   */
  async blob(name: string, options: { verify?: Verify; signal?: AbortSignal } = {}): Promise<Uint8Array> {
    throwIfAborted(options.signal);
    const known = this.#memory.get(name);
    if (known !== undefined) return known;
    let loading = this.#underWay.get(name);
    if (loading === undefined) {
      loading = this.#load(name, options.verify ?? ((bytes) => blobName(bytes) === name)).finally(() =>
        this.#underWay.delete(name),
      );
      this.#underWay.set(name, loading);
    }
    const bytes = await loading;
    throwIfAborted(options.signal);
    return bytes;
  }

  /** The blob as an earlier visit cached it, not verified. */
  async cached(name: string): Promise<Uint8Array | undefined> {
    this.#inCache ??= this.kept();
    return (await this.#inCache).has(name) ? this.#fromCache(name) : undefined;
  }

  async #fromCache(name: string): Promise<Uint8Array | undefined> {
    const response = await (await this.#cache)?.match(this.url(name)).catch(() => undefined);
    return response && new Uint8Array(await response.arrayBuffer());
  }

  /**
   * Requests bytes [from, to) of a blob. A host without Range support returns the whole blob; the
   * caller checks which it is.
   * @returns undefined when neither arrived
   */
  async range(name: string, from: number, to: number): Promise<Uint8Array | undefined> {
    try {
      const response = await this.#fetch(this.url(name), {
        priority: this.#priority,
        headers: { Range: `bytes=${from}-${to - 1}` },
      });
      return response.status === 206 || response.status === 200
        ? new Uint8Array(await response.arrayBuffer())
        : undefined;
    } catch {
      return undefined; // a range of a compressed response cannot be decoded; a lost network is reported by the next request
    }
  }

  /** Names of the blobs that are cached for offline visits. */
  async kept(): Promise<Set<string>> {
    const keys = (await (await this.#cache)?.keys()) ?? [];
    const names = keys.flatMap(({ url }) => /([0-9a-f]{16})\.bin$/.exec(url)?.[1] ?? []);
    this.#inCache = Promise.resolve(new Set(names)); // a worker may have cached more meanwhile
    return new Set(names);
  }

  /**
   * Fetches and caches a blob without verifying it: that happens when it is read from the cache.
   * @returns false when it could not be fetched
   */
  async keep(name: string): Promise<boolean> {
    const cache = await this.#cache;
    if (cache === undefined) return false;
    try {
      const response = await this.#fetch(this.url(name), { priority: "low" });
      if (!response.ok) return false;
      await this.#putInCache(name, await response.arrayBuffer());
      return true;
    } catch {
      return false;
    }
  }

  /** Drops blobs from the cache. */
  async drop(names: Iterable<string>): Promise<void> {
    const cache = await this.#cache;
    for (const name of names) {
      (await this.#inCache)?.delete(name);
      await cache?.delete(this.url(name));
    }
  }

  /** Makes offline visits use the version whose manifest was read: the cache has what it needs. */
  async commit(): Promise<void> {
    if (this.#manifest === undefined) return;
    await (await this.#cache)?.put(this.#completeUrl, new Response(this.#manifest.slice().buffer));
  }

  /** The manifest of the version that offline visits use; undefined if there is none. */
  async committed(): Promise<SiteManifest | undefined> {
    const response = await (await this.#cache)?.match(this.#completeUrl);
    try {
      return response && decodeSiteManifest(await response.text(), this.#completeUrl);
    } catch {
      return undefined; // damaged, or of another version of the format
    }
  }

  get #completeUrl(): string {
    return new URL(COMPLETE_MANIFEST, this.base).href;
  }

  async #load(name: string, verify: Verify): Promise<Uint8Array> {
    let bytes = await this.cached(name);
    if (bytes === undefined || !verify(bytes)) {
      bytes = await this.#fetchVerified(name, verify).catch(async (error: unknown) => {
        const kept = await this.#fromCache(name); // another tab, or this worker's page, may have cached it meanwhile
        if (kept !== undefined && verify(kept)) return kept;
        throw error;
      });
      this.#putInCache(name, bytes.slice().buffer).catch(() => {}); // the answer does not depend on it
    }
    if (bytes.length <= LARGEST_IN_MEMORY) this.#memory.set(name, bytes);
    return bytes;
  }

  async #putInCache(name: string, bytes: ArrayBuffer): Promise<void> {
    await (await this.#cache)?.put(this.url(name), new Response(bytes));
    (await this.#inCache)?.add(name);
  }

  async #fetchVerified(name: string, verify: Verify): Promise<Uint8Array> {
    const url = this.url(name);
    for (const cache of ["default", "reload"] as const) {
      const bytes = await this.#get(url, cache, cache === "default");
      if (bytes !== undefined && verify(bytes)) return bytes;
    }
    throw new VerbatimError("corrupt-segment", `${url} is damaged: its bytes are not the published ones.`, {
      where: url,
      hint: "Ask again later. If the error persists, publish the index again.",
    });
  }

  async #get(url: string, cache: CacheMode): Promise<Uint8Array>;
  async #get(url: string, cache: CacheMode, mayBreak: boolean): Promise<Uint8Array | undefined>;
  /** @param mayBreak  a truncated response is undefined, not an error */
  async #get(url: string, cache: CacheMode, mayBreak = false): Promise<Uint8Array | undefined> {
    let response: Response;
    try {
      response = await this.#fetch(url, { cache, priority: this.#priority });
    } catch (cause) {
      const hint = "Check the connection, then ask again.";
      throw new VerbatimError("io-error", `${url} cannot be reached.`, { cause, where: url, hint });
    }
    if (!response.ok) {
      const hint =
        response.status === 404 ? "The site may have been published again: reload the page." : "Ask again later.";
      throw new VerbatimError("io-error", `${url} was refused with status ${response.status}.`, { where: url, hint });
    }
    try {
      return new Uint8Array(await response.arrayBuffer());
    } catch (cause) {
      if (mayBreak) return undefined;
      const hint = "Check the connection, then ask again.";
      throw new VerbatimError("io-error", `The response of ${url} was truncated.`, { cause, where: url, hint });
    }
  }
}
