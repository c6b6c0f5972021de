/** Dates, times and durations of calendars as people write them. */

const DATE = /^(\d{4}|-)-?(0\d|1[0-2])-?([0-2]\d|3[01])(?:T(\d\d):?(\d\d)(?::?\d\d)?(Z)?)?$/;
export const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
export const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);
/** The year in which programs of Apple put birthdays without one. */
const NO_YEAR = "1604";

/** The clock of a time zone; undefined for UTC. */
export type ZoneClock = Intl.DateTimeFormat | undefined;

/** @param zone  such as "Europe/Berlin". @returns undefined for UTC, and for a name that is not a time zone */
export function clockOf(zone: string): ZoneClock {
  try {
    const clock = new Intl.DateTimeFormat("en-GB", {
      timeZone: zone,
      calendar: "gregory",
      numberingSystem: "latn",
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
    });
    return /^(?:Etc\/)?(?:UTC|UCT|GMT|Zulu|Universal)$/i.test(clock.resolvedOptions().timeZone) ? undefined : clock;
  } catch {
    return undefined;
  }
}

interface DateOptions {
  /** Days that are added. Default 0. */
  shift?: number;
  /** Clock on which times in UTC are shown. Default: UTC. */
  clock?: ZoneClock;
}

/**
 * "20250522T140000" as "Thursday 2025-05-22, 14:00", "--0415" as "15 April".
 * @returns undefined if it is not a date
 */
export function readableDate(value: string, { shift = 0, clock }: DateOptions = {}): string | undefined {
  const [found, year, month, day, hour, minute, utc] = DATE.exec(value.trim()) ?? [];
  if (found === undefined) return undefined;
  const hasYear = year !== "-" && year !== NO_YEAR;
  const date = new Date(Date.UTC(hasYear ? Number(year) : 2000, Number(month) - 1, Number(day)));
  const isReal = date.getUTCMonth() === Number(month) - 1 && (!hasYear || date.getUTCFullYear() === Number(year));
  if (!isReal) return undefined;
  if (!hasYear) return `${Number(day)} ${MONTHS[date.getUTCMonth()]}`;
  if (hour === undefined) return dayOf(shifted(date, shift));
  if (utc !== undefined && clock !== undefined && Number(hour) < 24 && Number(minute) < 60) {
    const local = localTime(new Date(date.getTime() + (Number(hour) * 60 + Number(minute)) * 60_000), clock);
    if (local !== undefined) return local;
  }
  return `${dayOf(shifted(date, shift))}, ${hour}:${minute}${utc === undefined ? "" : " UTC"}`;
}

const dayOf = (date: Date): string => `${WEEKDAYS[date.getUTCDay()]} ${date.toISOString().slice(0, 10)}`;

function shifted(date: Date, days: number): Date {
  const result = new Date(date);
  result.setUTCDate(result.getUTCDate() + days);
  return result;
}

/** @returns undefined after the year 9999 */
function localTime(time: Date, clock: Intl.DateTimeFormat): string | undefined {
  const parts = new Map(clock.formatToParts(time).map(({ type, value }) => [type, value]));
  const day = new Date(Date.UTC(Number(parts.get("year")), Number(parts.get("month")) - 1, Number(parts.get("day"))));
  return day.getUTCFullYear() > 9999 ? undefined : `${dayOf(day)}, ${parts.get("hour")}:${parts.get("minute")}`;
}

const UNITS = new Map([
  ["W", "week"],
  ["D", "day"],
  ["H", "hour"],
  ["M", "minute"],
  ["S", "second"],
]);

/** "PT1H30M" as "1 hour 30 minutes". */
export function durationOf(value: string): string {
  const parts = Array.from(
    value.matchAll(/(\d{1,6})([WDHMS])/g),
    ([, count, unit]) => `${count} ${UNITS.get(unit!)}${count === "1" ? "" : "s"}`,
  );
  return parts.join(" ");
}
