/**
 * The page without a network: its few files are kept at the first visit. Hashed files come from the cache, the page and the manifest from the network
 * as long as there is one. The index's files are kept by the page itself (adapters/browser/site-blobs.ts), in the same cache.
 */

/** What of a service worker's scope is used; the page's types have no such thing. */
interface WorkerScope {
  registration: { scope: string };
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
  addEventListener(
    kind: "install" | "activate",
    listener: (event: { waitUntil(work: Promise<unknown>): void }) => void,
  ): void;
  addEventListener(
    kind: "fetch",
    listener: (event: { request: Request; respondWith(response: Promise<Response>): void }) => void,
  ): void;
}

const scope = self as unknown as WorkerScope;
const base = scope.registration.scope;
const MANIFEST = "manifest.json";
const HASHED = /\/assets\/[^/]+-[\w-]{8}\.(js|css)$/;

const opened = (): Promise<Cache> => caches.open(`verbatim ${base}`);

scope.addEventListener("install", (event) => {
  event.waitUntil(keepPage().then(() => scope.skipWaiting()));
});

scope.addEventListener("activate", (event) => {
  event.waitUntil(scope.clients.claim());
});

scope.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || !url.href.startsWith(base) || url.pathname.includes("/data/")) return;
  if (request.headers.has("range")) return;
  event.respondWith(HASHED.test(url.pathname) ? cacheFirst(request) : networkFirst(request));
});

async function keepPage(): Promise<void> {
  const cache = await opened();
  const manifest = await fetch(new URL(MANIFEST, base), { cache: "no-cache" });
  const { assets } = (await manifest.clone().json()) as { assets: string[] };
  await cache.put(new URL(MANIFEST, base), manifest);
  await cache.addAll(["./", ...assets].map((name) => new URL(name, base).href));
}

async function cacheFirst(request: Request): Promise<Response> {
  const cache = await opened();
  const kept = await cache.match(request.url);
  if (kept !== undefined) return kept;
  const response = await fetch(request);
  if (response.ok) await cache.put(request.url, response.clone());
  return response;
}

/** A page is kept under its folder, whatever question is in its address. */
async function networkFirst(request: Request): Promise<Response> {
  const cache = await opened();
  const key = request.mode === "navigate" ? base : request.url;
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(key, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(key);
    if (kept !== undefined) return kept;
    throw error;
  }
}
