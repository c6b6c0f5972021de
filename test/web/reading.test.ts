/**
 * Reading on the page of the built server, in a real browser: the start page, PDFs with the answer
 * marked, quotes that are copied, links that open an answer again, and accessibility (axe-core).
 */

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { projectRoot } from "../cli/run-cli.js";
import { pdfOf, streamObject } from "../documents/fixtures/pdf.js";
import { lettersOf, readQuotes } from "./pdfs/word-boxes.js";
import {
  type BuiltServer,
  buildProgram,
  builtProgram,
  hasBrowser,
  launchBrowser,
  recordFaults,
  serveBuilt,
  tinyEnv,
} from "./real-browser.js";

const QUESTION = "who was the lighthouse keeper?";
const KEEPER =
  "# The harbour\n\nNotes on the harbour and those who worked in it.\n\n## The lighthouse\n\nThe lighthouse keeper was Marta Vance from 1890 on, and she kept bees.\n\n- red lamp\n- green lamp\n\n| ship | year |\n|---|---|\n| Anne | 1803 |\n\n```\nlamp --on\n```\n\nThat is all.\n";
const QUOTE = readQuotes().find(({ file }) => file === "two-columns.pdf")!;

/** A PDF with a script that runs when it is opened, and a link over the whole page. */
const SCRIPTED = "scripted.pdf";
const SCRIPT = "globalThis.fromDocument = 1; app.alert('from the document');";

function scriptedPdf(): Uint8Array {
  const action = `<< /S /JavaScript /JS (${SCRIPT.replace(/[()]/g, "\\$&")}) >>`;
  const link = "<< /Type /Annot /Subtype /Link /Rect [0 0 595 842] /A << /S /URI /URI (http://192.0.2.1/far) >> >>";
  const resources = "<< /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>";
  return pdfOf([
    `<< /Type /Catalog /Pages 2 0 R /OpenAction ${action} /AA << /WC ${action} >> >>`,
    "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources ${resources} /Contents 4 0 R /Annots [${link}] /AA << /O ${action} >> >>`,
    streamObject("BT /F1 12 Tf 72 700 Td (The harbour was dug by Ann Doe.) Tj ET"),
  ]);
}

let folder: string;
let server: BuiltServer | undefined;
let url: string;
let browser: Browser;
let page: Page;
const faults: string[] = [];
const requested: string[] = [];

