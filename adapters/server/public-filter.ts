/**
 * Filters that see documents as callers do: a folder that the API returns can be used in a filter,
 * and no filter finds out more about the server's paths.
 */

import type { AskOptions } from "../../src/ask/options.js";
import type { AskResult } from "../../src/ask/result.js";
import type { Filter } from "../../src/filter/ast.js";
import { compileFilter, type FilterableDocument } from "../../src/filter/evaluate.js";
import { parseFilter } from "../../src/filter/parse.js";
import { printFilter } from "../../src/filter/print.js";
import type { IndexInfo } from "../../src/index/index-info.js";
import type { QuotationInput, QuoteCheck, QuoteOptions } from "../../src/quote/types.js";
import type { PathRedactor } from "./http/path-redactor.js";
import type { OpenIndex } from "./served-index.js";

/** An open index that is asked with converted options. */
export class PublicIndex implements OpenIndex {
  readonly #index: OpenIndex;
  readonly #convert: (options: AskOptions) => AskOptions;

  /**
   * @param index  closed with this one
   * @param convert  `withPublicFilter`, or `withoutPaths` for an index in a cluster
   */
  constructor(index: OpenIndex, convert: (options: AskOptions) => AskOptions) {
    this.#index = index;
    this.#convert = convert;
  }

  get version(): number {
    return this.#index.version;
  }

  get info(): IndexInfo {
    return this.#index.info;
  }

  async ask(question: string, options: AskOptions = {}): Promise<AskResult> {
    return this.#index.ask(question, this.#convert(options));
  }

  async *askStream(question: string, options: AskOptions = {}): AsyncGenerator<AskResult, void> {
    yield* this.#index.askStream(question, this.#convert(options));
  }

  quote(quotations: readonly QuotationInput[], options?: QuoteOptions): Promise<QuoteCheck[]> {
    return this.#index.quote(quotations, options);
  }

  refresh(options?: { signal?: AbortSignal; atLeastVersion?: number }): Promise<number> {
    return this.#index.refresh(options);
  }

  close(): Promise<void> {
    return this.#index.close();
  }
}

/**
 * The options with `where` as a filter function over public fields.
 * @throws FilterSyntaxError (`invalid-argument`)
 */
export function withPublicFilter(given: AskOptions, redactor: PathRedactor): AskOptions {
  const { where, ...options } = given;
  if (where === undefined || options.filter !== undefined) return given; // the engine refuses both
  const { passes, key } = compileFilter(where);
  const filter = (document: FilterableDocument): boolean => passes(publicFields(document, redactor));
  return { ...options, filter, advanced: { ...options.advanced, filterKey: `public ${key}` } };
}

/** Ids and sources are converted when the filter needs them: it may be applied to millions of documents. */
function publicFields({ id, title, source, metadata }: FilterableDocument, redactor: PathRedactor): FilterableDocument {
  return {
    title,
    get id() {
      return redactor.redact(id);
    },
    get source() {
      return redactor.redactSource(source);
    },
    metadata: metadata && redactor.redactMetadata(metadata),
  };
}

/** Fields whose values may be paths. */
const PATH_FIELDS: ReadonlySet<string> = new Set(["id", "source", "folder", "file.folder"]);

/**
 * The options with a `where` that absolute paths, and paths that lead out of the working folder,
 * never match. A cluster compares the stored values, so it cannot compare their public names.
 * @throws FilterSyntaxError (`invalid-argument`)
 */
export function withoutPaths({ where, ...options }: AskOptions): AskOptions {
  return where === undefined ? options : { ...options, where: printFilter(relativeOnly(parseFilter(where))) };
}

function relativeOnly(filter: Filter): Filter {
  switch (filter.kind) {
    case "and":
    case "or":
      return { kind: filter.kind, parts: filter.parts.map(relativeOnly) };
    case "not":
      return { kind: "not", part: relativeOnly(filter.part) };
    case "exists":
      return filter;
    default:
      if (!PATH_FIELDS.has(filter.field)) return filter;
      return { kind: "and", parts: [filter, { kind: "not", part: leadsOut(filter.field) }] };
  }
}

function leadsOut(field: string): Filter {
  const equal: Filter = { kind: "compare", field, operator: "=", value: ".." };
  return { kind: "or", parts: [equal, beginsWith(field, "/"), beginsWith(field, "../")] };
}

/** @param beginning  ends with a slash; "0" is the next character */
function beginsWith(field: string, beginning: string): Filter {
  const next = `${beginning.slice(0, -1)}0`;
  return {
    kind: "and",
    parts: [
      { kind: "compare", field, operator: ">=", value: beginning },
      { kind: "compare", field, operator: "<", value: next },
    ],
  };
}
