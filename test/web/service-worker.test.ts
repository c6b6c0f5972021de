/**
 * The service worker of a published site, on a stub of the interfaces of a browser: a host with
 * other pages and private files.
 */

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

interface FetchEvent {
  request: { method: string; url: string; mode: string; headers: Headers };
  respondWith(response: Promise<Response>): void;
  waitUntil(work: Promise<unknown>): void;
}

const PAGE = '<html><head><meta name="generator" content="verbatim publish" /></head><body>Our manual</body></html>';
const MANIFEST = JSON.stringify({ format: "verbatim-site", assets: ["assets/page-abcd1234.js", "ask.js"] });

/** A browser with one service worker, whose scope is `base`, on a host with `files` by address. */
class StubBrowser {
  readonly files: Map<string, string>;
  readonly base: string;
  readonly cache = new Map<string, string>();
  online = true;
  /** Writing fails. */
  isFull = false;
  /** Storage cannot even be opened. */
  isForbidden = false;
  readonly #listeners = new Map<string, (event: never) => void>();

  constructor(base: string, files: Record<string, string>) {
    this.base = base;
    this.files = new Map(Object.entries(files));
  }

  async install(): Promise<void> {
    const address = (request: string | URL | { url: string }): string =>
      new URL(typeof request === "object" && "url" in request ? request.url : request).href;
    const get = async (request: string | URL | { url: string }): Promise<Response> => {
      if (!this.online) throw new TypeError("Failed to fetch");
      const url = new URL(address(request));
      const body = this.files.get(url.origin + url.pathname);
      return new Response(body ?? "not found", { status: body === undefined ? 404 : 200 });
    };
    const cache = {
      match: async (key: string) => (this.cache.has(key) ? new Response(this.cache.get(key)) : undefined),
      put: async (key: string | URL, response: Response) => {
        this.#checkRoom();
        this.cache.set(address(key), await response.text());
      },
      delete: async (key: string) => this.cache.delete(key),
      addAll: async (keys: string[]) => {
        if (keys.length > 0) this.#checkRoom();
        for (const key of keys) {
          const response = await get(key);
          if (!response.ok) throw new TypeError(`${key}: ${response.status}`);
          this.cache.set(key, await response.text());
        }
      },
    };
    vi.stubGlobal("self", {
      registration: { scope: this.base },
      skipWaiting: async () => {},
      clients: { claim: async () => {} },
      addEventListener: (kind: string, listener: (event: never) => void) => this.#listeners.set(kind, listener),
    });
    const open = async (): Promise<typeof cache> => {
      if (this.isForbidden) throw new DOMException("Access is denied.", "SecurityError");
      return cache;
    };
    vi.stubGlobal("caches", { open });
    vi.stubGlobal("fetch", get);
    vi.resetModules();
    const path = "../../web/src/site/sw.js";
    await import(path);
    for (const kind of ["install", "activate"]) await this.#send(kind, {});
  }

  /**
   * @returns the body of the worker's response; undefined when the worker leaves the request to the
   *   browser
   */
  async visit(address: string, mode: "navigate" | "cors" = "navigate"): Promise<string | undefined> {
    let response: Promise<Response> | undefined;
    const request = { method: "GET", url: new URL(address, this.base).href, mode, headers: new Headers() };
    await this.#send("fetch", {
      request,
      respondWith: (given: Promise<Response>) => {
        response = given;
      },
    });
    return response === undefined ? undefined : (await response).text();
  }

  #checkRoom(): void {
    if (this.isFull) throw new DOMException("Quota exceeded.", "QuotaExceededError");
  }

  async #send(kind: string, given: Partial<FetchEvent>): Promise<void> {
    const work: Promise<unknown>[] = [];
    const respondWith = (response: Promise<Response>): void => {
      work.push(response.catch(() => {}));
      given.respondWith?.(response);
    };
    const waitUntil = (promise: Promise<unknown>): void => void work.push(promise);
    this.#listeners.get(kind)!({ ...given, respondWith, waitUntil } as never);
    for (let n = 0; n < work.length; n++) await work[n];
  }
}

function hostOf(base: string): Record<string, string> {
  return {
    [base]: PAGE,
    [`${base}manifest.json`]: MANIFEST,
    [`${base}assets/page-abcd1234.js`]: "page",
    [`${base}ask.js`]: "element",
    [`${base}payroll/`]: "<h1>Payroll of Ana</h1>",
    [`${base}payroll/index.html`]: "<h1>Payroll of Ana</h1>",
    [`${base}payroll/manifest.json`]: "{}",
    [`${base}api/me`]: '{"name": "Ana"}',
    [`${base}assets/other-abcd9999.js`]: "of another page",
    [`${base}assets/report.pdf`]: "salaries",
    [`${base}data/secret.json`]: "secret",
  };
}

