/** `--where EXPR`: restricts a command to the documents that match a filter. */

import { Option } from "commander";
import { type FilterableDocument, type KindMismatch, passesFilter } from "../../src/filter/evaluate.js";
import { parseFilter } from "../../src/filter/parse.js";
import { plain } from "./render/terminal.js";

export function whereOption(does: string): Option {
  return new Option("--where <expr>", `${does}, as in 'year >= 2020 and tag = "ops"'`);
}

export const WHERE_HELP = `
Filters: FIELD = != < <= > >= VALUE, FIELD in (VALUE, …), FIELD contains "text", exists FIELD; and, or, not, ( ).
Texts and dates need quotes. Fields: your own, id, title, source, modified, extension, folder. See docs/cli.md.
`;

/** A filter that remembers whether a document matched. */
export interface Where {
  passes(document: FilterableDocument): boolean;
  /** Explains a likely mistake if no document matched; undefined if there is none. */
  mistake(): string | undefined;
  /** Says so if documents were tested and none matched; otherwise undefined. */
  note(): string | undefined;
}

/** @throws FilterSyntaxError */
export function openWhere(where: string): Where {
  const filter = parseFilter(where);
  let tested = 0;
  let passed = 0;
  let mismatch: KindMismatch | undefined;
  const mistake = (): string | undefined => {
    if (passed > 0 || mismatch === undefined) return undefined;
    const { field, found, value } = mismatch;
    const example = JSON.stringify(Array.isArray(found) ? (found[0] ?? "") : found);
    return `note: ${plain(field)} is ${kindOf(found)}, such as ${plain(example)}, but the filter compares it with ${kindOf(value)}, which never matches.`;
  };
  return {
    passes(document) {
      tested++;
      const passes = passesFilter(filter, document, (found) => {
        mismatch ??= found;
      });
      if (passes) passed++;
      return passes;
    },
    mistake,
    note() {
      if (passed > 0 || tested === 0) return undefined;
      return (
        mistake() ??
        "note: No document matches --where; check the names and values of its fields (ask without --where and with --json to see them)."
      );
    },
  };
}

function kindOf(value: KindMismatch["found"]): string {
  if (Array.isArray(value)) return "a list of texts";
  return { string: "a text", number: "a number", boolean: "true or false" }[typeof value as "string"];
}
