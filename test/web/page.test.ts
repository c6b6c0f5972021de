/**
 * The page of the built server in a real browser: display, keyboard use, and the version without
 * JavaScript.
 */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { projectRoot } from "../cli/run-cli.js";
import { type BuiltServer, buildProgram, hasBrowser, launchBrowser, recordFaults, serveBuilt } from "./real-browser.js";

// A browser, a server and a model, on a machine that may be busy.

const HISTORY = "The observatory was founded by Ines Calder in 1911.\n\nIt is on Skarn hill, above the town.\n";
const LONG = `${"A line about the weather and the harbour.\n".repeat(400)}The lighthouse keeper was Marta Vance.\n${"More about the weather.\n".repeat(400)}`;
const QUESTION = "who was the lighthouse keeper?";

let folder: string;
let server: BuiltServer | undefined;
let url: string;
let token: string;
let browser: Browser;
let page: Page;
const faults: string[] = [];

beforeAll(async () => {
  buildProgram();
  if (!hasBrowser) return;
  folder = mkdtempSync(join(tmpdir(), "verbatim-page-"));
  mkdirSync(join(folder, "notes"));
  writeFileSync(join(folder, "notes", "history.txt"), HISTORY);
  writeFileSync(join(folder, "notes", "long.txt"), LONG);
  writeFileSync(join(folder, "notes", "hebrew.txt"), "המגדלור נבנה בשנת 1820 <b>not bold</b>.\n");
  server = await serveBuilt(folder, ["notes"]);
  ({ url, token } = server);
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

afterEach(async () => {
  await page?.context().close();
  // no script error, no violation of the content security policy
  expect(faults.splice(0)).toEqual([]);
});

async function visit(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  page = await (await browser.newContext({ locale: "en-US", ...options })).newPage();
  page.setDefaultTimeout(60_000);
  recordFaults(page, faults);
  page.on("request", (request) => {
    if (!request.url().startsWith(url)) faults.push(`a request to ${request.url()}`);
  });
  await page.goto(url + path);
  return page;
}

const answered = (): Promise<void> => page.locator(".says", { hasText: / in \d+ ms/ }).waitFor();

async function ask(question: string): Promise<void> {
  await page.getByRole("searchbox", { name: "Question" }).fill(question);
  await page.keyboard.press("Enter");
  await answered();
}

it("the page has a script of at most 60 kB gzipped and loads nothing from other hosts", () => {
  const web = join(projectRoot, "dist", "web");
  expect(gzipSync(readFileSync(join(web, "assets", "page.js"))).length).toBeLessThan(60_000);
  const texts = ["index.html", "assets/page.css"].map((name) => readFileSync(join(web, name), "utf8")).join();
  expect(texts).not.toMatch(/(src|href)="https?:|url\(|@import|style="|<script>/);
});

describe.runIf(hasBrowser)("the page", () => {
  it("shows answers in their sentences, and opens the document at an answer", async () => {
    await visit("");
    await ask(QUESTION);
    expect(await page.title()).toContain(QUESTION);
    const card = page.getByRole("list", { name: "Answers" }).getByRole("listitem").first();
    const words = await card.locator(".sentence mark:not(.also)").innerText();
    const label = await card.locator(".row > .open").innerText();
    await card.locator(".row > .open").click();
    const mark = page.getByRole("dialog").locator("mark");
    await mark.waitFor();
    expect(await mark.textContent()).toBe(words);
    const name = /notes\/(\w+)\.txt/.exec(label)![1]!;
    const text = readFileSync(join(folder, "notes", `${name}.txt`), "utf8");
    const query = new URL(page.url()).searchParams;
    expect(text.slice(Number(query.get("start")), Number(query.get("end")))).toBe(words);
    const box = (await mark.boundingBox())!;
    const { height } = page.viewportSize()!;
    expect(box.y).toBeGreaterThan(0); // scrolled to
    expect(box.y + box.height).toBeLessThan(height);
  });

  it("opens a place deep in a long document from its address alone", async () => {
    const start = LONG.indexOf("Marta Vance");
    const query = new URLSearchParams({ q: QUESTION, doc: "notes/long.txt", start: `${start}`, end: `${start + 11}` });
    await visit(`?${query}`);
    const mark = page.getByRole("dialog").locator("mark");
    await mark.waitFor();
    expect(await mark.textContent()).toBe("Marta Vance");
    expect((await mark.boundingBox())!.y).toBeLessThan(page.viewportSize()!.height);
    await answered();
  });

  it("explains an answer: bars for the parts of the score, n-grams marked in the passage", async () => {
    await visit(`?q=${encodeURIComponent(QUESTION)}`);
    await answered();
    const card = page.locator(".card").first();
    const words = await card.locator(".sentence mark:not(.also)").innerText();
    await card.getByRole("button", { name: "Why?" }).click();
    const why = card.locator(".why");
    await why.waitFor();
    const numbers = (await why.locator(".number").allInnerTexts()).map(Number);
    const sum = numbers.slice(0, -1).reduce((total, number) => total + number, 0);
    expect(Math.abs(sum - numbers.at(-1)!)).toBeLessThan(0.03); // two decimals each
    expect(await why.locator(".passage mark").innerText()).toBe(words);
    const widths = await why
      .locator(".bar")
      .evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width));
    const largest = Math.max(...numbers.slice(0, -1).map(Math.abs));
    const full = Math.max(...widths);
    for (const [i, width] of widths.entries())
      expect(width).toBeCloseTo(Math.max(2, (full * Math.abs(numbers[i]!)) / largest), -1);
  });

  it("indexes dropped files, and shows their progress, errors and text", async () => {
    await visit(`#token=${token}`);
    expect(page.url()).not.toContain("token");
    await page.getByRole("button", { name: "Add files" }).waitFor();
    const data = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(["The ferry captain was Otto Brandt."], "ferry.txt", { type: "text/plain" }));
      transfer.items.add(new File([new Uint8Array([1, 2, 3, 0, 255])], "broken.pdf"));
      // a script cannot add a folder
      DataTransferItem.prototype.webkitGetAsEntry = function () {
        const { name } = this.getAsFile();
        return { name, isDirectory: name === "folder" };
      };
      transfer.items.add(new File([], "folder"));
      return transfer;
    })()`);
    await page.dispatchEvent("body", "dragover", { dataTransfer: data });
    await page.locator(".drop").waitFor();
    await page.dispatchEvent("body", "drop", { dataTransfer: data });
    const sent = page.locator(".sent li");
    await sent.filter({ hasText: "ferry.txt" }).getByText("added").waitFor();
    await sent.filter({ hasText: "broken.pdf" }).locator(".bad").waitFor();
    await sent.filter({ hasText: "folder" }).getByText("Folders cannot be added.").waitFor();
    await page.locator(".says", { hasText: "4 documents" }).waitFor();
    await page.goto(`${url}?${new URLSearchParams({ doc: "ferry.txt", start: "22", end: "33" })}`);
    await page.getByRole("dialog").locator("mark", { hasText: "Otto Brandt" }).waitFor();
  });

  it("offers no uploads without the token, and keeps recent questions until they are cleared", async () => {
    await visit("");
    await ask(QUESTION);
    expect(await page.getByRole("button", { name: "Add files" }).count()).toBe(0);
    await page.getByRole("link", { name: "Verbatim" }).click();
    await page.getByRole("button", { name: QUESTION }).click();
    await answered();
    await page.goBack();
    await page.getByText("Recent questions").waitFor();
    await page.getByRole("button", { name: "Clear" }).click();
    expect(await page.getByText("Recent questions").count()).toBe(0);
    await page.reload();
    expect(await page.getByText("Recent questions").count()).toBe(0);
  });

  it("works with the keyboard alone", async () => {
    await visit("");
    await page.waitForFunction(`document.activeElement?.id === "q"`);
    await page.keyboard.type(QUESTION);
    await page.keyboard.press("Enter");
    await answered();
    const focused = () => page.evaluate<string>(`document.activeElement?.textContent ?? ""`);
    const opened = async () => {
      const shown = page.getByRole("dialog").locator("mark, [role=alert]").first();
      await shown.waitFor();
      expect(await shown.evaluate((it) => it.tagName + it.textContent)).toMatch(/^MARK/);
    };
    await page.keyboard.press("ArrowDown");
    const first = await focused();
    expect(first).toContain("Open in ");
    await page.keyboard.press("ArrowDown");
    expect(
      await page.evaluate(
        `[...document.querySelectorAll(".card")].findIndex((it) => it.contains(document.activeElement))`,
      ),
    ).toBe(1);
    await page.keyboard.press("ArrowUp");
    await expect.poll(focused).toBe(first);
    await page.keyboard.press("Enter");
    await opened();
    await page.waitForFunction(`document.activeElement?.tagName === "MARK"`);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await focused()).toBe(first); // back where it was
    await page.keyboard.press("/");
    await expect.poll(() => page.evaluate(`document.activeElement?.id`)).toBe("q");
    // a dialog that is removed leaves the focus where it has moved since the dialog was closed
    await page.keyboard.press("ArrowDown");
    await expect.poll(focused).toBe(first);
    await page.keyboard.press("Enter");
    await opened();
    await page.evaluate(`document.querySelector("dialog").close(), document.querySelector("#q").focus()`);
    await page.locator("dialog").waitFor({ state: "detached" });
    expect(await page.evaluate(`document.activeElement?.id`)).toBe("q");
  });

  it("leaves the arrow keys to input methods and to a passage that scrolls", async () => {
    await visit("");
    await ask(QUESTION);
    const focused = () => page.evaluate<string>(`document.activeElement?.id || document.activeElement?.className`);
    const key = `new KeyboardEvent("keydown", { key: "ArrowDown", isComposing: true, bubbles: true, cancelable: true })`;
    // not prevented: it chooses a candidate
    expect(await page.evaluate(`document.querySelector("#q").dispatchEvent(${key})`)).toBe(true);
    expect(await focused()).toBe("q");
    const card = page.locator(".card").first();
    await card.getByRole("button", { name: "Why?" }).click();
    await card.locator(".passage").evaluate((it) => {
      it.style.maxHeight = "2rem";
      it.scrollTop = 0;
      it.focus();
    });
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => page.evaluate(`document.activeElement?.scrollTop > 0`)).toBe(true);
    expect(await focused()).toBe("passage");
  });

  it("leaves the focus in the field when answers come after a list that is gone", async () => {
    await visit("");
    expect(await page.title()).toBe("Verbatim");
    await ask(QUESTION);
    await page.keyboard.press("ArrowDown");
    await page.goBack();
    await page.getByText("Recent questions").waitFor();
    expect(await page.title()).toBe("Verbatim");
    await page.getByRole("searchbox", { name: "Question" }).fill("who founded the observatory?");
    await page.keyboard.press("Enter");
    await page.locator(".card").first().waitFor();
    expect(await page.evaluate(`document.activeElement?.id`)).toBe("q");
  });

  it("has names and roles for screen readers, fits a phone, and supports dark mode and right-to-left text", async () => {
    await visit(`?q=${encodeURIComponent("המגדלור נבנה 1820")}`, {
      viewport: { width: 320, height: 640 },
      colorScheme: "dark",
    });
    await answered();
    expect(await page.getByRole("status").first().innerText()).toMatch(/answers? in \d+ ms/);
    const tree = await page.locator("body").ariaSnapshot();
    for (const role of ["search", "searchbox", "button", "heading", "list"]) expect(tree).toContain(role);
    expect(await page.evaluate(`document.documentElement.scrollWidth <= innerWidth`)).toBe(true);
    const dark = await page.evaluate(`getComputedStyle(document.body).backgroundColor`);
    await page.emulateMedia({ colorScheme: "light" });
    expect(await page.evaluate(`getComputedStyle(document.body).backgroundColor`)).not.toBe(dark);
    const hebrew = page.locator(".sentence", { hasText: "המגדלור" }).first();
    await hebrew.waitFor();
    const found = `[...document.querySelectorAll(".sentence")].find((it) => it.textContent.includes("המגדלור"))`;
    expect(await page.evaluate(`getComputedStyle(${found}).direction`)).toBe("rtl");
    expect(await page.locator(".sentence b").count()).toBe(0); // shown as text
  });

  it("is in the browser's language, with numbers as that writes them", async () => {
    await visit("", { locale: "de-AT" });
    await page.getByRole("searchbox", { name: "Frage" }).fill(QUESTION);
    expect(await page.evaluate(`[document.documentElement.lang, document.documentElement.dir]`)).toEqual(["de", "ltr"]);
    await page.getByRole("button", { name: "Fragen", exact: true }).click();
    await page.locator(".says", { hasText: /^\d+ Antwort(en)? in [\d.]+ ms$/ }).waitFor();
    await page.getByRole("list", { name: "Antworten", exact: true }).waitFor();
    await page.getByRole("button", { name: "Warum?" }).first().click();
    await page.locator(".why").getByRole("rowheader", { name: "Bedeutung" }).waitFor();
    await page.locator(".card .row > .open").first().click();
    await page.getByRole("button", { name: "Dokument schließen" }).click();
    // an error of the server, by its code
    await page.route("**/v1/ask", (route) => {
      const json = { title: "The server is busy.", status: 429, code: "too-busy" };
      return route.fulfill({ status: 400, json, contentType: "application/problem+json" });
    });
    await page.getByRole("searchbox", { name: "Frage" }).press("Enter");
    await page.getByRole("alert").filter({ hasText: "Der Server ist ausgelastet." }).waitFor();
    expect(faults.splice(0)).toEqual([expect.stringContaining("400")]); // the browser reports the response
  });

  it("changes to a chosen language at once, and keeps it", async () => {
    await visit(`?q=${encodeURIComponent(QUESTION)}`);
    await answered();
    await page.getByRole("combobox", { name: "Language" }).selectOption("中文");
    await page.locator(".says", { hasText: /^\d+ 个答案，用时 [\d,]+ 毫秒$/ }).waitFor(); // the answers stay
    expect(await page.evaluate(`document.documentElement.lang`)).toBe("zh");
    await page.reload();
    await page.getByRole("searchbox", { name: "问题" }).waitFor();
    await page.getByRole("combobox", { name: "语言" }).selectOption("English");
    await page.getByRole("searchbox", { name: "Question" }).waitFor();
  });

  it("answers without JavaScript", async () => {
    await visit("", { javaScriptEnabled: false });
    await page.getByRole("searchbox", { name: "Question" }).fill(QUESTION);
    await page.getByRole("button", { name: "Ask" }).click();
    const mark = page.locator(".card mark").first();
    const words = await mark.innerText();
    await page.locator(".card a").first().click();
    expect(await page.locator("mark#answer").textContent()).toBe(words);
  });

  it("accepts a token if one is needed, with and without JavaScript", async () => {
    const secret = "a-token-of-the-test-0123";
    writeFileSync(join(folder, "tokens.txt"), `ask ${secret}\n`, { mode: 0o600 });
    const guarded = await serveBuilt(folder, ["notes", "--index", "guarded", "--token-file", "tokens.txt"]);
    onTestFinished(() => guarded.stop());
    page = await (await browser.newContext({ locale: "en-US", javaScriptEnabled: false })).newPage();
    await page.goto(`${guarded.url}plain`);
    await page.getByRole("searchbox", { name: "Question" }).fill(QUESTION);
    await page.getByLabel("Token").fill(secret);
    await page.getByRole("button", { name: "Ask" }).click();
    await page.locator(".card mark").first().waitFor();
    expect(page.url()).not.toContain(secret);
    await page.context().close();
    page = await (await browser.newContext({ locale: "en-US" })).newPage();
    await page.goto(guarded.url);
    await page.getByLabel("This server needs a token").fill(secret);
    await page.getByRole("button", { name: "Use token" }).click();
    await page.locator(".says", { hasText: "documents" }).waitFor();
    await ask(QUESTION);
    expect(await page.locator(".card").count()).toBeGreaterThan(0);
  });
});
