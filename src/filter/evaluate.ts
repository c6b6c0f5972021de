/** Decides whether a document matches a filter. */

import type { MetadataValue } from "../types.js";
import type { CompareOperator, Filter, FilterValue } from "./ast.js";
import { parseFilter } from "./parse.js";
import { printFilter } from "./print.js";

/** The part of a document that filters use. */
export interface FilterableDocument {
  id: string;
  title: string;
  source: string;
  metadata?: Readonly<Record<string, MetadataValue>> | undefined;
}

/** A test that is false because field and value have different types. */
export interface KindMismatch {
  field: string;
  found: MetadataValue;
  value: FilterValue;
}

/**
 * The value of a name: the document's own field, otherwise its `id`, `title` or `source`, otherwise
 * the property of its file (`modified` for `file.modified`). Undefined if there is none.
 */
export function fieldOf(document: FilterableDocument, name: string): MetadataValue | undefined {
  const { metadata = {} } = document;
  if (Object.hasOwn(metadata, name)) return metadata[name];
  if (name === "id" || name === "title" || name === "source") return document[name];
  const ofFile = `file.${name}`;
  return Object.hasOwn(metadata, ofFile) ? metadata[ofFile] : undefined;
}

/**
 * A test of a missing field, or of a field of another type than the value, is false, also with
 * `!=`. Nothing is converted: 2020 is not "2020". Texts are compared by UTF-16 units, so case
 * matters and ISO dates compare as dates. A list matches if any of its elements does.
 * @param onMismatch called for every test that is false because of its types
 */
export function passesFilter(
  filter: Filter,
  document: FilterableDocument,
  onMismatch?: (mismatch: KindMismatch) => void,
): boolean {
  switch (filter.kind) {
    case "and":
      return filter.parts.every((part) => passesFilter(part, document, onMismatch));
    case "or":
      return filter.parts.some((part) => passesFilter(part, document, onMismatch));
    case "not":
      return !passesFilter(filter.part, document, onMismatch);
    case "exists":
      return fieldOf(document, filter.field) !== undefined;
    case "contains":
      return anyElement("contains", [filter.text]);
    case "compare":
      return anyElement(filter.operator, [filter.value]);
    case "in":
      return anyElement("=", filter.values);
  }

  function anyElement(operator: CompareOperator | "contains", values: readonly FilterValue[]): boolean {
    const { field } = filter as Extract<Filter, { field: string }>;
    const found = fieldOf(document, field);
    if (found === undefined) return false;
    const elements: readonly FilterValue[] = Array.isArray(found) ? found : [found];
    for (const value of values) {
      for (const element of elements) {
        if (typeof element !== typeof value) onMismatch?.({ field, found, value });
        else if (holds(element, operator, value)) return true;
      }
    }
    return false;
  }
}

/** Compares two values of the same type. */
function holds(element: FilterValue, operator: CompareOperator | "contains", value: FilterValue): boolean {
  switch (operator) {
    case "=":
      return element === value;
    case "!=":
      return element !== value;
    case "<":
      return element < value;
    case "<=":
      return element <= value;
    case ">":
      return element > value;
    case ">=":
      return element >= value;
    case "contains":
      return typeof element === "string" && element.includes(value as string);
  }
}

/**
 * Compiles a filter to a test of documents, and a key that is equal for equivalent filters.
 * @throws FilterSyntaxError (`invalid-argument`)
 */
export function compileFilter(where: string): { passes: (document: FilterableDocument) => boolean; key: string } {
  const filter = parseFilter(where);
  return { passes: (document) => passesFilter(filter, document), key: `where ${printFilter(filter)}` };
}