describe.each(["https://intranet.example/", "https://intranet.example/manual/"])("a site at %s", (base) => {
  let browser: StubBrowser;
  const own = [base, `${base}ask.js`, `${base}assets/page-abcd1234.js`, `${base}manifest.json`].sort();
  beforeEach(async () => {
    browser = new StubBrowser(base, hostOf(base));
    await browser.install();
  });
  afterEach(() => vi.unstubAllGlobals());

  it("keeps the page before while the files of a new one are not stored", async () => {
    const files = { script: `${base}assets/page-ffff9999.js`, manifest: `${base}manifest.json` };
    const page = `${PAGE}<script src="assets/page-ffff9999.js"></script>`;
    browser.files.set(base, page);
    expect(await browser.visit("./")).toBe(page);
    browser.online = false; // before the page requests its manifest
    expect(await browser.visit("./")).toBe(PAGE);
    browser.online = true;
    browser.files.set(files.script, "new page");
    browser.files.set(files.manifest, JSON.stringify({ ...JSON.parse(MANIFEST), assets: ["assets/page-ffff9999.js"] }));
    await browser.visit("manifest.json", "cors");
    browser.online = false;
    expect(await browser.visit("./")).toBe(page);
    expect(await browser.visit("assets/page-ffff9999.js", "cors")).toBe("new page");
  });

  it("is kept with the files that its manifest names", async () => {
    expect([...browser.cache.keys()].sort()).toEqual(own);
    browser.online = false;
    for (const address of ["./", "./?q=who", "index.html"]) expect(await browser.visit(address)).toBe(PAGE);
    expect(await browser.visit("assets/page-abcd1234.js", "cors")).toBe("page");
    expect(await browser.visit("manifest.json", "cors")).toBe(MANIFEST);
  });

  it("does not answer for or store other pages and files of the host", async () => {
    const others = [
      "payroll/",
      "payroll/index.html",
      "payroll/?q=1",
      "page-that-is-missing",
      "/elsewhere/",
      "data/secret.json",
    ];
    for (const address of others) expect(await browser.visit(address), address).toBeUndefined();
    for (const address of ["api/me", "assets/report.pdf", "payroll/manifest.json", "data/secret.json", "payroll/"])
      expect(await browser.visit(address, "cors"), address).toBeUndefined();
    expect(await browser.visit("assets/other-abcd9999.js", "cors")).toBe("of another page");
    expect([...browser.cache.keys()].sort()).toEqual(own);
    browser.online = false;
    expect(await browser.visit("payroll/")).toBeUndefined();
    expect(await browser.visit("./")).toBe(PAGE);
  });

  it("does not keep what the host shows in its place", async () => {
    browser.files.set(base, "<form>Log in, Ana</form>");
    expect(await browser.visit("./")).toBe("<form>Log in, Ana</form>");
    browser.online = false;
    expect(await browser.visit("./")).toBe(PAGE);
  });

  it("is shown as the host has it when storage is full, and as it was kept without a network", async () => {
    browser.isFull = true;
    const page = PAGE.replace("Our manual", "Our new manual");
    const version = JSON.stringify({ format: "verbatim-site", assets: ["assets/page-eeee5555.js", "ask.js"] });
    browser.files.set(base, page);
    browser.files.set(`${base}manifest.json`, version);
    browser.files.set(`${base}assets/page-eeee5555.js`, "new page");
    expect(await browser.visit("./")).toBe(page);
    expect(await browser.visit("manifest.json", "cors")).toBe(version);
    expect(await browser.visit("assets/page-eeee5555.js", "cors")).toBe("new page");
    browser.online = false;
    expect(await browser.visit("./")).toBe(PAGE);
    expect(await browser.visit("manifest.json", "cors")).toBe(MANIFEST);
  });

  it("is shown as the host has it when storage cannot be opened", async () => {
    browser.isForbidden = true;
    expect(await browser.visit("./")).toBe(PAGE);
    expect(await browser.visit("manifest.json", "cors")).toBe(MANIFEST);
    expect(await browser.visit("assets/page-abcd1234.js", "cors")).toBe("page");
  });

  it("is shown in the version whose blobs are complete without a network", async () => {
    const complete = JSON.stringify({ format: "verbatim-site", assets: ["assets/page-abcd1234.js"], start: "old" });
    browser.cache.set(`${base}manifest.json?complete`, complete); // as the page does
    const version = JSON.stringify({ format: "verbatim-site", assets: ["assets/page-eeee5555.js"], start: "new" });
    browser.files.set(`${base}manifest.json`, version);
    browser.files.set(`${base}assets/page-eeee5555.js`, "new page");
    expect(await browser.visit("manifest.json", "cors")).toBe(version);
    browser.online = false;
    expect(await browser.visit("manifest.json", "cors")).toBe(complete);
    expect(await browser.visit("assets/page-abcd1234.js", "cors")).toBe("page");
    expect(await browser.visit("assets/page-eeee5555.js", "cors")).toBe("new page");
  });

  it("keeps the files of a new version when its manifest is read", async () => {
    const version = JSON.stringify({ format: "verbatim-site", assets: ["assets/page-eeee5555.js", "ask.js"] });
    browser.files.set(`${base}manifest.json`, version);
    browser.files.set(`${base}assets/page-eeee5555.js`, "new page");
    expect(await browser.visit("manifest.json", "cors")).toBe(version);
    browser.online = false;
    expect(await browser.visit("assets/page-eeee5555.js", "cors")).toBe("new page");
    expect(await browser.visit("manifest.json", "cors")).toBe(version);
  });
});
