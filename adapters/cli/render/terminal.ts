/** Text for a terminal. Document text must not move the cursor or change colours. */

import { UNSAFE_CHARACTERS } from "../../../src/errors.js";
import type { Io, Output } from "../process-io.js";

/** One line of plain text: white space and unsafe characters become single spaces. */
export function plain(text: string): string {
  return text.replace(UNSAFE_CHARACTERS, " ").replace(/\s+/g, " ").trim();
}

/** Text of several lines: unsafe characters other than tabs and newlines become spaces. */
export function plainLines(text: string): string {
  return text.replace(UNSAFE_CHARACTERS, (character) => (character === "\t" || character === "\n" ? character : " "));
}

export interface Style {
  bold(text: string): string;
  dim(text: string): string;
}

/** Escape sequences are sent to a terminal, unless NO_COLOR is set or it is a dumb one. */
export function isStyled(output: Output, env: Io["env"]): boolean {
  return output.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb";
}

/** Bold and dim on a terminal; plain text in a pipe, with NO_COLOR and on dumb terminals. */
export function styleFor(output: Output, env: Io["env"]): Style {
  const styled = isStyled(output, env);
  const wrap = (code: number) => (text: string) => (styled && text !== "" ? `\u001b[${code}m${text}\u001b[0m` : text);
  return { bold: wrap(1), dim: wrap(2) };
}

/** "12,345", without Intl, whose first formatter takes 8 ms. */
export function count(value: number): string {
  const digits = String(Math.abs(Math.round(value)));
  let grouped = digits.slice(-3);
  for (let end = digits.length - 3; end > 0; end -= 3)
    grouped = `${digits.slice(Math.max(0, end - 3), end)},${grouped}`;
  return Math.round(value) < 0 ? `-${grouped}` : grouped;
}

/** "1 file", "2,000 files" */
export function counted(value: number, one: string): string {
  return `${count(value)} ${value === 1 ? one : `${one}s`}`;
}

/** "0.3 s", "12 s", "3 min 20 s", "2 h 5 min" */
export function duration(seconds: number): string {
  if (seconds < 9.95) return `${Math.round(Math.max(0, seconds) * 10) / 10} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** Pads to `width` characters; longer texts are not cut. */
export function padded(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - [...text].length));
}
