/** Calendars and contacts (.ics, .vcf): each event, task and person as a heading with its facts. */

import type { TextBuilder } from "../text-builder.js";
import { type ContentLine, contentLines, partsOf, unescaped } from "./content-lines.js";

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

/**
 * Writes what a calendar or an address book says. Times are written as dates ("Thursday 2025-05-22, 14:00"), what only
 * programs need is left out, and the place of each fact is its first line in the file.
 * @returns the name of the calendar, "" if it has none
 */
export function writeCalendar(text: string, builder: TextBuilder): string {
  /** The outermost first. */
  const open: Entry[] = [];
  let calendarName = "";
  for (const content of contentLines(text)) {
    const { name, value, line } = content;
    const entry = open.at(-1);
    if (name === "BEGIN") {
      const component = value.trim().toUpperCase();
      const isLeftOut = entry?.isLeftOut === true || LEFT_OUT.has(component);
      if (entry !== undefined && !isLeftOut) writeEntry(entry, builder);
      open.push({ name: component, line, lines: [], isLeftOut, hasHeading: false });
    } else if (name === "END") {
      if (entry !== undefined) writeEntry(entry, builder);
      open.pop();
      builder.separate("\n\n");
    } else if (name === "X-WR-CALNAME" || (name === "NAME" && entry?.name === "VCALENDAR")) {
      calendarName ||= unescaped(value).trim();
    } else if (entry !== undefined && !entry.isLeftOut && (FACTS.has(name) || name === "N")) {
      entry.lines.push(content);
      if (entry.lines.length >= MAX_LINES) writeEntry(entry, builder);
    }
  }
  const last = open.at(-1); // of a file that was cut off
  if (last !== undefined) writeEntry(last, builder);
  return calendarName;
}