beforeAll(async () => {
  buildProgram();
  if (!hasBrowser) return;
  folder = mkdtempSync(join(tmpdir(), "verbatim-reading-"));
  mkdirSync(join(folder, "notes"));
  writeFileSync(join(folder, "notes", "harbour.md"), KEEPER);
  cpSync(join(projectRoot, "test", "web", "pdfs", QUOTE.file), join(folder, QUOTE.file));
  writeFileSync(join(folder, SCRIPTED), scriptedPdf());
  const made = spawnSync(process.execPath, [builtProgram, "index", "notes", QUOTE.file, SCRIPTED], {
    ...{ cwd: folder, env: tinyEnv },
    encoding: "utf8",
  });
  expect(made.status, made.stderr).toBe(0);
  server = await serveBuilt(folder, ["--read-only"]);
  ({ url } = server);
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

afterEach(async () => {
  await page?.context().close();
  expect(faults.splice(0)).toEqual([]);
  requested.splice(0);
});

async function visit(path: string, options: BrowserContextOptions = {}): Promise<void> {
  page = await (await browser.newContext({ locale: "en-US", ...options })).newPage();
  page.setDefaultTimeout(60_000);
  recordFaults(page, faults, /503/);
  page.on("request", (request) => requested.push(request.url()));
  await page.goto(url + path);
}

const addressOf = (opened: Record<string, string | number>): string =>
  `?${new URLSearchParams(Object.entries(opened).map(([name, value]): [string, string] => [name, String(value)]))}`;

/** The address of the first quote of the PDF. */
async function pdfAddress(): Promise<string> {
  const response = await fetch(`${url}v1/documents/${encodeURIComponent(QUOTE.file)}`);
  const { text } = (await response.json()) as { text: string };
  const [part] = QUOTE.parts;
  const start = text.indexOf(part!);
  expect(start).toBeGreaterThan(0);
  return addressOf({ doc: QUOTE.file, start, end: start + part!.length });
}

/** Violations of WCAG and best practice, as "rule: element". */
async function violations(): Promise<string[]> {
  // Evaluated by the debugger, which the content security policy of the page does not stop.
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
  return page.evaluate<string[]>(
    `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html.slice(0, 200))))`,
  );
}

it("the page takes at most 90 kB compressed before a PDF is opened", () => {
  const web = join(projectRoot, "dist", "web");
  const files = ["index.html", "assets/page.js", "assets/page.css", "assets/icon.svg"];
  const bytes = files.map((name) => gzipSync(readFileSync(join(web, name))).length);
  expect(bytes.reduce((sum, it) => sum + it)).toBeLessThan(90_000);
});

describe.runIf(hasBrowser)("the start page", () => {
  it("offers a question from a heading, and the documents, newest first", async () => {
    await visit("");
    const question = page.getByRole("button", { name: /The lighthouse/ });
    await question.waitFor();
    await page.getByRole("heading", { name: "Newest documents" }).waitFor();
    expect(await page.getByRole("listitem").filter({ hasText: "The harbour" }).count()).toBeGreaterThan(0);
    expect(requested.filter((it) => /pdf/.test(it))).toEqual([]); // pdf.js comes with the first PDF
    await question.click();
    await page.locator(".says", { hasText: / in \d+ ms/ }).waitFor();
    expect(await page.locator(".start").count()).toBe(0);
  });

  it("opens a document at its beginning", async () => {
    await visit("");
    await page.getByRole("button", { name: "The harbour", exact: true }).click();
    await page.getByRole("dialog").getByText("Notes on the harbour").waitFor();
    expect(await page.getByRole("dialog").locator("mark").count()).toBe(0);
    await page.getByRole("dialog").getByRole("heading", { name: "The lighthouse", level: 3 }).waitFor();
    await page.getByRole("dialog").getByRole("columnheader", { name: "ship" }).waitFor();
    await page.getByRole("dialog").getByRole("cell", { name: "1803" }).waitFor();
  });

  it("closes a document on a click beside it, and not when text is selected past its edge", async () => {
    await visit(addressOf({ doc: "notes/harbour.md", start: 0, end: 11 }));
    const dialog = page.getByRole("dialog");
    await dialog.locator("mark").waitFor();
    const box = (await dialog.boundingBox())!;
    expect(box.x).toBeGreaterThan(50); // the backdrop is on its left
    const paragraph = (await dialog.getByText("Notes on the harbour").boundingBox())!;
    await page.mouse.move(paragraph.x + 150, paragraph.y + 5);
    await page.mouse.down();
    await page.mouse.move(box.x - 20, paragraph.y + 5, { steps: 5 });
    await page.mouse.up();
    expect(await page.evaluate<string>("String(getSelection())")).toContain("Notes");
    await page.mouse.click(box.x + 100, box.y + box.height - 10); // below the text
    expect(await dialog.count()).toBe(1);
    await page.mouse.click(box.x - 20, paragraph.y + 5);
    await dialog.waitFor({ state: "detached" });
  });

  it("keeps a question until the first documents are indexed", async () => {
    await visit("");
    let refused = 0;
    await page.route("**/v1/ask", async (route) => {
      if (++refused > 2) return route.continue();
      const title = "The index is being built: 40 % done, 3 documents so far.";
      const json = { title, status: 503, code: "index-building", hint: "Try again in a moment." };
      return route.fulfill({ status: 503, json, contentType: "application/problem+json" });
    });
    await page.getByRole("searchbox", { name: "Question" }).fill(QUESTION);
    await page.keyboard.press("Enter");
    await page.locator(".waiting", { hasText: "40 % done" }).waitFor();
    await page.locator(".says", { hasText: / in \d+ ms/ }).waitFor();
    expect(await page.locator(".waiting").count()).toBe(0);
  });
});

describe.runIf(hasBrowser)("a PDF", () => {
  it("opens at the original page, with the answer marked where it is", async () => {
    await visit(await pdfAddress());
    const marks = page.getByRole("dialog").locator("mark.box");
    await marks.first().waitFor();
    expect(await page.locator(".pages span").innerText()).toBe("Page i (1) of 4");
    expect(lettersOf((await marks.first().textContent())!)).toBe(lettersOf(QUOTE.parts.join("")));
    const sheet = (await page.locator(".sheet canvas").boundingBox())!;
    const scale = sheet.width / 419.53; // A5 in points
    const boxes = await Promise.all((await marks.all()).map((mark) => mark.boundingBox()));
    for (const [, left, top, right, bottom] of QUOTE.words) {
      const [x, y] = [((left + right) / 2) * scale + sheet.x, ((top + bottom) / 2) * scale + sheet.y];
      const inside = boxes.some(
        (box) => box!.x < x && x < box!.x + box!.width && box!.y < y && y < box!.y + box!.height,
      );
      expect(inside, `${left} ${top}`).toBe(true);
    }
    await page.waitForFunction(`document.activeElement?.matches("mark.box")`);
    const dark = `(() => { const { width, height } = document.querySelector(".sheet canvas"); const data = document.querySelector(".sheet canvas").getContext("2d").getImageData(0, 0, width, height).data; let count = 0; for (let i = 0; i < data.length; i += 4) if (data[i] < 100) count++; return count; })()`;
    expect(await page.evaluate<number>(dark)).toBeGreaterThan(1000); // letters are drawn
  });

  it("has other pages and its text, and is read by keyboard", async () => {
    await visit(await pdfAddress());
    await page.locator("mark.box").first().waitFor();
    await page.getByRole("button", { name: "Next page" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("Page ii (2) of 4").waitFor();
    await page.locator(".sheet[aria-busy=false]").waitFor();
    expect(await page.locator("mark.box").count()).toBe(0);
    await page.getByRole("button", { name: "Show the text" }).click();
    await page.locator("article mark", { hasText: QUOTE.parts[0]! }).waitFor();
    await page.getByRole("button", { name: "Show the page" }).click();
    await page.locator("mark.box").first().waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  it("runs no script, follows no link and loads nothing from elsewhere", async () => {
    await visit(addressOf({ doc: SCRIPTED, start: 0, end: 11 }));
    let dialogs = 0;
    page.on("dialog", (dialog) => {
      dialogs++;
      void dialog.dismiss();
    });
    await page.locator(".sheet[aria-busy=false]").waitFor();
    expect(await page.locator(".pdf a, .pdf form, .pdf iframe, .pdf object, .pdf input").count()).toBe(0);
    const sheet = (await page.locator(".sheet canvas").boundingBox())!;
    await page.mouse.click(sheet.x + sheet.width / 2, sheet.y + Math.min(sheet.height / 2, 300)); // all of it is a link
    expect(await page.evaluate<boolean>(`"fromDocument" in globalThis`)).toBe(false);
    expect(dialogs).toBe(0);
    expect(requested.some((address) => address.includes("pdf"))).toBe(true);
    expect(requested.filter((address) => !address.startsWith(url) && !address.startsWith("blob:"))).toEqual([]);
    expect(page.url()).toContain(url);
  });

  it("that has changed is shown as the text that was indexed, and says so", async () => {
    const address = await pdfAddress();
    const path = join(folder, QUOTE.file);
    const before = readFileSync(path);
    cpSync(join(projectRoot, "test", "web", "pdfs", "cairo.pdf"), path);
    try {
      await visit(address);
      await page.locator("article mark", { hasText: QUOTE.parts[0]! }).waitFor();
      await page.getByText("The file has changed since it was indexed").waitFor();
    } finally {
      writeFileSync(path, before);
    }
  });
});

describe.runIf(hasBrowser)("a quote", () => {
  it("is copied with its source, in three forms, and with a link that opens it again", async () => {
    await visit(addressOf({ q: QUESTION }), { permissions: ["clipboard-read", "clipboard-write"] });
    const card = page.locator(".card").first();
    const words = await card.locator(".sentence mark:not(.also)").innerText();
    const sentence = (await card.locator(".sentence").innerText()).replace(/\s+/g, " ");
    await card.getByText("Copy quote").click();
    const copied = async (name: string): Promise<string> => {
      await card.getByRole("button", { name, exact: true }).click();
      await card.getByText("copied").waitFor();
      return page.evaluate<string>("navigator.clipboard.readText()");
    };
    const link = await copied("Link");
    expect(await copied("Plain text")).toContain(`“${sentence}”`);
    expect(await copied("Markdown")).toMatch(/^> .+\n>\n> — .+\]\(<http.+>\)\n$/s);
    expect(await copied("BibTeX")).toMatch(/^@misc\{[\w-]+,\n {2}title = \{.+\},\n[\s\S]+ {2}url = \{http.+\}\n\}\n$/);
    await page.goto(link);
    await page.getByRole("dialog").locator("mark").first().waitFor();
    expect(lettersOf((await page.getByRole("dialog").locator("mark").first().textContent())!)).toBe(lettersOf(words));
    expect(await page.locator(".note").count()).toBe(0);
  });

  it("that has moved in its document is found again; one that is gone is not marked", async () => {
    const answer = "Marta Vance";
    const { text } = (await (await fetch(`${url}v1/documents/${encodeURIComponent("notes/harbour.md")}`)).json()) as {
      text: string;
    };
    await visit(addressOf({ q: QUESTION }));
    await page.locator(".card .open").first().click();
    await page.getByRole("dialog").locator("mark").first().waitFor();
    const query = new URL(page.url()).searchParams;
    const hash = query.get("hash")!;
    const length = Number(query.get("end")) - Number(query.get("start"));
    if (query.get("doc") === "notes/harbour.md") {
      const start = Number(query.get("start"));
      const words = text.slice(start, start + length);
      await page.goto(url + addressOf({ doc: "notes/harbour.md", start: start + 5, end: start + 5 + length, hash }));
      await page.getByRole("dialog").locator("mark", { hasText: words }).waitFor();
      await page.getByText("the answer is now here").waitFor();
    }
    const start = text.indexOf(answer);
    await page.goto(url + addressOf({ doc: "notes/harbour.md", start, end: start + answer.length, hash: "nothing" }));
    await page.getByText("no longer in it").waitFor();
    expect(await page.getByRole("dialog").locator("mark").count()).toBe(0);
  });
});

describe.runIf(hasBrowser)("axe-core finds no violation", () => {
  it("in another language", async () => {
    await visit(addressOf({ q: QUESTION }), { locale: "zh-CN" });
    await page.locator(".card").first().waitFor();
    expect(await violations()).toEqual([]);
  });

  it.each(["light", "dark"] as const)("on the start page, with answers, and in documents (%s)", async (colorScheme) => {
    await visit("", { colorScheme });
    await page.getByRole("heading", { name: "Newest documents" }).waitFor();
    expect(await violations()).toEqual([]);
    await page.goto(url + addressOf({ q: QUESTION }));
    await page.locator(".card").first().getByText("Copy quote").click();
    await page.getByRole("button", { name: "Why?" }).first().click();
    await page.locator(".why").waitFor();
    expect(await violations()).toEqual([]);
    await page.goto(url + addressOf({ doc: "notes/harbour.md", start: 0, end: 11 }));
    await page.getByRole("dialog").locator("mark").waitFor();
    expect(await violations()).toEqual([]);
    await page.goto(url + (await pdfAddress()));
    await page.locator("mark.box").first().waitFor();
    expect(await violations()).toEqual([]);
  });
});
