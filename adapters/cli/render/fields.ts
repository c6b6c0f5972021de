/** `--field year=2020`: sets a field on every document of a run. */

import { InvalidArgumentError, Option } from "commander";
import type { MetadataValue } from "../../../src/types.js";

export type Fields = Record<string, MetadataValue>;

export function fieldOption(): Option {
  return new Option("--field <key=value>", "set a field on every document, for --where (repeatable)").argParser(
    addField,
  );
}

/**
 * A commander parser. A value is a number or a boolean if it is written exactly as one prints
 * (2020, -1.5, true), otherwise a text; in double quotes it is always a text. Repeating a key makes
 * a list of texts.
 */
export function addField(given: string, fields: Fields = {}): Fields {
  const at = given.indexOf("=");
  const key = given.slice(0, Math.max(0, at)).trim();
  if (key === "") throw new InvalidArgumentError("Write it as key=value, as in --field year=2020.");
  if (key.startsWith("file."))
    throw new InvalidArgumentError("Names that begin with file. are reserved for properties of the file.");
  const text = given.slice(at + 1).trim();
  const before = Object.hasOwn(fields, key) ? fields[key] : undefined;
  const value = before === undefined ? fieldValue(text) : [...textsOf(before), unquoted(text)];
  return Object.fromEntries([...Object.entries(fields).filter(([name]) => name !== key), [key, value]]);
}

function fieldValue(text: string): MetadataValue {
  if (text === "true" || text === "false") return text === "true";
  // "007", "1e3" and "+49" stay texts: as numbers they would lose their spelling
  const isNumber = text !== "" && Number.isFinite(Number(text)) && String(Number(text)) === text;
  return isNumber ? Number(text) : unquoted(text);
}

function unquoted(text: string): string {
  return /^".*"$/s.test(text) && text.length > 1 ? text.slice(1, -1) : text;
}

function textsOf(value: MetadataValue): string[] {
  return Array.isArray(value) ? value : [String(value)];
}
