/** Content lines of calendars and contacts, unfolded and decoded (RFC 5545 3.1, RFC 6350 3.2, vCard 2.1). */

import { isEncoding } from "../../older-encodings.js";

export interface ContentLine {
  /** In capitals, without the name of a group: "TEL". */
  name: string;
  /** By name in capitals. Those without a name are in TYPE, as vCard 2.1 has them. */
  parameters: ReadonlyMap<string, readonly string[]>;
  /** With its escapes. */
  value: string;
  /** The first of its lines in the file, from 1. */
  line: number;
}

/** UTF-16 units of the name and the parameters of a line. Longer lines are left out. */
const MAX_HEAD_UNITS = 2000;
const NO_PARAMETERS: ReadonlyMap<string, readonly string[]> = new Map();

/** Every line that has a name and a value. Values in base64, such as photos, are left out. O(text) */
export function* contentLines(text: string): Generator<ContentLine> {
  let open = new OpenLine("", 1);
  let keepsBlanks = false;
  let line = 0;
  for (const written of linesOf(text)) {
    line++;
    if (open.continuesWith(written, keepsBlanks)) continue;
    const content = open.content();
    // vCard 2.1 folds lines before a blank that belongs to the value.
    if (content?.name === "VERSION") keepsBlanks = content.value.trim() === "2.1";
    if (content !== undefined) yield content;
    open = new OpenLine(written, line);
  }
  const content = open.content();
  if (content !== undefined) yield content;
}

/** A line that the next one may continue. */
class OpenLine {
  readonly #line: number;
  readonly #isQuotedPrintable: boolean;
  readonly #isBinary: boolean;
  readonly #parts: string[];

  constructor(first: string, line: number) {
    this.#line = line;
    const head = first.slice(0, MAX_HEAD_UNITS);
    this.#isQuotedPrintable = /^[^:]*;(?:ENCODING=)?QUOTED-PRINTABLE[;:]/i.test(head);
    this.#isBinary = /^[^:]*;(?:ENCODING=)?(?:B|BASE64)[;:]/i.test(head) || /^[^:]*:data:[^,]*;base64,/i.test(head);
    this.#parts = [first];
  }

  /** Adds a line if it belongs to this one. @returns whether it does */
  continuesWith(written: string, keepsBlanks: boolean): boolean {
    const last = this.#parts.at(-1)!;
    // Lines in quoted-printable continue after "=" (RFC 2045 6.7).
    const isOpen = this.#isQuotedPrintable && last.endsWith("=");
    if (isOpen) this.#parts[this.#parts.length - 1] = last.slice(0, -1);
    else if (!/^[ \t]/.test(written)) return false;
    if (!this.#isBinary) this.#parts.push(isOpen || keepsBlanks ? written : written.slice(1));
    return true;
  }

  /** Undefined for a value in base64, and for what has no name and value. */
  content(): ContentLine | undefined {
    const text = this.#isBinary ? "" : this.#parts.join("");
    const head = text.slice(0, MAX_HEAD_UNITS);
    const colon = placesOf(head, ":")[0];
    if (colon === undefined || colon === 0) return undefined;
    const [name = "", ...given] = cutAt(head.slice(0, colon), ";");
    const parameters = given.length === 0 ? NO_PARAMETERS : parametersOf(given);
    const value = text.slice(colon + 1);
    return {
      name: name.slice(name.lastIndexOf(".") + 1).toUpperCase(),
      parameters,
      value: this.#isQuotedPrintable ? decodeQuotedPrintable(value, parameters.get("CHARSET")?.[0]) : value,
      line: this.#line,
    };
  }
}

function parametersOf(given: readonly string[]): Map<string, string[]> {
  const parameters = new Map<string, string[]>();
  for (const parameter of given) {
    const equals = parameter.indexOf("=");
    const name = equals < 0 ? "TYPE" : parameter.slice(0, equals).toUpperCase();
    const text = parameter.slice(equals + 1);
    // vCard 4 quotes lists of types: TYPE="voice,home".
    const values = name === "TYPE" ? text.replaceAll('"', "").split(",") : cutAt(text, ",");
    const known = parameters.get(name) ?? [];
    for (const value of values) known.push(value.replaceAll('"', ""));
    parameters.set(name, known);
  }
  return parameters;
}

/** Places of a mark outside quotation marks. */
function placesOf(text: string, mark: string): number[] {
  const places: number[] = [];
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') isQuoted = !isQuoted;
    else if (text[at] === mark && !isQuoted) places.push(at);
  }
  return places;
}

function cutAt(text: string, mark: string): string[] {
  const places = placesOf(text, mark);
  return [...places, text.length].map((end, n) => text.slice(n === 0 ? 0 : places[n - 1]! + 1, end));
}

/** A value without escapes. */
export function unescaped(value: string): string {
  return value.replace(/\\([nN,;:\\])/g, (_, unit: string) => (unit === "n" || unit === "N" ? "\n" : unit));
}

/** The parts of a value, without escapes. @param mark  ";" in addresses and names, "," in lists */
export function partsOf(value: string, mark = ";"): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at <= value.length; at++) {
    if (value[at] === "\\") at++;
    else if (at === value.length || value[at] === mark) {
      parts.push(unescaped(value.slice(start, at)).trim());
      start = at + 1;
    }
  }
  if (start < value.length && value.endsWith("\\")) parts.push(unescaped(value.slice(start)).trim());
  return parts;
}

/** "a, b": the parts that are not empty. */
export const listed = (parts: readonly string[]): string => parts.filter((part) => part !== "").join(", ");

function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const next = text.indexOf("\n", start);
    const end = next < 0 ? text.length : next;
    yield text.slice(start, text[end - 1] === "\r" ? end - 1 : end);
    start = end + 1;
  }
}

function decodeQuotedPrintable(value: string, charset = "utf-8"): string {
  const decoder = new TextDecoder(isEncoding(charset) ? charset : "utf-8");
  const decoded = value.replace(/(?:=[0-9a-f]{2})+/gi, (codes) =>
    decoder.decode(Buffer.from(codes.replaceAll("=", ""), "hex")),
  );
  return decoded.replaceAll("\r\n", "\n");
}
