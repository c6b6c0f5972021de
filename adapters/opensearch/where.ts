/**
 * Filters in a cluster: stores the fields of a document as keywords, and converts a filter to a
 * query over them. It matches the same documents as src/filter/evaluate.ts. A keyword is name, NUL,
 * value; numbers are 16 hex digits in numeric order.
 */

import type { CompareOperator, Filter, FilterValue } from "../../src/filter/ast.js";
import type { FilterableDocument } from "../../src/filter/evaluate.js";
import type { MetadataValue } from "../../src/types.js";
import { anyOf } from "./search-page.js";

/** UTF-16 units of a text that are compared; a cluster rejects keywords of 32 KiB. */
const MAX_TEXT_UNITS = 8000;
const END = "\u0001";

interface FieldKeywords {
  texts: string[];
  numbers: string[];
  truths: string[];
  names: string[];
}

/** All field names that a filter can use for the document, with their values. */
export function fieldKeywords({ id, title, source, metadata = {} }: FilterableDocument): FieldKeywords {
  const fields = new Map<string, MetadataValue>(Object.entries(metadata));
  for (const [name, value] of Object.entries({ id, title, source })) if (!fields.has(name)) fields.set(name, value);
  for (const [name, value] of Object.entries(metadata)) {
    const short = name.startsWith("file.") ? name.slice("file.".length) : name;
    if (!fields.has(short)) fields.set(short, value);
  }
  const keywords: FieldKeywords = { texts: [], numbers: [], truths: [], names: [...fields.keys()].map(safe) };
  for (const [name, value] of fields) {
    for (const element of Array.isArray(value) ? value : [value])
      keywords[kindOf(element)].push(keyword(name, element));
  }
  return keywords;
}

type KeywordKind = "texts" | "numbers" | "truths";

const kindOf = (value: FilterValue): KeywordKind =>
  typeof value === "string" ? "texts" : typeof value === "number" ? "numbers" : "truths";

/** Names must not contain the separator. */
const safe = (name: string): string =>
  name.replaceAll("\0", "\ufffd").replaceAll(END, "\ufffd").slice(0, MAX_TEXT_UNITS);

function keyword(name: string, value: FilterValue): string {
  const text =
    typeof value === "string" ? value.slice(0, MAX_TEXT_UNITS) : typeof value === "number" ? sortable(value) : value;
  return `${safe(name)}\0${text}`;
}

/** 16 hex digits: a < b exactly when sortable(a) < sortable(b). */
export function sortable(value: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value === 0 ? 0 : value); // −0 is 0
  const bits = view.getBigUint64(0);
  const ordered = bits >> 63n === 1n ? ~bits & 0xffff_ffff_ffff_ffffn : bits | (1n << 63n);
  return ordered.toString(16).padStart(16, "0");
}

/** Converts a filter to a query without scores. */
export function filterQuery(filter: Filter): object {
  switch (filter.kind) {
    case "and":
      return { bool: { filter: filter.parts.map(filterQuery) } };
    case "or":
      return anyOf(filter.parts.map(filterQuery));
    case "not":
      return { bool: { must_not: [filterQuery(filter.part)] } };
    case "exists":
      return { term: { names: safe(filter.field) } };
    case "in":
      return anyOf(filter.values.map((value) => compareQuery(filter.field, "=", value)));
    case "contains":
      return { wildcard: { texts: { value: `${escaped(`${safe(filter.field)}\0`)}*${escaped(filter.text)}*` } } };
    case "compare":
      return compareQuery(filter.field, filter.operator, filter.value);
  }
}

/** A list matches if any element does, so "is not" means that an element is smaller or larger. */
function compareQuery(name: string, operator: CompareOperator, value: FilterValue): object {
  const field = kindOf(value);
  const at = keyword(name, value);
  const [from, to] = [`${safe(name)}\0`, `${safe(name)}${END}`];
  const range = (bounds: object): object => ({ range: { [field]: bounds } });
  switch (operator) {
    case "=":
      return { term: { [field]: at } };
    case "!=":
      return anyOf([range({ gte: from, lt: at }), range({ gt: at, lt: to })]);
    case "<":
      return range({ gte: from, lt: at });
    case "<=":
      return range({ gte: from, lte: at });
    case ">":
      return range({ gt: at, lt: to });
    case ">=":
      return range({ gte: at, lt: to });
  }
}

const escaped = (text: string): string => text.replace(/[\\*?]/g, "\\$&");
