/** Calendars and contacts (.ics, .vcf): each event, task and person as a heading with its facts. */

import type { ReadLimits } from "../../limits.js";
import type { TextBuilder } from "../text-builder.js";
import { clockOf, durationOf, readableDate, type ZoneClock } from "./calendar-dates.js";
import { type ContentLine, contentLines, listed, partsOf, unescaped } from "./content-lines.js";
import { writeHtmlDescription } from "./html-description.js";
import { ruleOf } from "./recurrence-rule.js";

/** Whether a text is a calendar or a list of contacts. */
export function isCalendar(text: string): boolean {
  return /^\s?BEGIN:(?:VCALENDAR|VCARD)\s/i.test(text.slice(0, 30));
}

/** Components that only programs need. */
const LEFT_OUT = new Set(["VALARM", "VTIMEZONE", "VFREEBUSY"]);
/** Lines of an entry that are held before they are written. */
const MAX_LINES = 1000;

/** A component of a calendar, or a contact. */
interface Entry {
  name: string;
  line: number;
  /** Not written yet. */
  lines: ContentLine[];
  isLeftOut: boolean;
  hasHeading: boolean;
}

/** How the facts of a calendar are written. */
interface Writing {
  builder: TextBuilder;
  limits: ReadLimits;
  /** Of the calendar's `X-WR-TIMEZONE`. */
  clock: ZoneClock;
}

/**
 * Writes what a calendar or an address book says. Times are written as dates ("Thursday 2025-05-22, 14:00"), those in
 * UTC in the time zone of the calendar; what only programs need is left out, and the place of each fact is its first
 * line in the file.
 * @returns the name of the calendar, "" if it has none
 */
export function writeCalendar(text: string, builder: TextBuilder, { limits }: { limits: ReadLimits }): string {
  const writing: Writing = { builder, limits, clock: undefined };
  /** The outermost first. */
  const open: Entry[] = [];
  let calendarName = "";
  for (const content of contentLines(text)) {
    const { name, value, line } = content;
    const entry = open.at(-1);
    if (name === "BEGIN") {
      const component = value.trim().toUpperCase();
      if (component === "VCALENDAR") writing.clock = undefined;
      const isLeftOut = entry?.isLeftOut === true || LEFT_OUT.has(component);
      if (entry !== undefined && !isLeftOut) writeEntry(entry, writing);
      open.push({ name: component, line, lines: [], isLeftOut, hasHeading: false });
    } else if (name === "END") {
      if (entry !== undefined) writeEntry(entry, writing);
      open.pop();
      builder.separate("\n\n");
    } else if (name === "X-WR-CALNAME" || (name === "NAME" && entry?.name === "VCALENDAR")) {
      calendarName ||= unescaped(value).trim();
    } else if (name === "X-WR-TIMEZONE") writing.clock = clockOf(unescaped(value).trim());
    else if (entry !== undefined && !entry.isLeftOut && (FACTS.has(name) || name === "N")) {
      entry.lines.push(content);
      if (entry.lines.length >= MAX_LINES) writeEntry(entry, writing);
    }
  }
  const last = open.at(-1); // of a file that was cut off
  if (last !== undefined) writeEntry(last, writing);
  return calendarName;
}

/** Writes the lines that an entry has until now, below its heading. */
function writeEntry(entry: Entry, writing: Writing): void {
  const { builder } = writing;
  const { lines } = entry;
  if (lines.length === 0) return;
  entry.lines = [];
  const heading = entry.hasHeading ? undefined : headingOf(entry, lines);
  entry.hasHeading = true;
  if (heading !== undefined) {
    builder.separate("\n\n");
    builder.beginHeading(1);
    builder.write(heading.text, { line: heading.line });
    builder.endHeading();
  }
  for (const content of lines) {
    if (content.name === "DESCRIPTION" && writeHtmlDescription(content, builder, writing)) continue;
    const fact = content === heading?.content ? "" : factOf(content, { lines, clock: writing.clock });
    if (fact === "") continue;
    builder.separate("\n");
    builder.write(fact, { line: content.line });
  }
}

/** Properties that name an entry, the best first. */
const NAMES = ["SUMMARY", "FN", "N", "NICKNAME", "ORG", "EMAIL"];
/** Headings of entries without a name. */
const KINDS_OF_ENTRIES = new Map([
  ["VEVENT", "Event"],
  ["VTODO", "Task"],
  ["VJOURNAL", "Note"],
  ["VCARD", "Contact"],
]);

/** @returns `content` is the line that is not written again below the heading; a calendar needs no heading */
function headingOf(
  { name: component, line }: Entry,
  lines: readonly ContentLine[],
): { text: string; line: number; content?: ContentLine } | undefined {
  for (const name of NAMES) {
    for (const content of lines) {
      const text = content.name === name ? nameIn(content) : "";
      if (text !== "") return { text, line: content.line, content };
    }
  }
  return component === "VCALENDAR" ? undefined : { text: KINDS_OF_ENTRIES.get(component) ?? "Entry", line };
}

