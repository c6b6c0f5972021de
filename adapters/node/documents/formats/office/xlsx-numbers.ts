/** Numbers of cells as a reader sees them: dates, times, durations and percentages are numbers with a format. */

import type { OfficeArchive } from "./archive.js";
import { type NumberPattern, numberPattern, patternText } from "./number-pattern.js";

/** Times of a clock with twelve hours, after a date if there is one: "hh:mm AM/PM", "date h:mm:ss AM/PM". */
type TwelveHours = `${"" | "date "}${"h" | "hh"}${"" | ":mm" | ":mm:ss"} AM/PM`;

/** Durations: the code of their parts, of which the first counts beyond a day or an hour, such as "[h]:mm". */
export type CellFormat =
  | "general"
  | "date"
  | "time"
  | "date-time"
  | "percent"
  | TwelveHours
  | `[${string}`
  | NumberPattern;

const ONE_DIGIT = numberPattern("# ?/?")!;
const TWO_DIGITS = numberPattern("# ??/??")!;

/** Codes of built-in formats (ECMA-376 part 1, 18.8.30). */
const BUILT_IN_PATTERNS: ReadonlyMap<number, NumberPattern> = new Map(
  (
    [
      [1, "0"],
      [2, "0.00"],
      [3, "#,##0"],
      [4, "#,##0.00"],
      [9, "0%"],
      [10, "0.00%"],
      [37, "#,##0"],
      [38, "#,##0"],
      [39, "#,##0.00"],
      [40, "#,##0.00"],
    ] as const
  ).map(([id, code]) => [id, numberPattern(code)!]),
);

function builtIn(id: number): CellFormat {
  const pattern = BUILT_IN_PATTERNS.get(id);
  if (pattern !== undefined) return pattern;
  if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || (id >= 50 && id <= 58) || id === 36) return "date";
  if (id === 12 || id === 13) return id === 12 ? ONE_DIGIT : TWO_DIGITS;
  if (id === 18 || id === 19) return id === 18 ? "h:mm AM/PM" : "h:mm:ss AM/PM";
  if (id === 46) return "[h]:mm:ss";
  if ((id >= 20 && id <= 21) || (id >= 32 && id <= 35) || (id >= 45 && id <= 47)) return "time";
  return id === 22 ? "date-time" : "general";
}

/** Excel's limit. */
const MAX_CODE_UNITS = 255;

/** The format of a code such as `dd.mm.yyyy hh:mm`. */
function formatOfCode(code: string): CellFormat {
  const bare = code
    .slice(0, MAX_CODE_UNITS)
    .replace(/"[^"]*"|\\.|_.|\[(?!h+\]|m+\]|s+\])[^[\]]*\]/gi, "")
    .toLowerCase();
  const elapsed = durationOfCode(bare);
  if (elapsed !== undefined) return elapsed;
  const hasTime = /[hs]/.test(bare);
  const hasDate = /[yd]/.test(bare) || (/m/.test(bare) && !hasTime);
  if (/general/.test(bare)) return "general";
  if (hasTime && /am\/pm|a\/p/.test(bare)) return twelveHours(bare, hasDate ? "date " : "");
  if (hasDate) return hasTime ? "date-time" : "date";
  if (hasTime) return "time";
  return numberPattern(code.slice(0, MAX_CODE_UNITS)) ?? (bare.includes("%") ? "percent" : "general");
}

/** The format of a code with "am/pm" or "a/p", in lower case. An "m" for minutes follows hours or precedes seconds. */
function twelveHours(code: string, date: "" | "date "): CellFormat {
  const clock = code.replace(/am\/pm|a\/p/g, "");
  const hours = clock.includes("hh") ? "hh" : "h";
  if (clock.includes("s")) return `${date}${hours}:mm:ss AM/PM`;
  return /h[^a-z]*m/.test(clock) ? `${date}${hours}:mm AM/PM` : `${date}${hours} AM/PM`;
}

/** "[hh]:mm" of `[hh] mm`; undefined for a code without a total of hours, minutes or seconds. */
function durationOfCode(code: string): CellFormat | undefined {
  const [positive] = code.split(";") as [string];
  const total = /\[(?:h+|m+|s+)\]/.exec(positive)?.[0];
  if (total === undefined) return undefined;
  const others = positive.replace(total, "");
  const minutes = total[1] === "h" && others.includes("m") ? ":mm" : "";
  const seconds = total[1] !== "s" && others.includes("s") ? ":ss" : "";
  return `[${total.slice(1)}${minutes}${seconds}`;
}

