/** What the page keeps in the browser, also if the visitor has blocked storage. */

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

class MemoryStorage {
  readonly values = new Map<string, string>();
  isFull = false;
  getItem = (key: string): string | null => this.values.get(key) ?? null;
  removeItem = (key: string): boolean => this.values.delete(key);
  setItem = (key: string, value: string): void => {
    if (this.isFull) throw new DOMException("Quota exceeded.", "QuotaExceededError");
    this.values.set(key, value);
  };
}

interface Address {
  pastQuestions(folder: string): string[];
  remember(question: string, folder: string): void;
  forgetAll(folder: string): void;
}
interface Api {
  takeToken(): void;
  setToken(token: string): void;
  status(): Promise<unknown>;
}

/** Loads a new instance of a module of the page. Its types need those of a browser, which tests do not have. */
async function load<Module>(file: string): Promise<Module> {
  vi.resetModules();
  const path = `../../web/src/${file}`;
  return (await import(path)) as Module;
}

/** Any use of storage throws, as with blocked cookies. */
function blockStorage(): void {
  const get = (): never => {
    throw new DOMException("Access is denied.", "SecurityError");
  };
  for (const name of ["localStorage", "sessionStorage"])
    Object.defineProperty(globalThis, name, { get, configurable: true });
}

let local: MemoryStorage;
beforeEach(() => {
  local = new MemoryStorage();
  const storages = { localStorage: local, sessionStorage: new MemoryStorage() };
  for (const [name, value] of Object.entries(storages))
    Object.defineProperty(globalThis, name, { value, configurable: true });
});
afterEach(() => {
  for (const name of ["localStorage", "sessionStorage"]) Reflect.deleteProperty(globalThis, name);
  vi.unstubAllGlobals();
});

describe("questions asked before", () => {
  it("belong to one site of a host", async () => {
    const { pastQuestions, remember, forgetAll } = await load<Address>("address.ts");
    remember("what is the salary of a director?", "/handbook/");
    remember("how do I start?", "/manual/");
    expect(pastQuestions("/manual/")).toEqual(["how do I start?"]);
    forgetAll("/manual/");
    expect(pastQuestions("/manual/")).toEqual([]);
    expect(pastQuestions("/handbook/")).toEqual(["what is the salary of a director?"]);
  });

  it.each([
    ["blocked", blockStorage],
    ["full", () => (local.isFull = true)],
  ])("are kept until the page is left if storage is %s", async (_, prepare) => {
    const { pastQuestions, remember, forgetAll } = await load<Address>("address.ts");
    prepare();
    remember("one?", "/");
    remember("two?", "/");
    expect(pastQuestions("/")).toEqual(["two?", "one?"]);
    forgetAll("/");
    expect(pastQuestions("/")).toEqual([]);
  });
});

it("a token is used until the page is left if storage is blocked", async () => {
  const tokens: (string | null)[] = [];
  vi.stubGlobal("location", new URL("https://host.example/?q=who#token=secret"));
  vi.stubGlobal("history", { replaceState: () => {} });
  vi.stubGlobal("fetch", async (_: string, { headers }: { headers: Headers }) => {
    tokens.push(headers.get("Authorization"));
    return new Response("{}");
  });
  const { takeToken, setToken, status } = await load<Api>("api.ts");
  blockStorage();
  takeToken();
  await status();
  setToken("secret…"); // copied with an ellipsis, which no header can hold
  await status();
  setToken("secret");
  setToken("");
  await status();
  expect(tokens).toEqual(["Bearer secret", null, null]);
});
