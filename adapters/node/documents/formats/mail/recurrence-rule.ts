/** Rules by which events of calendars are repeated (RFC 5545 3.3.10), in words. */

import { MONTHS, readableDate, WEEKDAYS, type ZoneClock } from "./calendar-dates.js";
import { listed } from "./content-lines.js";

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
 * @param clock  on which times in UTC are shown
 * @returns undefined for a rule that is not known in all its parts
 */
export function ruleOf(value: string, clock: ZoneClock): string | undefined {
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
    until === undefined ? "" : prefixed("until ", readableDate(until, { clock })),
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

/** "a, b and c" */
function joined(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}
