/** `verbatim quote` from the command line: verdicts, exit statuses, the report, and drafts of every kind. */

import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verbatim } from "./run-cli.js";

let cwd: string;

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "verbatim-quote-"));
  writeFileSync(
    join(cwd, "history.txt"),
    "The observatory was founded by Ines Calder in 1911.\nThe town gave the land.\n",
  );
  writeFileSync(
    join(cwd, "mill.txt"),
    "The mill was sold by Karl Voss. <script>alert(1)</script> is in its accounts.\n",
  );
  await verbatim(["index", "history.txt", "mill.txt", "--level", "lexical"], { cwd });
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

const quote = (...args: string[]) => verbatim(["quote", ...args], { cwd });
const draft = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(cwd, name), content);
  return name;
};

const DRAFT = `# A draft

The town “gave the land” (history.txt), and "the MILL was sold".[^1]

> The observatory was founded by Karl Voss in 1911.

«The observatory … in 1911» (mill.txt) and “<script>alert(1)</script>”.

[^1]: mill.txt, p. 2
`;

describe("verbatim quote", () => {
  it("ends with status 0 for an exact quotation and 1 for any other", async () => {
    const exact = await quote("The town gave the land");
    expect(exact).toMatchObject({ status: 0, stderr: "" });
    expect(exact.stdout).toBe("exact  “The town gave the land”\n  history.txt:2, 52–74\n");
    const words = await quote("the", "town", "gave", "the", "land");
    expect(words.status).toBe(1);
    expect(words.stdout).toMatch(/^same words {2}“the town gave the land”\n {2}document {2}“The town gave the land”\n/);
    const wrong = await quote("founded by Karl Voss in 1911");
    expect(wrong.status).toBe(1);
    expect(wrong.stdout).toContain("founded by [-Ines Calder-] {+Karl Voss+} in 1911\n");
    const elsewhere = await quote("gave the land", "--source", "mill.txt");
    expect([elsewhere.stdout.split(" ")[0], elsewhere.stderr]).toEqual(["misattributed", ""]);
    expect(await quote("gave the land", "--source", "nope.md")).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("  no document is named nope.md, so the source was not checked\n"),
    });
    await expect(quote("gave the land", "--report", "nowhere/report.html")).resolves.toMatchObject({ status: 3 });
    expect((await quote("gave the land", "was sold by")).status).toBe(0);
  });

  it("checks every quotation of a draft, with its line", async () => {
    const { status, stdout, stderr } = await quote("--file", draft("draft.md", DRAFT));
    expect([status, stderr]).toEqual([1, ""]);
    expect(stdout.match(/^\S.*line \d+/gm)).toEqual([
      "exact  line 3",
      "same words  line 3",
      "not found  line 5",
      "misattributed  line 7",
      "exact  line 7",
    ]);
    expect(stdout.trimEnd().split("\n").at(-1)).toBe(
      "5 quotations: 2 exact, 1 same words, 1 misattributed, 1 not found",
    );
    const json = JSON.parse((await quote("--file", "draft.md", "--json")).stdout);
    expect(json).toMatchObject({ draft: "draft.md", exact: false });
    for (const { quotation, draftStart, draftEnd } of json.quotations)
      expect(DRAFT.slice(draftStart, draftEnd)).toContain(quotation.split("\n")[0]);
    const fromPipe = await verbatim(["quote", "--file", "-"], { cwd, stdin: "He wrote “gave the land”." });
    expect(fromPipe.status).toBe(0);
  });

  it("writes a report that is one file and escapes the texts", async () => {
    await quote("--file", draft("draft.md", DRAFT), "--report", "report.html");
    const html = readFileSync(join(cwd, "report.html"), "utf8");
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(html).not.toMatch(/<script|src=|href=|url\(/);
    expect(html).toContain("<del>Ines Calder</del> <ins>Karl Voss</ins> in 1911<");
    expect(html.match(/<article/g)).toHaveLength(5);
  });

  it.each([
    ["without quotations", "No quotation here: it's the dogs' own.", 0, /^0 quotations\n$/, /^$/],
    ["that is empty", "", 0, /^0 quotations\n$/, /^$/],
    [
      "with an open mark",
      'A “town gave\n\nand "gave the land".',
      0,
      /1 exact/,
      /^note: line 1: a quotation mark is not/,
    ],
    ["in windows-1252", Buffer.from("Der \x93gave the land\x94 \xe4", "latin1"), 0, /1 exact/, /read as windows-1252/],
    ["in UTF-16", Buffer.from("\ufeff“gave the land”", "utf16le"), 0, /1 exact/, /read as utf-16le/],
    ["with one word", "The “observatory” and “xyzzy”.", 1, /1 exact, 1 not found/, /^$/],
    ["that quotes nothing but marks", "“” and “…” and “—”", 0, /^0 quotations\n$/, /^$/],
    ["of code", "```\n“xyzzy is not prose”\n```\n", 0, /^0 quotations\n$/, /^$/],
  ])("accepts a draft %s", async (_, content, status, stdout, stderr) => {
    const found = await quote("--file", draft("odd.md", content));
    expect(found.status).toBe(status);
    expect(found.stdout).toMatch(stdout);
    expect(found.stderr).toMatch(stderr);
  });

  it("leaves out quotations with fewer words than wanted", async () => {
    const found = await quote("--file", draft("short.md", "“xyzzy” and “gave the land”"), "--min-words", "3");
    expect(found).toMatchObject({ status: 0, stderr: "note: 1 shorter quotation left out.\n" });
  });

  it("refuses wrong use, binary drafts and missing files", async () => {
    const cases = [[], ["a", "--file", "b"], ["--file", "draft.md", "--source", "x"], ["—"]];
    for (const args of cases) expect((await quote(...args)).status).toBe(2);
    expect((await quote("--file", draft("b.bin", Buffer.from([0, 1, 2, 255, 0, 254, 0, 0])))).status).toBe(3);
    expect(await quote("--file", "gone.md")).toMatchObject({
      status: 3,
      stderr: "verbatim: gone.md does not exist.\n  hint: Check the path.\n",
    });
    expect(await quote("--file", ".")).toMatchObject({
      status: 3,
      stderr: "verbatim: . is a folder.\n  hint: Choose a file.\n",
    });
    expect((await quote("the words", "--index", "gone")).status).toBe(3);
    expect((await quote("--file", draft("none.md", "No quotation here."), "--index", "gone")).status).toBe(3);
  });

  it("takes a draft of megabytes", async () => {
    const text = 'A long draft with "gave the land" in it and more words around.\n\n'.repeat(300);
    const found = await quote("--file", draft("long.md", text + "word ".repeat(1_000_000)));
    expect(found.stdout).toContain("300 quotations: 300 exact");
  });

  it("reports an index without documents", async () => {
    const folder = await mkdtemp(join(tmpdir(), "verbatim-quote-empty-"));
    writeFileSync(join(folder, "a.txt"), "Some words.");
    await verbatim(["index", "a.txt", "--level", "lexical"], { cwd: folder });
    await verbatim(["delete", "a.txt"], { cwd: folder });
    expect(await verbatim(["quote", "Some words"], { cwd: folder })).toMatchObject({ status: 1 });
    await rm(folder, { recursive: true });
  });
});
