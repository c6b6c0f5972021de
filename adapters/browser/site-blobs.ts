/**
 * "Here is a name: give me its bytes", of a published site: from memory, the browser's cache or the network, always compared with what they should be.
 * What is broken is fetched once more past all caches; if it still is, that is an error that says so.
 */

import { throwIfAborted, VerbatimError } from "../../src/errors.js";
import { blobName } from "../../src/publish/blob.js";
import { decodeSiteManifest, SITE_MANIFEST, type SiteManifest } from "../../src/publish/site-manifest.js";
import { Lru } from "../../src/search/lru.js";
import {
  type CacheMode,
  cacheName,
  type FetchPriority,
  type WebCache,
  type WebCaches,
  type WebFetch,
  webCaches,
  webFetch,
} from "./web.js";

/** Postings and texts of questions of a while; larger blobs are read once. */
const MEMORY_BYTES = 16 * 1024 * 1024;
const LARGEST_IN_MEMORY = 512 * 1024;

/** True for the bytes that were published under the name. */
export type Verify = (bytes: Uint8Array) => boolean;

export interface SiteBlobsOptions {
  /** Address of the site's folder; ends in "/". */
  base: URL;
  /** Default: the global one. */
  fetch?: WebFetch;
  /** Default: the browser's; null: none. */
  caches?: WebCaches | null;
  /** Of all that is fetched. Default "auto". */
  priority?: FetchPriority;
}

export class SiteBlobs {
  readonly base: URL;
  readonly #fetch: WebFetch;
  readonly #cache: Promise<WebCache | undefined>;
  readonly #memory = new Lru<string, Uint8Array>(MEMORY_BYTES, (bytes) => bytes.length);
  readonly #underWay = new Map<string, Promise<Uint8Array>>();
  readonly #priority: FetchPriority;
  /** Names in the browser's cache, as far as is known here: looking a blob up there takes as long as a request. */
  #inCache: Promise<Set<string>> | undefined;

  constructor(options: SiteBlobsOptions) {
    this.base = options.base;
    this.#fetch = options.fetch ?? webFetch;
    this.#priority = options.priority ?? "auto";
    const caches = options.caches === null ? undefined : (options.caches ?? webCaches());
    // A full or forbidden cache is no reason not to answer.
    this.#cache = caches?.open(cacheName(options.base)).catch(() => undefined) ?? Promise.resolve(undefined);
  }

  url(name: string): string {
    return new URL(`data/${name}.bin`, this.base).href;
  }

  /** @throws VerbatimError `corrupt-manifest`, `unsupported-format`, `io-error` */
  async manifest(): Promise<SiteManifest> {
    const url = new URL(SITE_MANIFEST, this.base).href;
    const read = async (cache: CacheMode): Promise<SiteManifest> =>
      decodeSiteManifest(new TextDecoder().decode(await this.#get(url, cache)), url);
    try {
      return await read("no-cache");
    } catch (error) {
      if (error instanceof VerbatimError && error.code === "corrupt-manifest") return read("reload");
      throw error;
    }
  }

  /**
   * The bytes of a blob. Shared between all who ask for it at once; a signal ends the waiting, not the fetching.
   * @param options.verify  default: their hash is the name
   * @throws VerbatimError `io-error` (not to be had), `corrupt-segment` (broken, twice), `aborted`
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

  /** The blob as an earlier visit kept it; not verified. */
  async cached(name: string): Promise<Uint8Array | undefined> {
    this.#inCache ??= this.kept();
    return (await this.#inCache).has(name) ? this.#fromCache(name) : undefined;
  }

  async #fromCache(name: string): Promise<Uint8Array | undefined> {
    const response = await (await this.#cache)?.match(this.url(name)).catch(() => undefined);
    return response && new Uint8Array(await response.arrayBuffer());
  }

  /**
   * Asks for bytes [from, to) of a blob. What comes back may be those, or the whole blob from a host that knows no ranges; the caller looks.
   * @returns undefined when neither came
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
      return undefined; // a range of a compressed answer cannot be decoded; without a network the next attempt tells so
    }
  }

  /** Names of the blobs that are kept for visits without a network. */
  async kept(): Promise<Set<string>> {
    const keys = (await (await this.#cache)?.keys()) ?? [];
    return new Set(keys.map(({ url }) => /([0-9a-f]{16})\.bin$/.exec(url)?.[1] ?? ""));
  }

  /** Fetches and keeps a blob, unverified: whoever reads it from the cache compares it. @returns false when it could not be fetched */
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

  /** Drops what an earlier version of the site had. @param names  all of this one's */
  async forgetOthers(names: ReadonlySet<string>): Promise<void> {
    const cache = await this.#cache;
    for (const name of await this.kept()) {
      if (name === "" || names.has(name)) continue;
      (await this.#inCache)?.delete(name);
      await cache?.delete(this.url(name));
    }
  }

  async #load(name: string, verify: Verify): Promise<Uint8Array> {
    let bytes = await this.cached(name);
    if (bytes === undefined || !verify(bytes)) {
      bytes = await this.#fetchVerified(name, verify).catch(async (error: unknown) => {
        const kept = await this.#fromCache(name); // another tab, or the page beside this worker, may have kept it meanwhile
        if (kept !== undefined && verify(kept)) return kept;
        throw error;
      });
      this.#putInCache(name, bytes.slice().buffer).catch(() => {}); // nobody waits for it
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
      hint: "Ask again later; if it stays so, publish the index again.",
    });
  }

  async #get(url: string, cache: CacheMode): Promise<Uint8Array>;
  async #get(url: string, cache: CacheMode, mayBreak: boolean): Promise<Uint8Array | undefined>;
  /** @param mayBreak  an answer that breaks off is undefined, not an error */
  async #get(url: string, cache: CacheMode, mayBreak = false): Promise<Uint8Array | undefined> {
    let response: Response;
    try {
      response = await this.#fetch(url, { cache, priority: this.#priority });
    } catch (cause) {
      const hint = "Look at the connection, then ask again.";
      throw new VerbatimError("io-error", `${url} cannot be reached.`, { cause, where: url, hint });
    }
    if (!response.ok) {
      const hint =
        response.status === 404
          ? "The site may have been published again meanwhile: reload the page."
          : "Ask again later.";
      throw new VerbatimError("io-error", `${url} was refused with status ${response.status}.`, { where: url, hint });
    }
    try {
      return new Uint8Array(await response.arrayBuffer());
    } catch (cause) {
      if (mayBreak) return undefined;
      const hint = "Look at the connection, then ask again.";
      throw new VerbatimError("io-error", `${url} broke off.`, { cause, where: url, hint });
    }
  }
}
