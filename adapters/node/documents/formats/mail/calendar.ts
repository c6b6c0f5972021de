/** Calendars and contacts (.ics, .vcf): each event, task and person as a heading with its facts. */

import type { TextBuilder } from "../text-builder.js";
import { type ContentLine, contentLines, partsOf, unescaped } from "./content-lines.js";

/** Whether a text is a calendar or a list of contacts. */
export function isCalendar(text: string): boolean {
  return /^\s?BEGIN:(?:VCALENDAR|VCARD)\s/i.test(text.slice(0, 30));
}

/** Components that are part of others and say nothing to people. */
const LEFT_OUT = new Set(["VALARM", "VTIMEZONE", "STANDARD", "DAYLIGHT", "VFREEBUSY"]);

/**
 * Writes what a calendar or an address book says. Times are written as dates ("Thursday 2025-05-22, 14:00"), what
 * programs alone need is left out, and each fact has its first line in the file as its place.
 * @returns the name of the calendar, "" if it has none
 */
export function writeCalendar(text: string, builder: TextBuilder): string {
  /** The components that are open, outermost first, each with its lines so far. */
  const open: { name: string; lines: ContentLine[] }[] = [];
  let calendarName = "";
  for (const content of contentLines(text)) {
    const { name, value } = content;
    if (name === "BEGIN") open.push({ name: value.trim().toUpperCase(), lines: [] });
    else if (name === "X-WR-CALNAME") calendarName ||= unescaped(value).trim();
    else if (name !== "END") open.at(-1)?.lines.push(content);
    else writeEntry(open.pop(), builder);
  }
  for (const entry of open.reverse()) writeEntry(entry, builder); // a file that was cut off
  return calendarName;
}

function writeEntry(entry: { name: string; lines: ContentLine[] } | undefined, builder: TextBuilder): void {
  if (entry === undefined || LEFT_OUT.has(entry.name)) return;
  const heading = entry.lines.find(({ name }) => name === "SUMMARY" || name === "FN") ?? nameOf(entry.lines);
  builder.separate("\n\n");
  if (heading !== undefined) {
    builder.beginHeading(1);
    builder.write(unescaped(heading.value).trim(), { line: heading.line });
    builder.endHeading();
  }
  for (const content of entry.lines) {
    const fact = content === heading ? "" : factOf(content);
    if (fact === "") continue;
    builder.separate("\n");
    builder.write(fact, { line: content.line });
  }
  builder.separate("\n\n");
}

/** The name of a person without FN: "Möller;Jürgen" as "Jürgen Möller". */
function nameOf(lines: readonly ContentLine[]): ContentLine | undefined {
  const name = lines.find((content) => content.name === "N" || content.name === "ORG");
  if (name === undefined) return undefined;
  const [family = "", given = "", more = "", prefix = "", suffix = ""] = partsOf(name.value);
  const inOrder = name.name === "N" ? [prefix, given, more, family, suffix] : [family];
  return { ...name, value: inOrder.filter((part) => part !== "").join(" ") };
}

/** What a property is called, and how its value is written. */
const FACTS: Readonly<Record<string, [label: string, write?: (content: ContentLine) => string]>> = {
  SUMMARY: ["Title"],
  DTSTART: ["Start", dateOf],
  DTEND: ["End", endOf],
  DUE: ["Due", dateOf],
  COMPLETED: ["Completed", dateOf],
  DURATION: ["Duration", ({ value }) => durationOf(value)],
  RRULE: ["Repeats", ({ value }) => ruleOf(value)],
  EXDATE: ["Not on", dateOf],
  LOCATION: ["Place"],
  DESCRIPTION: [""],
  COMMENT: ["Comment"],
  STATUS: ["Status", ({ value }) => value.toLowerCase()],
  CATEGORIES: ["Categories", ({ value }) => listed(value.split(/(?<!\\),/).map((one) => unescaped(one).trim()))],
  ORGANIZER: ["Organiser", personOf],
  ATTENDEE: ["Attendee", personOf],
  CONTACT: ["Contact"],
  URL: ["Link"],
  ATTACH: ["Attachment"],
  FN: ["Name"],
  NICKNAME: ["Nickname"],
  ORG: ["Organisation", ({ value }) => listed(partsOf(value))],
  TITLE: ["Position"],
  ROLE: ["Role"],
  TEL: ["Phone", ({ value }) => unescaped(value).replace(/^tel:/i, "")],
  EMAIL: ["Email"],
  ADR: ["Address", ({ value }) => listed(partsOf(value).flatMap((part) => part.split("\n")))],
  BDAY: ["Birthday", dateOf],
  ANNIVERSARY: ["Anniversary", dateOf],
  NOTE: ["Note"],
};

