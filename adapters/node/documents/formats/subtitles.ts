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
 * repeats (rolling captions) is written once. The name of a speaker is written where it changes, in a new paragraph.
 * @throws VerbatimError `unsupported-document` for binary data, `unreadable-document` without cues
 */
export function readSubtitles(bytes: Uint8Array, context: ReadContext): Document[] {
  const builder = new TextBuilder(context.limits);
  const speech = new SpeechWriter(builder);
  const skips = new RecordSkips(context.skipRecord);
  const lines = linesOf(decodeText(bytes).text.replace(/^\ufeff/, ""));
  let before: readonly string[] = [];
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
        speech.write(spokenParts(line), last);
      }
      i++;
      continue;
    }
    const start = secondsOf(times[1], times[2], times[3]);
    const place = { line: i + 1, path: clock(start) };
    last = place;
    const { spoken, next } = cueLines(lines, i + 1);
    i = next;
    cues++;
    if (spoken.length === 0) continue;
    const texts = spoken.map(lineText);
    builder.separate(start - lastEnd >= PAUSE_SECONDS || texts[0]!.startsWith("- ") ? "\n\n" : " ");
    lastEnd = secondsOf(times[5], times[6], times[7]);
    speech.beginCue();
    for (const [at, parts] of spoken.entries()) if (!before.includes(texts[at]!)) speech.write(parts, place);
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

/** Part of a line of a cue. */
interface SpokenPart {
  /** Who speaks from here on; "" after the end of a speaker's words; undefined: as before in the cue. */
  speaker: string | undefined;
  text: string;
}

/** Writes what is spoken, with the name of each speaker where it changes. */
class SpeechWriter {
  readonly #builder: TextBuilder;
  /** Who speaks; "" if the cue does not name one. */
  #speaker = "";
  /** The speaker of the last text. */
  #written = "";

  constructor(builder: TextBuilder) {
    this.#builder = builder;
  }

  beginCue(): void {
    this.#speaker = "";
  }

  write(parts: readonly SpokenPart[], place: { line: number; path: string }): void {
    for (const { speaker = this.#speaker, text } of parts) {
      this.#speaker = speaker;
      if (text === "") continue;
      const changes = speaker !== "" && speaker !== this.#written;
      if (changes) this.#builder.separate("\n\n");
      this.#builder.write(changes ? `${speaker}: ${text}` : text, place);
      this.#builder.separate(" ");
      this.#written = speaker;
    }
  }
}

/** The lines of a cue, whose first line is `from`, and the index of the line after it. */
function cueLines(lines: readonly string[], from: number): { spoken: SpokenPart[][]; next: number } {
  const spoken: SpokenPart[][] = [];
  let next = from;
  for (; next < lines.length && lines[next]!.trim() !== "" && !TIMES.test(lines[next]!); next++) {
    // The number of the next cue, where the blank line before it is missing.
    if (/^\d+$/.test(lines[next]!) && TIMES.test(lines[next + 1] ?? "")) break;
    const parts = spokenParts(lines[next]!);
    if (lineText(parts) !== "") spoken.push(parts);
  }
  return { spoken, next };
}

/** The parts of a line: "<v Ana>Yes.</v> Applause" has one of Ana and one of no speaker. */
function spokenParts(line: string): SpokenPart[] {
  if (line.length > 10_000) return [{ speaker: undefined, text: line }];
  const [start, ...tagged] = line.split(/<v(?:\.[^\s<>]*)?\s([^<>]{1,100})>|<\/v>/);
  const parts: SpokenPart[] = [{ speaker: undefined, text: plain(start!) }];
  for (let i = 0; i < tagged.length; i += 2) {
    parts.push({ speaker: plain(tagged[i] ?? ""), text: plain(tagged[i + 1]!) });
  }
  return parts;
}

/** All of a line, for comparison with others. */
function lineText(parts: readonly SpokenPart[]): string {
  return parts
    .map(({ speaker = "", text }) => (speaker === "" ? text : `${speaker}: ${text}`))
    .join(" ")
    .trim();
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

/** Without tags and positions. */
function plain(marked: string): string {
  const text = marked
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