/** The format of each cell style of a workbook. */
export function cellFormats(archive: OfficeArchive): CellFormat[] {
  const codes = new Map<number, string>();
  const formats: CellFormat[] = [];
  let inCellFormats = false;
  for (const { name, attributes } of archive.elements("xl/styles.xml")) {
    if (name === "numFmt") codes.set(Number(attributes.numFmtId), attributes.formatCode ?? "");
    else if (name === "cellXfs") inCellFormats = true;
    else if (name === "cellStyles" || name === "dxfs" || name === "cellStyleXfs") inCellFormats = false;
    else if (name === "xf" && inCellFormats) {
      const id = Number(attributes.numFmtId ?? 0);
      const code = codes.get(id);
      formats.push(code === undefined ? builtIn(id) : formatOfCode(code));
    }
  }
  return formats;
}

const DAY_MS = 86_400_000;
/** Day 0 of the two calendars of Excel, counted so that days from March 1900 on are right. */
const EPOCH_1900 = Date.UTC(1899, 11, 30);
const EPOCH_1904 = Date.UTC(1904, 0, 1);

/**
 * A number as text: "2026-01-31", "14:30", "2:30 PM", "12.5 %", "0.3", "1 1/2", "INV-0042". Text that is not a number
 * is returned as it is.
 */
export function shownNumber(text: string, format: CellFormat, date1904: boolean): string {
  const value = Number(text);
  if (!Number.isFinite(value)) return text;
  if (format === "percent") return `${rounded(value * 100)} %`;
  if (format === "general") return rounded(value);
  if (typeof format === "object") return patternText(value, format) || rounded(value);
  if (format.startsWith("[")) return shownDuration(value, format);
  const moment = new Date((date1904 ? EPOCH_1904 : EPOCH_1900) + Math.round((value * DAY_MS) / 1000) * 1000);
  if (Number.isNaN(moment.getTime())) return rounded(value);
  const [day, time] = moment.toISOString().split("T") as [string, string];
  const hasTwelveHours = format.endsWith(" AM/PM");
  const clock = hasTwelveHours ? twelveHourClock(time, format) : time.slice(0, time.slice(6, 8) === "00" ? 5 : 8);
  const isTime = format === "time" || (hasTwelveHours && !format.startsWith("date "));
  if (isTime || (value >= 0 && value < 1)) return clock;
  return format === "date" || value % 1 === 0 ? day : `${day} ${clock}`;
}

/** "3:05 PM" of "15:05:40" and the format "h:mm AM/PM". Smaller units than those of the format are cut off. */
function twelveHourClock(time: string, format: string): string {
  const hour = Number(time.slice(0, 2));
  const hours = String(hour % 12 || 12).padStart(format.includes("hh") ? 2 : 1, "0");
  const rest = time.slice(2, format.includes(":ss") ? 8 : format.includes(":mm") ? 5 : 2);
  return `${hours}${rest} ${hour < 12 ? "AM" : "PM"}`;
}

const UNIT_SECONDS = { h: 3600, m: 60, s: 1 };

/** "36:30" of 1.5208333 days and the format "[h]:mm". Smaller units than those of the format are cut off. */
function shownDuration(days: number, format: string): string {
  let seconds = Math.round((Math.abs(days) * DAY_MS) / 1000);
  if (!Number.isSafeInteger(seconds)) return rounded(days);
  const sign = days < 0 && seconds > 0 ? "-" : "";
  const parts = format.split(":").map((code) => {
    const letters = code.replace(/[[\]]/g, "");
    const unit = UNIT_SECONDS[letters[0] as keyof typeof UNIT_SECONDS];
    const count = Math.floor(seconds / unit);
    seconds -= count * unit;
    return String(count).padStart(letters.length, "0");
  });
  return sign + parts.join(":");
}

/** Without the noise of binary fractions: 0.30000000000000004 is "0.3". */
function rounded(value: number): string {
  return Math.abs(value) < 1e21 ? String(Number(value.toPrecision(15))) : String(value);
}