/** Writes the lines that an entry has until now, below its heading. */
function writeEntry(entry: Entry, builder: TextBuilder): void {
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
    const fact = content === heading?.content ? "" : factOf(content, lines);
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

type Writer = (content: ContentLine, lines: readonly ContentLine[]) => string;

/** What a property is called, and how its value is written. */
const FACTS: ReadonlyMap<string, readonly [label: string, write?: Writer]> = new Map<string, [string, Writer?]>([
  ["SUMMARY", ["Title"]],
  ["DTSTART", ["Start", datesOf]],
  ["DTEND", ["End", endOf]],
  ["DUE", ["Due", datesOf]],
  ["COMPLETED", ["Completed", datesOf]],
  ["DURATION", ["Duration", ({ value }) => durationOf(value)]],
  ["RRULE", ["Repeats", ({ value }) => ruleOf(value) ?? value]],
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
function factOf(content: ContentLine, lines: readonly ContentLine[]): string {
  const known = FACTS.get(content.name);
  if (known === undefined) return "";
  const [label, write = (one: ContentLine) => unescaped(one.value)] = known;
  const value = write(content, lines).trim();
  if (value === "" || label === "") return value;
  const types = content.parameters.get("TYPE") ?? [];
  const kinds = [...new Set(types.flatMap((type) => KINDS.get(type.toLowerCase()) ?? []))];
  return `${label}${kinds.length === 0 ? "" : ` (${kinds.join(", ")})`}: ${value}`;
}

const listed = (parts: readonly string[]): string => parts.filter((part) => part !== "").join(", ");

/** "a, b and c" */
function joined(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

/** "Ada Lovelace, ada@example.org" */
function personOf({ parameters, value }: ContentLine): string {
  return listed([parameters.get("CN")?.[0] ?? "", unescaped(value).replace(/^mailto:/i, "")]);
}

const DATE = /^(\d{4}|-)-?(0\d|1[0-2])-?([0-2]\d|3[01])(?:T(\d\d):?(\d\d)(?::?\d\d)?(Z)?)?$/;
const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = "January February March April May June July August September October November December".split(" ");
/** The year in which programs of Apple put birthdays without one. */
const NO_YEAR = "1604";

/** The dates of a value. What is not a date is kept as written. */
function datesOf({ value }: ContentLine): string {
  return value
    .split(",")
    .map((date) => readableDate(date) ?? unescaped(date))
    .join("; ");
}

/** Events of whole days end on the day before DTEND (RFC 5545 3.6.1), except where it is the day of the start. */
function endOf({ value }: ContentLine, lines: readonly ContentLine[]): string {
  const isLater = lines.find(({ name }) => name === "DTSTART")?.value.trim() !== value.trim();
  return readableDate(value, isLater && /^\d{8}$/.test(value.trim()) ? -1 : 0) ?? unescaped(value);
}

/**
 * "20250522T140000" as "Thursday 2025-05-22, 14:00", "--0415" as "15 April".
 * @param shift  days that are added
 * @returns undefined if it is not a date
 */
function readableDate(value: string, shift = 0): string | undefined {
  const [found, year, month, day, hour, minute, utc] = DATE.exec(value.trim()) ?? [];
  if (found === undefined) return undefined;
  const hasYear = year !== "-" && year !== NO_YEAR;
  const date = new Date(Date.UTC(hasYear ? Number(year) : 2000, Number(month) - 1, Number(day)));
  const isReal = date.getUTCMonth() === Number(month) - 1 && (!hasYear || date.getUTCFullYear() === Number(year));
  if (!isReal) return undefined;
  if (!hasYear) return `${Number(day)} ${MONTHS[date.getUTCMonth()]}`;
  date.setUTCDate(date.getUTCDate() + shift);
  const time = hour === undefined ? "" : `, ${hour}:${minute}${utc === undefined ? "" : " UTC"}`;
  return `${WEEKDAYS[date.getUTCDay()]} ${date.toISOString().slice(0, 10)}${time}`;
}

const UNITS = new Map([
  ["W", "week"],
  ["D", "day"],
  ["H", "hour"],
  ["M", "minute"],
  ["S", "second"],
]);

/** "PT1H30M" as "1 hour 30 minutes". */
function durationOf(value: string): string {
  const parts = Array.from(
    value.matchAll(/(\d{1,6})([WDHMS])/g),
    ([, count, unit]) => `${count} ${UNITS.get(unit!)}${count === "1" ? "" : "s"}`,
  );
  return parts.join(" ");
}

const FREQUENCIES = new Map<string, [adverb: string, unit: string]>([
  ["DAILY", ["daily", "days"]],
  ["WEEKLY", ["weekly", "weeks"]],
  ["MONTHLY", ["monthly", "months"]],
  ["YEARLY", ["yearly", "years"]],
]);
const ORDINALS = new Map([
  ["1", "first"],
  ["2", "second"],
  ["3", "third"],
  ["4", "fourth"],
  ["5", "fifth"],
  ["-1", "last"],
]);
/** Parts of a rule that can be written as words; with others, the rule is kept as written. */
const RULE_PARTS = /^(?:FREQ|INTERVAL|BYDAY|BYMONTHDAY|BYMONTH|BYSETPOS|UNTIL|COUNT|WKST)$/;

/**
 * "FREQ=WEEKLY;BYDAY=TH;UNTIL=20250731" as "weekly, on Thursday, until Thursday 2025-07-31".
 * @returns undefined for a rule that is not known in all its parts
 */
function ruleOf(value: string): string | undefined {
  const rule = new Map<string, string>();
  for (const part of value.trim().split(";")) {
    const equals = part.indexOf("=");
    if (!RULE_PARTS.test(part.slice(0, equals))) return undefined;
    rule.set(part.slice(0, equals), part.slice(equals + 1));
  }
  const [adverb, unit] = FREQUENCIES.get(rule.get("FREQ") ?? "") ?? [];
  const interval = Number(rule.get("INTERVAL") ?? 1);
  const count = rule.get("COUNT");
  const until = rule.get("UNTIL");
  const parts = [
    adverb === undefined || !(interval >= 1) ? undefined : interval > 1 ? `every ${interval} ${unit}` : adverb,
    daysIn(rule),
    monthDaysIn(rule),
    monthsIn(rule),
    until === undefined ? "" : prefixed("until ", readableDate(until)),
    count === undefined ? "" : `${count} times`,
  ];
  return parts.includes(undefined) ? undefined : listed(parts as string[]);
}

const prefixed = (prefix: string, text: string | undefined): string | undefined =>
  text === undefined ? undefined : prefix + text;

/** "on Monday and Friday", "on the second Tuesday"; "" without days. */
function daysIn(rule: ReadonlyMap<string, string>): string | undefined {
  const position = rule.get("BYSETPOS");
  const given = rule.get("BYDAY")?.split(",");
  if (given === undefined) return position === undefined ? "" : undefined;
  if (position !== undefined && (given.length > 1 || /\d/.test(given[0]!))) return undefined;
  const days = given.map((day) => dayOf(position === undefined ? day : position + day));
  return days.includes(undefined) ? undefined : `on ${joined(days as string[])}`;
}

/** "TH" as "Thursday", "-1FR" as "the last Friday". */
function dayOf(value: string): string | undefined {
  const [, place, short] = /^([+-]?\d*)([A-Z]{2})$/.exec(value) ?? [];
  const day = WEEKDAYS.find((name) => name.slice(0, 2).toUpperCase() === short);
  if (day === undefined || place === "") return day;
  const ordinal = ORDINALS.get(place!.replace("+", ""));
  return ordinal === undefined ? undefined : `the ${ordinal} ${day}`;
}

function monthDaysIn(rule: ReadonlyMap<string, string>): string | undefined {
  const given = rule.get("BYMONTHDAY");
  if (given === undefined) return "";
  if (given === "-1") return "on the last day of the month";
  return /^\d{1,2}(?:,\d{1,2})*$/.test(given) ? `on day ${joined(given.split(","))} of the month` : undefined;
}

function monthsIn(rule: ReadonlyMap<string, string>): string | undefined {
  const months = rule
    .get("BYMONTH")
    ?.split(",")
    .map((month) => MONTHS[Number(month) - 1]);
  if (months === undefined) return "";
  return months.includes(undefined) ? undefined : `in ${joined(months as string[])}`;
}
