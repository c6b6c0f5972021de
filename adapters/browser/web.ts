/**
 * The web APIs that this adapter uses and Node's types lack; undefined where a browser does not
 * provide them (pages without HTTPS).
 */

export interface WebCache {
  match(url: string): Promise<Response | undefined>;
  put(url: string, response: Response): Promise<void>;
  delete(url: string): Promise<boolean>;
  keys(): Promise<readonly { url: string }[]>;
}

export interface WebCaches {
  open(name: string): Promise<WebCache>;
}

/** How far the browser may use its own cache. */
export type CacheMode = "default" | "no-cache" | "reload";

/** Which of a browser's requests go first. */
export type FetchPriority = "high" | "low" | "auto";

/**
 * `fetch`, as far as it is used. Node's types lack `cache` and `priority`, and its fetch ignores
 * them.
 */
export type WebFetch = (
  url: string,
  init?: { cache?: CacheMode; priority?: FetchPriority; headers?: Record<string, string> },
) => Promise<Response>;

export const webFetch: WebFetch = (url, init) => fetch(url, init as RequestInit);

export const webCaches = (): WebCaches | undefined => (globalThis as { caches?: WebCaches }).caches;

/**
 * One cache per site, by its address: two sites of one host must not share blobs that either may
 * drop.
 */
export const cacheName = (base: URL): string => `verbatim ${base.href}`;

/**
 * Key in that cache, relative to the site, of the manifest of the version that is complete in it. The
 * service worker returns it to offline visits (web/src/site/sw.ts).
 */
export const COMPLETE_MANIFEST = "manifest.json?complete";
