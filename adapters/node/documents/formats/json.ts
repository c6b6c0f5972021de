/** JSON: each value on a line, below the keys that lead to it. Files in the form of SQuAD are read as SQuAD. */

import { countNewlines } from "../../../../src/text/newlines.js";
import { oneLine } from "../../../../src/text/one-line.js";
import type { Document } from "../../../../src/types.js";
import { decodeText } from "../decode.js";
import type { ReadContext } from "../input.js";
import type { ReadLimits } from "../limits.js";
import { unreadable } from "../skip.js";
import { withoutTerminalCodes } from "../terminal-codes.js";
import { stringEnd } from "./json-problem.js";
import { squadDocuments } from "./squad.js";
import { type SourceMark, TextBuilder } from "./text-builder.js";

/**
 * One document. Places are lines, and the element of an array that the value belongs to ("messages[3]"). Title: `title`
 * or `name` of the outermost object, else the file's name. Comments and commas before a closing bracket, which editors
 * allow in settings, are skipped; several values one after another are read as the elements of an array.
 * @throws VerbatimError `unreadable-document` for broken JSON and beyond the limits
 */
export function readJson(bytes: Uint8Array, context: ReadContext): Document[] {
  const { text } = decodeText(bytes);
  const squad = squadDocuments(text, context);
  if (squad !== undefined) return squad;
  const writer = new JsonWriter(text, context);
  writer.writeAll();
  return [
    {
      id: context.input.id,
      title: writer.title || context.name,
      source: context.input.path,
      ...writer.builder.content("json"),
    },
  ];
}

const INDENT = "  ";
/** Deeper values are indented no further, so that the text stays in proportion to the file. */
const MAX_INDENT_UNITS = 40;
/** A longer path is not part of a place. */
const MAX_PATH_UNITS = 100;

/** The time of a part of the file, which has a limit, is that of this many values. */
const VALUES_PER_PART = 100_000;

/** How the line of a value begins, and where the value belongs. */
interface Position {
  /** What is before the value on its line: "name: ", "- " or "". */
  lead: string;
  indent: string;
  /** Keys and indexes that lead to the value: "users[0].name"; undefined if it is too long. */
  path: string | undefined;
  /** Path of the innermost element of an array that holds the value and is itself an array or object. */
  element: string | undefined;
  depth: number;
}

/** A line of a key whose value has lines of its own. */
interface KeyLine {
  text: string;
  mark: SourceMark;
}

/** Parses JSON from its text, so that numbers keep their digits, and writes each value in its order. */
class JsonWriter {
  readonly builder: TextBuilder;
  readonly #text: string;
  readonly #limits: ReadLimits;
  readonly #onPart: () => void;
  #at = 0;
  #line = 1;
  #values = 0;
  #roots = 0;
  /** Keys that are written before the next value, so that keys of empty values are left out. */
  #keys: KeyLine[] = [];
  /** A blank line is written before the next value. */
  #startsBlock = false;
  readonly #titles: { title?: string; name?: string } = {};

  constructor(text: string, { limits, onPart }: ReadContext) {
    this.#text = text;
    this.#limits = limits;
    this.#onPart = onPart;
    this.builder = new TextBuilder(limits);
  }

  /** Title of the file's only object; "" if there is none. */
  get title(): string {
    return this.#roots > 1 ? "" : this.#titles.title || this.#titles.name || "";
  }

  writeAll(): void {
    for (this.#skipSpace(); this.#at < this.#text.length; this.#skipSpace()) {
      this.#roots++;
      this.builder.separate("\n\n");
      this.#writeValue({ lead: "", indent: "", path: "", element: undefined, depth: 0 });
    }
  }