/** Kinds of phone numbers and addresses that are shown. */
const KINDS: Readonly<Record<string, string>> = {
  cell: "mobile",
  home: "home",
  work: "work",
  fax: "fax",
  iphone: "mobile",
};

/** "Phone (mobile): +44 7700 900812"; "" for what people do not ask for. */
function factOf(content: ContentLine): string {
  const known = FACTS[content.name];
  if (known === undefined) return "";
  const [label, write = (one: ContentLine) => unescaped(one.value)] = known;
  const value = write(content).trim();
  if (value === "" || label === "") return value;
  const types = content.parameters.get("TYPE") ?? [];
  const kinds = [...new Set(types.flatMap((type) => KINDS[type.toLowerCase()] ?? []))];
  return `${label}${kinds.length === 0 ? "" : ` (${kinds.join(", ")})`}: ${value}`;
}

const listed = (parts: readonly string[]): string => parts.filter((part) => part !== "").join(", ");

/** "Ada Lovelace, ada@example.org" */
function personOf({ parameters, value }: ContentLine): string {
  return listed([parameters.get("CN")?.[0] ?? "", unescaped(value).replace(/^mailto:/i, "")]);
}

const DATE = /^(\d{4})-?(0\d|1[0-2])-?([0-2]\d|3[01])(?:T(\d\d):?(\d\d)(?::?\d\d)?(Z)?)?$/;
const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** The dates of a value; what is none is written as it is. */
function dateOf({ value }: ContentLine): string {
  return value
    .split(",")
    .map((date) => readableDate(date))
    .join("; ");
}

/** The end of events of whole days is the day after them (RFC 5545 3.6.1). */
function endOf({ value }: ContentLine): string {
  return readableDate(value, /^\d{8}$/.test(value) ? -1 : 0);
}

/** "20250522T140000" as "Thursday 2025-05-22, 14:00". @param shift  days that are added */
function readableDate(value: string, shift = 0): string {
  const found = DATE.exec(value.trim());
  if (found === null) return unescaped(value);
  const [, year, month, day, hour, minute, utc] = found;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day) + shift));
  const time = hour === undefined ? "" : `, ${hour}:${minute}${utc === undefined ? "" : " UTC"}`;
  return `${WEEKDAYS[date.getUTCDay()]} ${date.toISOString().slice(0, 10)}${time}`;
}

const UNITS: Readonly<Record<string, string>> = { W: "week", D: "day", H: "hour", M: "minute", S: "second" };

/** "PT1H30M" as "1 hour 30 minutes". */
function durationOf(value: string): string {
  return Array.from(
    value.matchAll(/(\d{1,6})([WDHMS])/g),
    ([, count, unit]) => `${count} ${UNITS[unit!]}${count === "1" ? "" : "s"}`,
  ).join(" ");
}

const FREQUENCIES: Readonly<Record<string, [adverb: string, unit: string]>> = {
  DAILY: ["daily", "days"],
  WEEKLY: ["weekly", "weeks"],
  MONTHLY: ["monthly", "months"],
  YEARLY: ["yearly", "years"],
};

/** "FREQ=WEEKLY;BYDAY=TH;UNTIL=20250731" as "weekly, on Thursday, until Thursday 2025-07-31". */
function ruleOf(value: string): string {
  const rules = new Map(
    value
      .split(";")
      .map((part): [string, string] => [part.slice(0, part.indexOf("=")), part.slice(part.indexOf("=") + 1)]),
  );
  const [adverb, unit] = FREQUENCIES[rules.get("FREQ") ?? ""] ?? [];
  if (adverb === undefined) return value;
  const interval = Number(rules.get("INTERVAL") ?? 1);
  const days = rules.get("BYDAY")?.split(",").map(dayOf);
  const until = rules.get("UNTIL");
  const count = rules.get("COUNT");
  return listed([
    interval > 1 ? `every ${interval} ${unit}` : adverb,
    days === undefined ? "" : `on ${days.join(" and ")}`,
    rules.has("BYMONTHDAY") ? `on day ${rules.get("BYMONTHDAY")} of the month` : "",
    until === undefined ? "" : `until ${readableDate(until.slice(0, 8))}`,
    count === undefined ? "" : `${count} times`,
  ]);
}

/** "TH" as "Thursday", "-1FR" as "the last Friday", "2MO" as "the second Monday" of a month. */
function dayOf(value: string): string {
  const [, place = "", short = ""] = /^([+-]?\d*)(\w\w)$/.exec(value) ?? [];
  const day = WEEKDAYS.find((name) => name.slice(0, 2).toUpperCase() === short) ?? value;
  const ordinal = { "1": "first", "2": "second", "3": "third", "4": "fourth", "5": "fifth", "-1": "last" }[
    place.replace("+", "")
  ];
  return ordinal === undefined ? day : `the ${ordinal} ${day}`;
}