/** "Möller;Jürgen" as "Jürgen Möller". */
function nameIn({ name, value }: ContentLine): string {
  if (name === "ORG") return listed(partsOf(value));
  if (name !== "N") return unescaped(value).trim();
  const [family, given, more, prefix, suffix] = partsOf(value);
  return [prefix, given, more, family, suffix].filter((part) => part !== undefined && part !== "").join(" ");
}

interface FactContext {
  /** The lines of the entry. */
  lines: readonly ContentLine[];
  clock: ZoneClock;
}

type Writer = (content: ContentLine, context: FactContext) => string;

/** What a property is called, and how its value is written. */
const FACTS: ReadonlyMap<string, readonly [label: string, write?: Writer]> = new Map<string, [string, Writer?]>([
  ["SUMMARY", ["Title"]],
  ["DTSTART", ["Start", datesOf]],
  ["DTEND", ["End", endOf]],
  ["DUE", ["Due", datesOf]],
  ["COMPLETED", ["Completed", datesOf]],
  ["DURATION", ["Duration", ({ value }) => durationOf(value)]],
  ["RRULE", ["Repeats", ({ value }, { clock }) => ruleOf(value, clock) ?? value]],
  ["RDATE", ["Also on", datesOf]],
  ["EXDATE", ["Not on", datesOf]],
  ["RECURRENCE-ID", ["Instead of", datesOf]],
  ["LOCATION", ["Place"]],
  ["DESCRIPTION", [""]],
  ["COMMENT", ["Comment"]],
  ["STATUS", ["Status", ({ value }) => value.toLowerCase()]],
  ["CATEGORIES", ["Categories", ({ value }) => listed(partsOf(value, ","))]],
  ["ORGANIZER", ["Organiser", personOf]],
  ["ATTENDEE", ["Attendee", personOf]],
  ["CONTACT", ["Contact"]],
  ["URL", ["Link"]],
  ["ATTACH", ["Attachment"]],
  ["FN", ["Name"]],
  ["NICKNAME", ["Nickname"]],
  ["ORG", ["Organisation", ({ value }) => listed(partsOf(value))]],
  ["TITLE", ["Position"]],
  ["ROLE", ["Role"]],
  ["TEL", ["Phone", ({ value }) => unescaped(value).replace(/^tel:/i, "")]],
  ["EMAIL", ["Email"]],
  ["ADR", ["Address", ({ value }) => listed(partsOf(value).flatMap((part) => part.split("\n")))]],
  ["BDAY", ["Birthday", datesOf]],
  ["ANNIVERSARY", ["Anniversary", datesOf]],
  ["NOTE", ["Note"]],
]);

/** Kinds of phone numbers and addresses that are shown. */
const KINDS = new Map([
  ["cell", "mobile"],
  ["iphone", "mobile"],
  ["home", "home"],
  ["work", "work"],
  ["fax", "fax"],
]);

/** "Phone (mobile): +44 7700 900812"; "" without a value. */
function factOf(content: ContentLine, context: FactContext): string {
  const known = FACTS.get(content.name);
  if (known === undefined) return "";
  const [label, write = (one: ContentLine) => unescaped(one.value)] = known;
  const value = write(content, context).trim();
  if (value === "" || label === "") return value;
  const types = content.parameters.get("TYPE") ?? [];
  const kinds = [...new Set(types.flatMap((type) => KINDS.get(type.toLowerCase()) ?? []))];
  return `${label}${kinds.length === 0 ? "" : ` (${kinds.join(", ")})`}: ${value}`;
}

/** "Ada Lovelace, ada@example.org" */
function personOf({ parameters, value }: ContentLine): string {
  return listed([parameters.get("CN")?.[0] ?? "", unescaped(value).replace(/^mailto:/i, "")]);
}

/** The dates of a value. What is not a date is kept as written. */
function datesOf({ value }: ContentLine, { clock }: FactContext): string {
  return value
    .split(",")
    .map((date) => readableDate(date, { clock }) ?? unescaped(date))
    .join("; ");
}

/** Events of whole days end on the day before DTEND (RFC 5545 3.6.1), except where it is the day of the start. */
function endOf({ value }: ContentLine, { lines, clock }: FactContext): string {
  const isLater = lines.find(({ name }) => name === "DTSTART")?.value.trim() !== value.trim();
  const shift = isLater && /^\d{8}$/.test(value.trim()) ? -1 : 0;
  return readableDate(value, { shift, clock }) ?? unescaped(value);
}
