/** The few web APIs that this adapter uses and Node's types lack; undefined where a browser does not give them (an address without HTTPS). */

export interface WebCache {
  match(url: string): Promise<Response | undefined>;
  put(url: string, response: Response): Promise<void>;
  delete(url: string): Promise<boolean>;
  keys(): Promise<readonly { url: string }[]>;
}

export interface WebCaches {
  open(name: string): Promise<WebCache>;
}

/** How much the browser may answer from its own cache. */
export type CacheMode = "default" | "no-cache" | "reload";

/** What of a browser's connections goes first. */
export type FetchPriority = "high" | "low" | "auto";

/** `fetch`, as far as it is used; Node's types do not know `cache` and `priority`, and its fetch does not look at them. */
export type WebFetch = (
  url: string,
  init?: { cache?: CacheMode; priority?: FetchPriority; headers?: Record<string, string> },
) => Promise<Response>;

export const webFetch: WebFetch = (url, init) => fetch(url, init as RequestInit);

export const webCaches = (): WebCaches | undefined => (globalThis as { caches?: WebCaches }).caches;

/** One cache a site, by its address: two sites of one host do not share blobs that either may throw away. */
export const cacheName = (base: URL): string => `verbatim ${base.href}`;
