/** Hostile files in the text formats: Markdown, HTML, JSON lines, SQuAD, CSV, plain text, gzip. */

import { gzipSync } from "node:zlib";
import { type Random, soup } from "./random.js";

export interface HostileInput {
  /** Unique; its ending decides the format. */
  name: string;
  content: () => string | Uint8Array;
}

const input = (name: string, content: HostileInput["content"]): HostileInput => ({ name, content });
const MIB = 1024 * 1024;

const numbered = (count: number, line: (i: number) => string, between = "\n"): string =>
  Array.from({ length: count }, (_, i) => line(i)).join(between);

export function hostileMarkdown(random: Random): HostileInput[] {
  const marks = [
    "[",
    "]",
    "(",
    ")",
    "*",
    "_",
    "`",
    "``",
    "<",
    ">",
    "!",
    "~~",
    "|",
    "\n",
    "\n\n",
    "- ",
    "> ",
    "a ",
    "#",
  ];
  return [
    input("dashes.md", () => `${"- ".repeat(10_000)}x`),
    input("numbers.md", () => `${"1. ".repeat(10_000)}x`),
    input("nested-list.md", () => numbered(1200, (i) => `${"  ".repeat(i)}- x`)),
    input("nested-list-shallow.md", () => `${numbered(60, (i) => `${"  ".repeat(i)}- x`)}\n\n`.repeat(20)),
    input("quotes.md", () => `${">".repeat(100_000)}x`),
    input("quotes-spaced.md", () => `${"> ".repeat(5000)}x`),
    input("links.md", () => "[a](".repeat(40_000)),
    input("links-in-rows.md", () => `${"|[a](".repeat(1000)}\n`.repeat(40)),
    input("images.md", () => "![".repeat(40_000)),
    input("footnotes.md", () => "[^a]".repeat(40_000)),
    input("footnote-definitions.md", () => numbered(5000, (i) => `[^${i}]: x[^${i}]`)),
    input("backticks.md", () => numbered(1200, (i) => `${"`".repeat(i + 1)} x`, " ")),
    input("brackets.md", () => "[".repeat(400_000)),
    input("bracket-pairs.md", () => "[]".repeat(100_000)),
    input("emphasis.md", () => "*a **b _c ".repeat(20_000)),
    input("emphasis-ends.md", () => "a* b** c_ ".repeat(20_000)),
    input("strikes.md", () => "~a ~~b ".repeat(20_000)),
    input("comments.md", () => "a <!-- ".repeat(30_000)),
    input("instructions.md", () => "a <?x ".repeat(30_000)),
    input("tags.md", () => "a <b x='".repeat(30_000)),
    input("definitions.md", () => numbered(60_000, (i) => `[a${i}]: http://x/${i} "t"`)),
    input("keys.md", () => `---\n${numbered(100_000, (i) => `k${i}: v`)}\n---\ntext`),
    input("deep-yaml.md", () => `---\na: ${"[".repeat(50_000)}\n---\ntext`),
    input("yaml-dashes.md", () => `---\n${"- ".repeat(10_000)}\n---\ntext`),
    input("yaml-aliases.md", () => `---\na0: &a0 x\n${yamlAliases(40)}\n---\ntext`),
    input("emails.md", () => "a@b.".repeat(50_000)),
    input("entities.md", () => "&amp;&#x41;".repeat(30_000)),
    input("one-paragraph.md", () => "some words of a line\n".repeat(60_000)),
    input("table-columns.md", () => `${"|a".repeat(10_000)}|\n${"|-".repeat(10_000)}|\n${"|x".repeat(10_000)}|\n`),
    ...[1, 2, 3, 4, 5].map((i) => input(`soup-${i}.md`, () => soup(random, marks, 30_000))),
  ];
}

function yamlAliases(count: number): string {
  return numbered(count, (i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}, *a${i}]`);
}

export function hostileHtml(random: Random): HostileInput[] {
  const tags = ["<b>", "</b>", "<p>", "<table>", "<td>", "</table>", "<a>", "<svg>", "<select>", "<li>", "x ", "<!--"];
  return [
    input("words.hocr", () => {
      const word = "<span class='ocrx_word' title='bbox 0 0 1 1'>x</span>";
      return `<div class='ocr_page'>${word.repeat(100_000)}`;
    }),
    input("boxes.hocr", () => `<div class='ocr_page' title='${"bbox 0 0 ".repeat(200_000)}'>x`),
    input("elements.html", () => "<b>x</b>".repeat(4 * MIB)),
    input("pre-spaces.html", () => `<pre>${" ".repeat(MIB)}x`),
    input("pre-lines.html", () => `<pre>${"\n".repeat(MIB)}x`),
    input("divs.html", () => `${"<div>".repeat(100_000)}x`),
    input("formatting.html", () => `${numbered(3000, (i) => `<b id=${i}>`, "")}${"<p>x".repeat(3000)}`),
    input("formatting-long.html", () => `${numbered(20_000, (i) => `<b id=${i}>`, "")}${"<p>x".repeat(20_000)}`),
    input("spans.html", () => "<span>".repeat(20_000) + "<p>x".repeat(10_000)),
    input("tables.html", () => "<table>x".repeat(20_000)),
    input("cells.html", () => "<table><td>".repeat(20_000)),
    input("attributes.html", () => `<p ${numbered(200_000, (i) => `a${i}=1`, " ")}>x`),
    input("comments.html", () => "<!---->".repeat(200_000)),
    input("open-comment.html", () => "<!--".repeat(200_000)),
    input("svg.html", () => `${"<svg>".repeat(20_000)}x`),
    input("templates.html", () => `${"<template>".repeat(20_000)}x`),
    input("selects.html", () => "<select><option>".repeat(50_000)),
    input("script.html", () => `<script>${"</scrip".repeat(100_000)}`),
    input("entities.html", () => "&ampamp;&#xffffffff;".repeat(100_000)),
    input("empty-elements.xhtml", () => `<?xml version="1.0"?><html xmlns="x">${"<a b='c'/>".repeat(100_000)}x`),
    input("less-than.xhtml", () => `<?xml version="1.0"?>${"<a ".repeat(200_000)}`),
    input("style.html", () => `<p style="${"display ".repeat(100_000)}">x`),
    ...[1, 2, 3, 4, 5].map((i) => input(`soup-${i}.html`, () => soup(random, tags, 30_000))),
    // Without a known ending: the format is found from the content.
    input("NOTES", () => `${"<!---->".repeat(40)}x`),
    input("pom.xml", () => `<?xml version="1.0"?>\n${"<!-- Licensed to you -->\n".repeat(28)}<project/>`),
    input("declaration.xml", () => `<?xml${" ".repeat(200_000)}`),
    input("README", () => `{"data"${" ".repeat(300_000)}:`),
  ];
}

export function hostileRecords(random: Random): HostileInput[] {
  const row = (text: string) => `${JSON.stringify({ text })}\n`;
  const json = ["{", "}", "[", "]", '"text"', ":", '"x"', ",", "1", "null", "\n", '{"text":"words"}\n'];
  return [
    input("brackets.jsonl", () => "[".repeat(60 * MIB)),
    input("braces.jsonl", () => '{"a":'.repeat(2 * MIB)),
    input("values.jsonl", () => `{"text":"x","a":[${"1,".repeat(20 * MIB)}1]}`),
    input("deep-record.jsonl", () => `${row("first")}{"text":"x","a":${"[".repeat(5000)}${"]".repeat(5000)}}\n`),
    input("no-texts.jsonl", () => '{"title":"x"}\n'.repeat(300_000)),
    input("long-line.jsonl", () => `{"text":"${"x".repeat(80 * MIB)}"}`),
    input("stolen-id.jsonl", () => `${JSON.stringify({ id: "good-000.txt", text: "stolen" })}\n`),
    input("ids.jsonl", () => `${JSON.stringify({ id: "a\n2. forged\u001b]0;x\u0007", text: "words" })}\n`),
    input("surrogates.jsonl", () => '{"id":"\\ud800","text":"\\udfff\\ud800 words"}\n'),
    input("prototype.jsonl", () => '{"text":"x","__proto__":{"a":1},"constructor":"y"}\n'),
    input("numbers.jsonl", () => `{"text":"x","n":${"9".repeat(MIB)},"e":1e999}\n`),
    input("empty-lines.jsonl", () => "\n".repeat(8 * MIB)),
    input("records.jsonl.gz", () => gzipSync("{}\n".repeat(4 * MIB))),
    ...[1, 2, 3].map((i) => input(`soup-${i}.jsonl`, () => soup(random, json, 20_000))),
    input("deep.json", () => `{"data":[{"paragraphs":${"[".repeat(200_000)}`),
    input("values.json", () => `{"data":[{"paragraphs":[${"{},".repeat(6 * MIB)}{}]}]}`),
    input("empty-paragraphs.json", () => `{"data":[{"title":"x","paragraphs":[${"{},".repeat(200_000)}{}]}]}`),
    input("rows.csv", () => `a,b\n${"1,2\n".repeat(10_000_000)}`),
    input("open-quote.csv", () => `id,text\n"${"x".repeat(30 * MIB)}`),
    input("quotes.csv", () => `a,b\n${'"'.repeat(3_000_000)}`),
    input("columns.csv", () => `text,${"a,".repeat(200_000)}\n${"x,".repeat(200_000)}`),
    input("empty-rows.csv", () => `id,text\n${",\n".repeat(1_000_000)}`),
    input("ragged.csv", () => `id,text\n${numbered(2000, (i) => ",".repeat(i))}`),
    input("delimiters.csv", () => `${";,\t".repeat(300_000)}\n`),
    input("returns.csv", () => "\r".repeat(2 * MIB)),
    input("long-header.csv", () => `${"h".repeat(20 * MIB)}\n1\n`),
    input("cells.tsv", () => `text\n${"x\t".repeat(5_000_000)}\n`),
    input("quotes.tsv", () => `id\ttext\n${'"\t"\n'.repeat(100_000)}`),
    input("odd-utf16.csv", () => Buffer.from(`\ufefftext\nwords\n`, "utf16le").subarray(0, 23)),
  ];
}

export function hostilePlain(random: Random): HostileInput[] {
  const bytes = (count: number) => Uint8Array.from({ length: count }, () => random(256));
  const member = gzipSync("words ");
  return [
    input("one-word.txt", () => "x".repeat(20 * MIB)),
    input("spaces.txt", () => `${" ".repeat(20 * MIB)}x`),
    input("lines.txt", () => `${"\n".repeat(20 * MIB)}x`),
    input("full-stops.txt", () => `${"a-.".repeat(MIB)}x`),
    input("combining.txt", () => `a${"\u0301".repeat(MIB)}`),
    input("nuls.txt", () => new Uint8Array(MIB)),
    input("random.txt", () => bytes(100_000)),
    input("random", () => bytes(100_000)),
    input("utf16.txt", () => Buffer.concat([Buffer.from([0xff, 0xfe]), bytes(99_999)])),
    input("bomb.txt.gz", () => gzipSync(Buffer.alloc(300 * MIB, " "))),
    input("members.txt.gz", () => Buffer.concat(Array.from({ length: 20_000 }, () => member))),
    input("nested.gz", () => gzipSync(gzipSync("words"))),
    input("cut.txt.gz", () => gzipSync(bytes(100_000)).subarray(0, 50_000)),
    input("garbage.txt.gz", () => Buffer.concat([gzipSync("words"), bytes(1000)])),
  ];
}
