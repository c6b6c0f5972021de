/**
 * Keeps the published page available without a network. The worker's scope may be a whole host with
 * other pages and private files, so it answers only requests for the page itself and for files that
 * the site's manifest names, and stores nothing else. Blobs of the index are kept by the page
 * (adapters/browser/site-blobs.ts), in the same cache.
 */

/** The part of a service worker's global scope that is used; the page's types do not include it. */
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
    listener: (event: {
      request: Request;
      respondWith(response: Promise<Response>): void;
      waitUntil(work: Promise<unknown>): void;
    }) => void,
  ): void;
}

type WaitUntil = (work: Promise<unknown>) => void;

const scope = self as unknown as WorkerScope;
const base = scope.registration.scope;
const MANIFEST = "manifest.json";
/**
 * The manifest of the version whose blobs are all stored, which the page has put into the cache
 * (adapters/browser/web.ts). That of a newer version is stored at the first visit, before its blobs.
 */
const COMPLETE_MANIFEST = "manifest.json?complete";
/** Names that the build gives to files of the page; their content never changes. */
const HASHED = /^assets\/[^/]+-[\w-]{8}\.(js|css)$/;
/**
 * Only the page of a published site has this (web/site.html): the host may show something else
 * under the same address, as a log-in form.
 */
const OWN_PAGE = 'content="verbatim publish"';

/** A new page whose files are not all stored yet: without a network, the one before it is shown. */
const PENDING_PAGE = new URL("index.html?pending", base).href;

const openCache = (): Promise<Cache> => caches.open(`verbatim ${base}`);

scope.addEventListener("install", (event) => {
  event.waitUntil(keepPage().then(() => scope.skipWaiting()));
});

scope.addEventListener("activate", (event) => {
  event.waitUntil(scope.clients.claim());
});

scope.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || request.headers.has("range")) return;
  const url = new URL(request.url);
  const address = url.origin + url.pathname;
  if (!address.startsWith(base)) return;
  const name = address.slice(base.length);
  const waitUntil = (work: Promise<unknown>): void => event.waitUntil(work);
  if (request.mode === "navigate") {
    if (name === "" || name === "index.html") event.respondWith(answerPage(request, waitUntil));
  } else if (name === MANIFEST) {
    event.respondWith(answerManifest(request, waitUntil));
  } else if (HASHED.test(name)) event.respondWith(answerAsset(request, address));
});

async function keepPage(): Promise<void> {
  const manifest = await fetch(new URL(MANIFEST, base), { cache: "no-cache" });
  const page = await fetch(base, { cache: "no-cache" });
  await keepAssets(manifest);
  await keepIfOwn(page);
}

/** Stores the manifest and the files that it names, once all of them are there. */
async function keepAssets(manifest: Response): Promise<void> {
  const cache = await openCache();
  const { assets } = (await manifest.clone().json()) as { assets: string[] };
  const addresses = assets.map((name) => new URL(name, base).href).filter((address) => address.startsWith(base));
  const kept = await Promise.all(addresses.map((address) => cache.match(address)));
  await cache.addAll(addresses.filter((_, i) => kept[i] === undefined));
  await cache.put(new URL(MANIFEST, base), manifest);
  const pending = await cache.match(PENDING_PAGE);
  if (pending === undefined || !(await hasFiles(cache, await pending.clone().text()))) return;
  await cache.put(base, pending);
  await cache.delete(PENDING_PAGE);
}

/** Stores the page under the base address, whatever question its address contains. */
async function keepIfOwn(response: Response): Promise<void> {
  if (!response.ok || response.redirected) return;
  const page = await response.clone().text();
  if (!page.includes(OWN_PAGE)) return;
  const cache = await openCache();
  await cache.put((await hasFiles(cache, page)) ? base : PENDING_PAGE, response.clone());
}

/** Whether the scripts and styles that a page names are in the cache. */
async function hasFiles(cache: Cache, page: string): Promise<boolean> {
  for (const [name] of page.matchAll(/assets\/[\w.-]+-[\w-]{8}\.(?:js|css)/g)) {
    if ((await cache.match(new URL(name, base).href)) === undefined) return false;
  }
  return true;
}

function answerPage(request: Request, waitUntil: WaitUntil): Promise<Response> {
  return networkFirst(request, { keys: [base], keep: keepIfOwn, waitUntil });
}

function answerManifest(request: Request, waitUntil: WaitUntil): Promise<Response> {
  const keep = async (response: Response): Promise<void> => {
    // A new version of the site may name new files.
    if (response.ok) await keepAssets(response);
  };
  const keys = [COMPLETE_MANIFEST, MANIFEST].map((name) => new URL(name, base).href);
  return networkFirst(request, { keys, keep, waitUntil });
}

/**
 * The response does not depend on `keep`, which fails when the browser's storage is full.
 * @param rest.keys  keys in the cache; without a network, the first one that is there is returned
 */
async function networkFirst(
  request: Request,
  rest: { keys: readonly string[]; keep: (response: Response) => Promise<void>; waitUntil: WaitUntil },
): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(request);
  } catch (error) {
    for (const key of rest.keys) {
      const kept = await findKept(key);
      if (kept !== undefined) return kept;
    }
    throw error;
  }
  rest.waitUntil(rest.keep(response.clone()).catch(() => {}));
  return response;
}

/** @returns undefined if it is not stored, or the browser refuses to open its storage */
async function findKept(key: string): Promise<Response | undefined> {
  try {
    return await (await openCache()).match(key);
  } catch {
    return undefined;
  }
}

/**
 * Files that the manifest names are in the cache; another file of the host with such a name is
 * passed through and not stored.
 */
async function answerAsset(request: Request, address: string): Promise<Response> {
  return (await findKept(address)) ?? fetch(request);
}
