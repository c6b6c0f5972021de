/**
 * A published site in a real browser, below a sub-path, from several kinds of host, online and
 * offline.
 */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { indexPaths, openIndex } from "../../adapters/node/index.js";
import { publishSite } from "../../adapters/node/publish/publish-site.js";
import type { SiteLevel } from "../../src/publish/site-manifest.js";
import { projectRoot, tinyModel } from "../cli/run-cli.js";
import { type HostOptions, StaticHost } from "../support/static-host.js";
import { buildProgram, hasBrowser, launchBrowser, recordFaults } from "./real-browser.js";

// A browser, WebAssembly and a model, on a machine that may be busy.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const PATH = "/docs/answers/";
const SAMPLES = ["history.md", "meeting-notes.txt", "letters-from-the-north.txt", "bridges.csv", "plum-jam.txt"];
const QUESTION = "who founded the observatory?";

let folder: string;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let host: StaticHost | undefined;
const faults: string[] = [];
const index = (): string => join(folder, "index");
const site = (level: SiteLevel): string => join(folder, level);

beforeAll(async () => {
  buildProgram();
  if (!hasBrowser) return;
  folder = mkdtempSync(join(tmpdir(), "verbatim-published-"));
  mkdirSync(join(folder, "notes"));
  for (const name of SAMPLES) copyFileSync(join(projectRoot, "samples", name), join(folder, "notes", name));
  await indexPaths([join(folder, "notes")], { index: index(), modelFolder: tinyModel, threads: 1 });
  for (const level of ["terms", "full"] as const) {
    await publishSite({ index: index(), out: site(level), level, title: "Sample notes", modelFolder: tinyModel });
  }
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

afterEach(async () => {
  await context?.close();
  await host?.stop();
  host = undefined;
  // no script error, no violation of the content security policy
  expect(faults.splice(0)).toEqual([]);
});

/** Opens the page as a new visitor. @param address  relative to the site */
async function visit(
  options: HostOptions & { level?: SiteLevel; address?: string; locale?: string } = {},
): Promise<Page> {
  const { level = "full", address = "", locale = "en-US", ...rest } = options;
  host = await StaticHost.start(site(level), { path: PATH, ...rest });
  context = await browser.newContext({ viewport: { width: 900, height: 640 }, locale });
  page = await context.newPage();
  page.setDefaultTimeout(120_000);
  recordFaults(page, faults);
  context.on("request", (request) => {
    if (!request.url().startsWith(host!.origin)) faults.push(`a request to ${request.url()}`);
  });
  await page.goto(new URL(address, host.url).href);
  return page;
}

const answered = (what = "answers?"): Promise<void> =>
  page.locator(".says", { hasText: new RegExp(`${what} in \\d+ ms`) }).waitFor();

async function ask(question: string): Promise<void> {
  await page.getByRole("searchbox", { name: "Question" }).fill(question);
  await page.keyboard.press("Enter");
}

/** The text and source of every answer on the page. */
async function shown(): Promise<string[]> {
  const cards = page.getByRole("list", { name: "Answers" }).locator(":scope > li");
  return cards.evaluateAll((items) =>
    (items as { querySelector(selector: string): { textContent: string } | null }[]).map(
      (item) =>
        `${item.querySelector("mark:not(.also)")?.textContent} | ${item.querySelector(".row > .open")?.textContent}`,
    ),
  );
}

async function answersOfEngine(question: string): Promise<string[]> {
  const engine = await openIndex({ path: index(), modelFolder: tinyModel, correctsSpelling: false });
  const { answers } = await engine.ask(question);
  await engine.close();
  return answers.map(({ text, source, place }) => {
    const label = place.line !== undefined ? `${source}:${place.line}` : `${source} (${place.path})`;
    return `${text} | Open in ${label}`;
  });
}

/** Waits until everything that an offline visit needs is stored. */
async function keptOffline(level: SiteLevel): Promise<void> {
  const names = readdirSync(join(site(level), "data"));
  const kept = (): Promise<boolean> =>
    page.evaluate(`(async () => {
      const cache = await caches.open("verbatim " + ${JSON.stringify(host!.url)});
      const urls = (await cache.keys()).map(({ url }) => url);
      const all = ${JSON.stringify(names)}.every((name) => urls.some((url) => url.endsWith(name)));
      return all && urls.some((url) => url.endsWith("manifest.json")) && navigator.serviceWorker.controller !== null;
    })()`);
  await expect.poll(kept, { timeout: 120_000, interval: 500 }).toBe(true);
}

describe.runIf(hasBrowser)("a published site", () => {
  it("shows sentences, then the answers of the engine, for every sample question", async () => {
    await visit();
    const lines = readFileSync(join(projectRoot, "samples", "questions.jsonl"), "utf8")
      .trim()
      .split("\n");
    const questions = lines.map((line) => (JSON.parse(line) as { question: string }).question);
    const engine = await openIndex({ path: index(), modelFolder: tinyModel, correctsSpelling: false });
    for (const question of questions) {
      await ask(question);
      await expect.poll(() => page.title(), { timeout: 60_000 }).toContain(question);
      await answered();
      const { answers } = await engine.ask(question);
      const expected = answers.map(({ text, source, place }) => {
        const label = place.line !== undefined ? `${source}:${place.line}` : `${source} (${place.path})`;
        return `${text} | Open in ${label}`;
      });
      expect(await shown(), question).toEqual(expected);
    }
    await engine.close();
    expect(host!.asked.every(({ path }) => path.startsWith(PATH))).toBe(true);
  });

  it("is in the browser's language, and keeps a chosen one", async () => {
    await visit({ level: "terms", locale: "zh-CN" });
    await page.getByRole("searchbox", { name: "问题" }).fill("observatory");
    await page.keyboard.press("Enter");
    await page.locator(".says", { hasText: /^\d+ 个句子，用时 \d+ 毫秒$/ }).waitFor();
    expect(await page.evaluate(`document.documentElement.lang`)).toBe("zh");
    await page.getByRole("combobox", { name: "语言" }).selectOption("Deutsch");
    await page.reload();
    await page.getByRole("searchbox", { name: "Frage" }).waitFor();
  });

  it("opens the document at the answer, explains it, and shares both by address", async () => {
    await visit({ address: `?q=${encodeURIComponent(QUESTION)}` });
    await answered();
    const card = page.locator(".card").first();
    const words = await card.locator(".sentence mark:not(.also)").textContent();
    await card.getByRole("button", { name: "Why?" }).click();
    await card.locator(".why").waitFor();
    expect(await card.locator(".why .passage mark").textContent()).toBe(words);
    await card.locator(".row > .open").click();
    await page.getByRole("dialog").locator("mark").waitFor();
    const address = page.url();
    expect(new URL(address).pathname).toBe(PATH);
    const text = await page.getByRole("dialog").locator("mark").textContent();
    expect(text).toBe(words);
    const other = await context.newPage();
    await other.goto(address);
    expect(await other.getByRole("dialog").locator("mark").textContent()).toBe(words);
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Sample notes" }).click();
    expect(new URL(page.url()).pathname).toBe(PATH);
    await page.getByText("Recent questions").waitFor();
  });

  it.each([
    ["has no ranges", { kind: "no-range" }],
    ["compresses", { kind: "compressing" }],
    ["gives ranges of what it compressed", { kind: "compressed-ranges" }],
    ["is slow", { delay: 120 }],
    [
      "breaks every file once",
      {
        tamper: (path: string, bytes: Uint8Array, nth: number) => {
          if (nth > 0 || !path.includes("/data/")) return bytes;
          const broken = new Uint8Array(bytes);
          broken[broken.length >> 1]! ^= 1;
          return broken;
        },
      },
    ],
  ] satisfies [string, HostOptions][])("answers the same from a host that %s", async (_, options) => {
    await visit(options);
    await ask(QUESTION);
    await page.getByRole("list", { name: /Sentences|Answers/ }).waitFor();
    await answered();
    expect(await shown()).toEqual(await answersOfEngine(QUESTION));
    faults.splice(0, faults.length, ...faults.filter((fault) => !/ERR_CONTENT_DECODING_FAILED/.test(fault)));
  });

  it("answers new questions offline after one visit", async () => {
    await visit();
    await ask(QUESTION);
    await answered();
    await keptOffline("full");
    await host!.stop();
    await page.reload();
    const question = "how long is the plum jam boiled?";
    await ask(question);
    await answered();
    expect(await shown()).toEqual(await answersOfEngine(question));
    await page.locator(".row > .open").first().click();
    await page.getByRole("dialog").locator("mark").waitFor();
    faults.splice(0, faults.length, ...faults.filter((fault) => !/ERR_CONNECTION_REFUSED/.test(fault)));
  });

  it("reports a missing network if its files are not stored, and answers once it is back", async () => {
    await visit({ level: "terms" });
    await page.locator(".says", { hasText: "documents" }).waitFor();
    const { options } = host!;
    host!.options = { ...options, path: "/gone/" };
    await ask(QUESTION);
    expect(await page.getByRole("alert").innerText()).toMatch(/refused with status 404.*reload/);
    host!.options = options;
    await page.getByRole("button", { name: "Ask" }).click();
    await answered("sentences?");
    expect(await page.getByRole("alert").count()).toBe(0);
    faults.splice(0, faults.length, ...faults.filter((fault) => !/status of 404/.test(fault)));
  });

  it("at level terms loads no model, shows whole sentences, and explains nothing", async () => {
    await visit({ level: "terms" });
    await ask(QUESTION);
    await answered("sentences?");
    const list = page.getByRole("list", { name: "Sentences" });
    const sentence = await list.locator(".sentence").first().textContent();
    expect(await page.getByRole("button", { name: "Why?" }).count()).toBe(0);
    expect(page.workers()).toEqual([]);
    await list.locator(".open").first().click();
    expect(await page.getByRole("dialog").locator("mark").textContent()).toBe(sentence);
    expect(host!.asked.filter(({ path }) => /onnx|worker|wasm/.test(path))).toEqual([]);
  });

  it("works with the keyboard alone", async () => {
    await visit();
    const focus = (): Promise<string> => page.evaluate(`document.activeElement?.id || document.activeElement?.tagName`);
    await expect.poll(focus, { timeout: 60_000 }).toBe("q");
    await page.keyboard.type(QUESTION);
    await page.keyboard.press("Enter");
    await answered();
    const focused = () => page.evaluate<string>(`document.activeElement?.textContent ?? ""`);
    await page.keyboard.press("ArrowDown");
    const first = await focused();
    expect(first).toContain("Open in ");
    await page.keyboard.press("Enter");
    await expect.poll(focus, { timeout: 60_000 }).toBe("MARK");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await focused()).toBe(first);
    await page.keyboard.press("/");
    expect(await page.evaluate(`document.activeElement?.id`)).toBe("q");
  });

  it("keeps keyboard focus in the list when answers replace sentences", async () => {
    await visit({ delay: 150 }); // the model takes a while
    await ask(QUESTION);
    await page.getByRole("list", { name: "Sentences" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await answered();
    const inside = `document.querySelector("ol[aria-label=Answers]").contains(document.activeElement)`;
    expect(await page.evaluate(inside)).toBe(true);
  });

  it("works as an element in another page, under a strict policy, without effects on that page", async () => {
    const policy =
      "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; style-src 'self'";
    const guide = `<!doctype html><meta charset="utf-8"><title>Guide</title>
      <meta http-equiv="Content-Security-Policy" content="${policy}">
      <h1>Guide</h1><p id="mine">My words.</p><verbatim-ask src="${PATH}" placeholder="Ask the guide"></verbatim-ask>
      <script type="module" src="${PATH}ask.js"></script>`;
    await visit({ pages: { "/guide/page.html": guide }, address: "/guide/page.html" });
    const color = await page.evaluate(`getComputedStyle(document.body).backgroundColor`);
    const statusColor = () =>
      page.evaluate<string>(
        `getComputedStyle(document.querySelector("verbatim-ask").shadowRoot.querySelector(".says")).color`,
      );
    const quiet = { light: "rgb(92, 96, 104)", dark: "rgb(162, 166, 174)" };
    // the page is light, whatever the system is
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await statusColor()).toBe(quiet.light);
    }
    await page.evaluate(`document.documentElement.style.colorScheme = "dark"`);
    expect(await statusColor()).toBe(quiet.dark);
    await page.evaluate(`document.documentElement.style.colorScheme = ""`);
    expect(await page.getByRole("searchbox").getAttribute("placeholder")).toBe("Ask the guide");
    // nothing before a question
    expect(host!.asked.some(({ path }) => path.includes("/data/"))).toBe(false);
    await ask(QUESTION);
    await answered();
    expect(await shown()).toEqual(await answersOfEngine(QUESTION));
    await page.locator(".row > .open").first().click();
    await page.getByRole("dialog").locator("mark").waitFor();
    await page.keyboard.press("Escape");
    const words = await page.locator(".card .sentence mark:not(.also)").first().textContent();
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const card = page.locator(".card").first();
    await card.getByText("Copy quote").click();
    await card.getByRole("button", { name: "Link", exact: true }).click();
    await card.getByText("Link copied").waitFor();
    const link = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(new URL(link).pathname).toBe(PATH);
    const own = await context.newPage(); // the site's own page
    await own.goto(link);
    expect(await own.getByRole("dialog").locator("mark").textContent()).toBe(words);
    await own.close();
    expect(await page.evaluate(`getComputedStyle(document.body).backgroundColor`)).toBe(color);
    expect(page.url()).toBe(new URL("/guide/page.html", host!.origin).href);
    await page.evaluate(`document.querySelector("verbatim-ask").remove()`);
    await expect.poll(() => page.workers().length).toBe(0);
  });

  it("works from python3 -m http.server", async ({ skip }) => {
    if (spawnSync("python3", ["--version"]).status !== 0) skip();
    const args = ["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", site("full")];
    const python: ChildProcess = spawn("python3", args, { stdio: ["ignore", "pipe", "ignore"] });
    try {
      const line = await new Promise<string>((done) => python.stdout!.once("data", (bytes) => done(String(bytes))));
      const [address] = /http:\/\/[\d.:]+\//.exec(line)!;
      context = await browser.newContext({ locale: "en-US" });
      page = await context.newPage();
      page.setDefaultTimeout(120_000);
      await page.goto(address);
      await ask(QUESTION);
      await answered();
      expect(await shown()).toEqual(await answersOfEngine(QUESTION));
    } finally {
      const ended = new Promise((done) => python.once("exit", done));
      python.kill();
      await ended;
    }
  });
});
