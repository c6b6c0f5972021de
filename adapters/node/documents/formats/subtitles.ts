/** Subtitles (SubRip, WebVTT): the spoken text, with times as places. */

import { parseFragment } from "parse5";
import { escapeHtml } from "../../../../src/text/escape-html.js";
import type { Document } from "../../../../src/types.js";
import { decodeText } from "../decode.js";
import type { ReadContext } from "../input.js";
import { unreadable } from "../skip.js";
import { RecordSkips } from "./records.js";
import { TextBuilder } from "./text-builder.js";
import { linesOf } from "./text-lines.js";

const TIMES = /^\s*(\d{1,3}):(\d{2})(?::(\d{2}))?[.,](\d{1,3})\s*-->\s*(\d{1,3}):(\d{2})(?::(\d{2}))?[.,]\d{1,3}/;
/** A longer pause starts a paragraph. */
const PAUSE_SECONDS = 4;

/**
 * One document; places are the times of the cues ("00:01:23"). Cues are joined to sentences; a line that the next cue
 * repeats (rolling captions) is written once. Names of speakers are kept.
 * @throws VerbatimError `unsupported-document` for binary data, `unreadable-document` without cues
 */
export function readSubtitles(bytes: Uint8Array, context: ReadContext): Document[] {
  const builder = new TextBuilder(context.limits);
  const skips = new RecordSkips(context.skipRecord);
  const lines = linesOf(decodeText(bytes).text.replace(/^\ufeff/, ""));
  let before: string[] = [];
  let lastEnd = 0;
  let cues = 0;
  /** Place of the last cue. */
  let last: { line: number; path: string } | undefined;
  let language: string | undefined;
  for (let i = 0; i < lines.length; ) {
    const line = lines[i]!;
    language ??= /^Language:\s*([\w-]+)/.exec(line)?.[1];
    if (/^(?:NOTE|STYLE|REGION)(?:\s|$)/.test(line)) {
      while (i < lines.length && lines[i]!.trim() !== "") i++;
      continue;
    }
    const times = TIMES.exec(line);
    if (times === null) {
      if (line.includes("-->"))
        skips.report({ reason: `line ${i + 1} has no valid times`, code: "unreadable-document", line: i + 1 });
      // A blank line inside a cue does not end it; the name of a cue is before its times.
      else if (last !== undefined && !TIMES.test(lines[i + 1] ?? "") && !/^\d*$/.test(line.trim())) {
        builder.write(plain(line), last);
        builder.separate(" ");
      }
      i++;
      continue;
    }
    const start = secondsOf(times[1], times[2], times[3]);
    const place = { line: i + 1, path: clock(start) };
    last = place;
    const { texts, next } = cueTexts(lines, i + 1);
    i = next;
    cues++;
    if (texts.length === 0) continue;
    builder.separate(start - lastEnd >= PAUSE_SECONDS || texts[0]!.startsWith("- ") ? "\n\n" : " ");
    lastEnd = secondsOf(times[5], times[6], times[7]);
    for (const text of texts) {
      if (before.includes(text)) continue;
      builder.write(text, place);
      builder.separate(" ");
    }
    before = texts;
  }
  skips.finish();
  if (cues === 0) throw unreadable("has no subtitles", "Check the file, or read it as plain text with --format txt.");
  return [
    {
      id: context.input.id,
      title: context.name,
      source: context.input.path,
      ...builder.content("subtitles"),
      ...(language === undefined ? {} : { metadata: { language } }),
    },
  ];
}

/** The texts of a cue, whose first line is `from`, and the index of the line after it. */
function cueTexts(lines: readonly string[], from: number): { texts: string[]; next: number } {
  const texts: string[] = [];
  let next = from;
  for (; next < lines.length && lines[next]!.trim() !== "" && !TIMES.test(lines[next]!); next++) {
    // The number of the next cue, where the blank line before it is missing.
    if (/^\d+$/.test(lines[next]!) && TIMES.test(lines[next + 1] ?? "")) break;
    const text = plain(lines[next]!);
    if (text !== "") texts.push(text);
  }
  return { texts, next };
}

/** "01:02:03" and "02:03" (minutes first) in seconds. */
function secondsOf(first = "0", second = "0", third?: string): number {
  return third === undefined
    ? Number(first) * 60 + Number(second)
    : (Number(first) * 60 + Number(second)) * 60 + Number(third);
}

function clock(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

/** Without tags and positions; `<v Ana>` gives "Ana: ". */
function plain(line: string): string {
  if (line.length > 10_000) return line;
  const text = line
    .replace(/<v(?:\.[^\s<>]*)?\s([^<>]{1,100})>/g, (_, name: string) => `${name.trim()}: `)
    .replace(/<\/?[a-z][^<>]*>|<\d\d[\d:.]*>/gi, "")
    .replace(/\{\\[^{}]*\}/g, "")
    .replace(/\\[Nh]/g, " ") // line breaks and hard spaces, from Advanced SubStation
    .trim();
  return text.includes("&") ? decoded(text) : text;
}

/** A character by its name or number in HTML. Without the semicolon it is text: "R&notes". */
const REFERENCE = /&(?:#\d+|#[xX][\da-fA-F]+|[a-zA-Z][a-zA-Z\d]*);/y;

/** Text with the characters that it names, as in HTML; marks of direction, which are invisible, are left out. */
function decoded(text: string): string {
  const html = text.replace(/[&<]/g, (mark, at: number) => {
    REFERENCE.lastIndex = at;
    return mark === "&" && REFERENCE.test(text) ? mark : escapeHtml(mark);
  });
  const texts = parseFragment(html).childNodes.map((node) => ("value" in node ? node.value : ""));
  return texts
    .join("")
    .replace(/[\u200e\u200f]/g, "")
    .replaceAll("\u00a0", " ")
    .trim();
}
