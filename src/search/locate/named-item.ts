/**
 * Items that describe something with a name: an option, a command, a setting, a key. The name is
 * before its description on the line, on a line of its own above it, or in the first cell of a row.
 */

import { CELLS } from "../../text/table-rows.js";
import type { Span } from "../../types.js";

export interface NamedItem {
  /** "--quiet" of "-q, --quiet", without its value; a command with its arguments. */
  name: Span;
  /** Name and description. */
  item: Span;
}

const ASKS_FOR_NAME =
  /\b(?:(?:which|what)(?:\s[\w-]+){0,2}|(?:name|give|tell me) (?:the|an?))\s(?:options?|flags?|switch(?:es)?|(?:sub)?commands?|settings?|parameters?|arguments?|keys?|keywords?|fields?|variables?|propert(?:y|ies)|attributes?|directives?|functions?|methods?|endpoints?|routes?|shortcuts?|buttons?)\b(?!\s(?:size|length|value|type|format|code|number|role|person|point|count|position)s?\b)/i;
/** The header of a column of names. */
const NAMES_COLUMN =
  /^(?:options?|flags?|switch(?:es)?|(?:sub)?commands?|settings?|parameters?|arguments?|keys?|keywords?|fields?|variables?|propert(?:y|ies)|attributes?|directives?|functions?|methods?|endpoints?|routes?|shortcuts?|buttons?)$/i;

