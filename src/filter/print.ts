/**
 * Prints a filter so that `parseFilter(printFilter(f))` equals f. Equal filters print alike, so the
 * text also serves as a key.
 */

import type { Filter, FilterValue } from "./ast.js";
import { isKeyword, PLAIN_FIELD } from "./tokenize.js";

export function printFilter(filter: Filter): string {
  switch (filter.kind) {
    case "and":
    case "or":
      return filter.parts.map((part) => bracketed(part, filter.kind === "and")).join(` ${filter.kind} `);
    case "not":
      return `not ${bracketed(filter.part, true)}`;
    case "exists":
      return `exists ${printField(filter.field)}`;
    case "compare":
      return `${printField(filter.field)} ${filter.operator} ${printValue(filter.value)}`;
    case "in":
      return `${printField(filter.field)} in (${filter.values.map(printValue).join(", ")})`;
    case "contains":
      return `${printField(filter.field)} contains ${printValue(filter.text)}`;
  }
}

/** Adds parentheses around nested chains, except for an `and` inside an `or`. */
function bracketed(part: Filter, tight: boolean): string {
  const text = printFilter(part);
  return part.kind === "or" || (part.kind === "and" && tight) ? `(${text})` : text;
}

function printField(field: string): string {
  return PLAIN_FIELD.test(field) && !isKeyword(field.toLowerCase()) ? field : `[${field.replaceAll("]", "]]")}]`;
}

function printValue(value: FilterValue): string {
  return typeof value === "string" ? `"${value.replace(/["\\]/g, "\\$&")}"` : String(value);
}
