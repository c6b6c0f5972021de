/** `--where EXPR`: which documents count. */

import { Option } from "commander";
import { type FilterableDocument, type KindMismatch, passesFilter } from "../../src/filter/evaluate.js";
import { parseFilter } from "../../src/filter/parse.js";
import { plain } from "./render/terminal.js";

export function whereOption(does: string): Option {
  return new Option("--where <expr>", `${does}, as in 'year >= 2020 and tag = "ops"'`);
}

export const WHERE_HELP = `
Filters: FIELD = != < <= > >= VALUE, FIELD in (VALUE, …), FIELD contains "text", exists FIELD; and, or, not, ( ).
Texts and dates stand in quotes. Fields: your own, id, title, source, modified, extension, folder. See docs/cli.md.
`;

/** A filter that keeps in mind why it let nothing through. */
export interface Where {
  passes(document: FilterableDocument): boolean;
  /** What a person may have meant when no document passed; undefined when nothing tells. */
  note(): string | undefined;
}

/** @throws FilterSyntaxError */
export function openWhere(where: string): Where {
  const filter = parseFilter(where);
  let passed = 0;
  let mismatch: KindMismatch | undefined;
  return {
    passes(document) {
      const passes = passesFilter(filter, document, (found) => {
        mismatch ??= found;
      });
      if (passes) passed++;
      return passes;
    },
    note() {
      if (passed > 0 || mismatch === undefined) return undefined;
      const { field, found, value } = mismatch;
      const example = JSON.stringify(Array.isArray(found) ? (found[0] ?? "") : found);
      return `note: ${plain(field)} holds ${kindOf(found)}, as ${plain(example)}, and is compared with ${kindOf(value)}: such a test is false.`;
    },
  };
}

function kindOf(value: KindMismatch["found"]): string {
  if (Array.isArray(value)) return "a list of texts";
  return { string: "a text", number: "a number", boolean: "true or false" }[typeof value as "string"];
}