  /** Writes the value that begins here, after white space. @returns it if it is a string */
  #writeValue(position: Position): string | undefined {
    this.#skipSpace();
    const { maxJsonValues } = this.#limits;
    if (++this.#values > maxJsonValues) {
      throw unreadable(`has more than ${maxJsonValues.toLocaleString("en")} values`, SPLIT);
    }
    if (this.#values % VALUES_PER_PART === 0) this.#onPart();
    const first = this.#text[this.#at];
    if (first === "{" || first === "[") {
      const { maxDepth } = this.#limits;
      if (position.depth >= maxDepth) throw unreadable(`is nested more than ${maxDepth} levels deep`, SPLIT);
      this.#at++;
      if (first === "{") this.#writeMembers(position);
      else this.#writeElements(position);
    } else if (first === '"') {
      const value = this.#string();
      this.#writeLine(value, position);
      return value;
    } else {
      NUMBER_OR_WORD.lastIndex = this.#at;
      const value = NUMBER_OR_WORD.exec(this.#text)?.[0];
      if (value === undefined) throw this.#invalid();
      this.#at += value.length;
      if (!NO_VALUE.has(value)) this.#writeLine(value, position);
    }
    return undefined;
  }

  #writeMembers(position: Position): void {
    while (!this.#closes("}")) {
      if (this.#text[this.#at] !== '"') throw this.#invalid();
      const key = oneLine(this.#string());
      this.#skipSpace();
      if (this.#text[this.#at++] !== ":") throw this.#invalid();
      this.#skipSpace();
      const member = { ...position, path: pathOf(position.path, key), depth: position.depth + 1 };
      const opens = /[{[]/.test(this.#text.charAt(this.#at));
      if (opens && key !== "") {
        const before = this.#keys.length;
        this.#keys.push({ text: `${position.indent}${key}:`, mark: this.#markOf(position) });
        this.#writeValue({ ...member, lead: "", indent: deeper(position.indent) });
        this.#keys.length = Math.min(this.#keys.length, before);
      } else {
        const value = this.#writeValue({ ...member, lead: key === "" ? "" : `${key}: ` });
        if (position.depth === 0 && (key === "title" || key === "name")) this.#titles[key] = oneLine(value ?? "");
      }
      this.#endItem("}");
    }
  }

  #writeElements(position: Position): void {
    const start = this.builder.length;
    for (let index = 0; !this.#closes("]"); index++) {
      const item = { ...position, lead: "- ", depth: position.depth + 1 };
      if (/[{[]/.test(this.#text.charAt(this.#at))) {
        const path = pathOf(position.path, index);
        const before = this.builder.length;
        const startsBlock = this.#startsBlock;
        // None between a key and its first block.
        if (before > start) this.#startsBlock = true;
        this.#writeValue({ ...item, lead: "", path, element: path ?? position.element });
        if (this.builder.length > before) this.builder.separate("\n\n");
        else this.#startsBlock = startsBlock;
      } else this.#writeValue(item);
      this.#endItem("]");
    }
  }

  /** Whether the bracket that closes an array or object is next; it is skipped. */
  #closes(bracket: "}" | "]"): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== bracket) return false;
    this.#at++;
    return true;
  }

  /** Skips the comma after an item, which only the last one may lack. */
  #endItem(bracket: "}" | "]"): void {
    this.#skipSpace();
    const next = this.#text[this.#at];
    if (next === ",") this.#at++;
    else if (next !== bracket) throw this.#invalid();
  }

  /** Writes a line with a value that is not empty, below the keys that lead to it. */
  #writeLine(value: string, position: Position): void {
    const lines = withoutTerminalCodes(value)
      .trim()
      .split(/\r\n|\r|\n/);
    if (lines.length === 1 && lines[0] === "") return;
    this.builder.separate(this.#startsBlock ? "\n\n" : "\n");
    this.#startsBlock = false;
    for (const { text, mark } of this.#keys) {
      this.builder.write(text, mark);
      this.builder.separate("\n");
    }
    this.#keys = [];
    const inner = `\n${position.lead === "" ? position.indent : deeper(position.indent)}`;
    const text = lines.reduce((all, line) => all + (line.trim() === "" ? "\n" : inner + line));
    this.builder.write(position.indent + position.lead + text, this.#markOf(position));
    this.builder.separate("\n");
  }

  #markOf({ element }: Position): SourceMark {
    return element === undefined ? { line: this.#line } : { line: this.#line, path: element };
  }

  /** The string that begins here. */
  #string(): string {
    const end = stringEnd(this.#text, this.#at);
    if (end < 0) throw this.#invalid();
    try {
      const value = JSON.parse(this.#text.slice(this.#at, end + 1)) as string;
      this.#at = end + 1;
      return value;
    } catch {
      throw this.#invalid();
    }
  }

  #skipSpace(): void {
    for (; this.#at < this.#text.length; this.#at++) {
      const unit = this.#text[this.#at];
      if (unit === "\n") this.#line++;
      else if (unit === "/") this.#skipComment();
      else if (unit !== " " && unit !== "\t" && unit !== "\r") return;
    }
  }

  /** Skips a comment up to its last character. */
  #skipComment(): void {
    const isLine = this.#text.startsWith("//", this.#at);
    if (!isLine && !this.#text.startsWith("/*", this.#at)) throw this.#invalid();
    const end = isLine ? this.#text.indexOf("\n", this.#at) : this.#text.indexOf("*/", this.#at + 2);
    if (end < 0 && !isLine) throw this.#invalid();
    const next = end < 0 ? this.#text.length : isLine ? end - 1 : end + 1;
    this.#line += countNewlines(this.#text.slice(this.#at, next));
    this.#at = next;
  }

  #invalid(): Error {
    return unreadable(
      `is not valid JSON (line ${this.#line})`,
      "Fix that line, or read the file as plain text with --format txt.",
    );
  }
}

const SPLIT = "Split it, or read it as plain text with --format txt.";

/** Python writes the last three, which are not JSON, for numbers that are missing or too large. */
const NO_VALUE = new Set(["null", "NaN", "Infinity", "-Infinity"]);

const NUMBER_OR_WORD = /(?:true|false|null|NaN|-?Infinity|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;

/** The path of a member or an element. */
function pathOf(parent: string | undefined, step: string | number): string | undefined {
  if (parent === undefined) return undefined;
  const path = typeof step === "number" ? `${parent}[${step}]` : parent === "" ? step : `${parent}.${step}`;
  return path.length > MAX_PATH_UNITS ? undefined : path;
}

function deeper(indent: string): string {
  return indent.length < MAX_INDENT_UNITS ? indent + INDENT : indent;
}
