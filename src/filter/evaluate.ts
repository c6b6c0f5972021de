/** Does a document pass a filter? */

import type { MetadataValue } from "../types.js";
import type { CompareOperator, Filter, FilterValue } from "./ast.js";
import { parseFilter } from "./parse.js";
import { printFilter } from "./print.js";

/** What a filter looks at. */
export interface FilterableDocument {
  id: string;
  title: string;
  source: string;
  metadata?: Readonly<Record<string, MetadataValue>> | undefined;
}

/** A test that could not be true since the field and the value are of different kinds. */
export interface KindMismatch {
  field: string;
  found: MetadataValue;
  value: FilterValue;
}

/**
 * The value that a name stands for: the document's own field, else its `id`, `title` or `source`, else the field of its file
 * (`modified` for `file.modified`). Undefined when it has none.
 */
export function fieldOf(document: FilterableDocument, name: string): MetadataValue | undefined {
  const { metadata = {} } = document;
  if (Object.hasOwn(metadata, name)) return metadata[name];
  if (name === "id" || name === "title" || name === "source") return document[name];
  const ofFile = `file.${name}`;
  return Object.hasOwn(metadata, ofFile) ? metadata[ofFile] : undefined;
}

/**
 * A test of a field that is missing, or of another kind than the value, is false (so with `!=`, too); nothing is converted: 2020 is not
 * "2020". Texts compare by UTF-16 units, case counts, so ISO dates compare as dates. A list passes a test that any of its elements passes.
 * @param onMismatch  told of every test that was false for its kind alone
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

/** Both of one kind. */
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
 * A filter's text as a test of documents, and a key that is equal for filters that mean the same.
 * @throws FilterSyntaxError (`invalid-argument`)
 */
export function compileFilter(where: string): { passes: (document: FilterableDocument) => boolean; key: string } {
  const filter = parseFilter(where);
  return { passes: (document) => passesFilter(filter, document), key: `where ${printFilter(filter)}` };
}
