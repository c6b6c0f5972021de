/** `--field year=2020`: a field for every document of a run. */

import { InvalidArgumentError, Option } from "commander";
import type { MetadataValue } from "../../../src/types.js";

export type Fields = Record<string, MetadataValue>;

export function fieldOption(): Option {
  return new Option("--field <key=value>", "a field for every document, for --where (may be given again)").argParser(
    addField,
  );
}

/**
 * A value is a number or true/false if it is written as one prints (2020, −1.5, true), else a text; in double quotes it is always a text. A key
 * that is given again makes a list of texts. For commander, which prefixes the option's name.
 */
export function addField(given: string, fields: Fields = {}): Fields {
  const at = given.indexOf("=");
  const key = given.slice(0, Math.max(0, at)).trim();
  if (key === "") throw new InvalidArgumentError("Give it as key=value, as in --field year=2020.");
  if (key.startsWith("file.")) throw new InvalidArgumentError("Fields file.… are those of the file itself.");
  const text = given.slice(at + 1).trim();
  const before = Object.hasOwn(fields, key) ? fields[key] : undefined;
  const value = before === undefined ? fieldValue(text) : [...textsOf(before), unquoted(text)];
  return Object.fromEntries([...Object.entries(fields).filter(([name]) => name !== key), [key, value]]);
}

function fieldValue(text: string): MetadataValue {
  if (text === "true" || text === "false") return text === "true";
  // "007", "1e3" and "+49" are no numbers: as one, they would lose what a person wrote.
  const isNumber = text !== "" && Number.isFinite(Number(text)) && String(Number(text)) === text;
  return isNumber ? Number(text) : unquoted(text);
}

function unquoted(text: string): string {
  return /^".*"$/s.test(text) && text.length > 1 ? text.slice(1, -1) : text;
}

function textsOf(value: MetadataValue): string[] {
  return Array.isArray(value) ? value : [String(value)];
}