/** Longer lines are not names. */
const MAX_NAME_UNITS = 80;
const MAX_NAME_WORDS = 7;
/** Lines of a description. */
const MAX_LINES = 12;
/** White space and a bullet. */
const LEAD = /^[ \t]*(?:[-*+•‣◦▪·][ \t]+)?/;
const OPTION = /^(?:--?[A-Za-z0-9][\w-]*|\/[A-Za-z?])(?=[=[,:]|$)/;
/** What an option takes: "N", "FILE…", "<path>", "[=WHEN]". */
const VALUE = /^(?:\[?=?[A-Z][A-Z0-9_-]*\]?(?:…|\.\.\.)?|<[^<>]*>(?:…|\.\.\.)?|\[[^[\]]*\])[,:]?$/;
/** "max_size", "server.port", "maxSize", "MAX_SIZE", "/v1/ask", "F5", "Ctrl+S", "run()". */
const IDENTIFIER =
  /^(?:[A-Za-z][A-Za-z0-9]*[_.:][\w.:]*\w(?:\(\))?|[a-z]+[A-Z]\w*|\/[\w{}/.:-]+\w|F\d{1,2}|(?:Ctrl|Alt|Shift|Cmd|Esc|Enter|Tab|Home|End)(?:[+-]\w+)*|\w+\(\))$/;
const PLAIN_NAME = /^[a-z][\w.-]*$/;
/** "name: description", "name – description", and columns of a help text. */
const SEPARATOR = /:\s|\s[-–—]\s|\s{2}|\t/;

/** True for questions such as "which option limits the number of answers?". Rules for English. */
export function asksForName(question: string): boolean {
  return ASKS_FOR_NAME.test(question);
}

/** The item that a place in a text is in. @param items  from `namedItems` */
export function itemAt(items: readonly NamedItem[], at: number): NamedItem | undefined {
  return items.find(({ item }) => item.start <= at && at < item.end);
}

/** All items of a text, in their order; they do not overlap. O(text) */
export function namedItems(text: string): NamedItem[] {
  const lines = linesOf(text);
  const items: NamedItem[] = [];
  for (let n = 0; n < lines.length; ) {
    const found = itemFrom(lines, n);
    if (found !== undefined) items.push(found.item);
    n = found?.next ?? n + 1;
  }
  return items;
}

interface Line extends Span {
  text: string;
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  let start = 0;
  for (const line of text.split("\n")) {
    lines.push({ text: line, start, end: start + line.length });
    start += line.length + 1;
  }
  return lines;
}

/** The item that begins at a line, and the line after it. */
function itemFrom(lines: readonly Line[], n: number): { item: NamedItem; next: number } | undefined {
  const line = lines[n]!;
  if (line.text.includes(CELLS)) return rowItem(lines, n);
  const before = nameBefore(line);
  const name = before ?? nameAlone(lines, n);
  if (name === undefined) return commandBelow(lines, n);
  let last = n;
  const isAlone = before === undefined;
  if (isAlone && lines[n + 1]?.text.trim() === "") last++; // a heading
  const first = last + 1;
  while (last + 1 < lines.length && last - n < MAX_LINES && isDescription(lines, last + 1)) last++;
  if (isAlone && last < first) return undefined;
  return { item: { name, item: { start: line.start, end: lines[last]!.end } }, next: last + 1 };
}

function isDescription(lines: readonly Line[], n: number): boolean {
  const { text } = lines[n]!;
  if (text.trim() === "" || text.includes(CELLS) || /^[ \t]*[-*+•‣◦▪·][ \t]/.test(text)) return false;
  return nameBefore(lines[n]!) === undefined && nameAlone(lines, n) === undefined;
}

/** "--top-k N | number of answers" */
function rowItem(lines: readonly Line[], n: number): { item: NamedItem; next: number } | undefined {
  const { text, start, end } = lines[n]!;
  let first = n;
  while (lines[first - 1]?.text.includes(CELLS)) first--;
  const header = lines[first]!.text.split(CELLS)[0]!.trim();
  const isName = first < n && NAMES_COLUMN.test(header);
  const cell = text.slice(0, text.indexOf(CELLS));
  const name = nameOf(cell) ?? (isName ? trimmed(cell) : undefined);
  return name === undefined ? undefined : { item: { name: moved(name, start), item: { start, end } }, next: n + 1 };
}

/** "-q, --quiet: print nothing", "--depth N How many folders", "max_size – the largest file" */
function nameBefore({ text, start }: Line): Span | undefined {
  const lead = LEAD.exec(text)![0].length;
  const rest = text.slice(lead);
  const option = optionTerm(rest);
  const cut = option?.end ?? rest.search(SEPARATOR);
  if (cut <= 0 || cut > MAX_NAME_UNITS || rest.slice(cut).trim().length < 2) return undefined;
  const name = option?.name ?? nameOf(rest.slice(0, cut));
  return name && moved(name, start + lead);
}

/** A name on a line of its own that begins a paragraph or follows a sentence. */
function nameAlone(lines: readonly Line[], n: number): Span | undefined {
  const before = lines[n - 1]?.text.trimEnd() ?? "";
  if (before !== "" && !/[.!?:]$/.test(before) && !before.includes(CELLS)) return undefined;
  const { text, start } = lines[n]!;
  const lead = LEAD.exec(text)![0].length;
  const name = nameOf(text.slice(lead)) ?? commandIn(text.slice(lead));
  return name && moved(name, start + lead);
}

/** "To restart it, run:" and the command below. */
function commandBelow(lines: readonly Line[], n: number): { item: NamedItem; next: number } | undefined {
  if (!lines[n]!.text.trimEnd().endsWith(":")) return undefined;
  let below = n + 1;
  while (lines[below]?.text.trim() === "") below++;
  const isLast = (lines[below + 1]?.text.trim() ?? "") === ""; // else it has a description of its own
  if (lines[below] === undefined || !isLast) return undefined;
  const { text, start, end } = lines[below]!;
  const name = commandIn(text);
  if (name === undefined) return undefined;
  let first = n;
  while (first > 0 && lines[first - 1]!.text.trim() !== "") first--;
  return { item: { name: moved(name, start), item: { start: lines[first]!.start, end } }, next: below + 1 };
}

/** A text that consists of options or identifiers. */
function nameOf(text: string): Span | undefined {
  const { start, end } = trimmed(text);
  const term = text.slice(start, end);
  if (term === "" || term.length > MAX_NAME_UNITS) return undefined;
  const option = optionTerm(term);
  if (option?.end === term.length) return moved(option.name, start);
  const words = term.split(/\s+/);
  const areNames = words.length <= MAX_NAME_WORDS && words.every((word) => IDENTIFIER.test(word.replace(/,$/, "")));
  return areNames ? { start, end } : undefined;
}

/** A line such as "tool restart --now". */
function commandIn(text: string): Span | undefined {
  const { start, end } = trimmed(text.replace(/^(\s*)[$>] /, "$1  "));
  const term = text.slice(start, end);
  const [first = "", ...rest] = term.split(/\s+/);
  if (term.length > MAX_NAME_UNITS || rest.length >= MAX_NAME_WORDS || !PLAIN_NAME.test(first)) return undefined;
  const isPart = (word: string): boolean =>
    [PLAIN_NAME, OPTION, VALUE, IDENTIFIER].some((pattern) => pattern.test(word)) || /[/@=]/.test(word);
  return !/[.!?;,]$/.test(term) && rest.every(isPart) ? { start, end } : undefined;
}

/** Options with their values at the beginning of a text: the range of the longest one, and the end of all. */
function optionTerm(text: string): { name: Span; end: number } | undefined {
  let name: Span | undefined;
  let end = 0;
  for (const { 0: word, index } of text.matchAll(/\S+/g)) {
    const option = index === 0 || name !== undefined ? OPTION.exec(word)?.[0] : undefined;
    if (option !== undefined) {
      const longest = name === undefined ? 0 : name.end - name.start;
      if (option.length > longest) name = { start: index, end: index + option.length };
    } else if (name === undefined || !(VALUE.test(word) || word === "|" || word === "or")) break;
    end = index + word.length;
    if (word.endsWith(":")) break;
  }
  return name === undefined ? undefined : { name, end };
}

/** Without white space and a last colon. */
function trimmed(text: string): Span {
  const start = text.length - text.trimStart().length;
  const end = text.trimEnd().length;
  return { start, end: end > start && text[end - 1] === ":" ? end - 1 : Math.max(start, end) };
}

const moved = ({ start, end }: Span, by: number): Span => ({ start: start + by, end: end + by });
