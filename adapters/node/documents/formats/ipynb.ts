/** Jupyter notebooks: text cells as Markdown, code cells, and what they printed. Code is never run. */

import type { Document } from "../../../../src/types.js";
import { decodeText } from "../decode.js";
import type { ReadContext } from "../input.js";
import { unreadable, unsupported } from "../skip.js";
import { withoutTerminalCodes } from "../terminal-codes.js";
import { jsonProblem, parseJson } from "./json-problem.js";
import { MarkdownWriter } from "./md.js";
import { metadataOf } from "./records.js";

interface Cell {
  cell_type?: unknown;
  source?: unknown;
  input?: unknown;
  outputs?: unknown;
}

/** Output of a cell beyond this is data, not text. */
const MAX_OUTPUT_UNITS = 10_000;

/**
 * One document; its places are cells ("cell 3", "cell 3, output"). Title: that of the notebook's metadata, else the
 * first heading, else the file's name.
 * @throws VerbatimError `unreadable-document` for broken JSON, `unsupported-document` for JSON that is not a notebook
 */
export function readIpynb(bytes: Uint8Array, context: ReadContext): Document[] {
  const notebook = parse(decodeText(bytes).text, context);
  const writer = new MarkdownWriter(context.limits);
  const { builder } = writer;
  for (const [i, cell] of cellsOf(notebook).entries()) {
    const path = `cell ${i + 1}`;
    const source = textOf(cell.source ?? cell.input);
    builder.separate("\n\n");
    if (cell.cell_type === "markdown") writer.writeSource(source, path);
    else builder.write(source.trimEnd(), { path });
    builder.separate("\n\n");
    for (const output of Array.isArray(cell.outputs) ? cell.outputs : []) {
      const { text, isMarkdown } = outputText(output);
      if (isMarkdown) writer.writeSource(text, `${path}, output`);
      else builder.write(text.trim(), { path: `${path}, output` });
      builder.separate("\n\n");
    }
  }
  const { title, language } = metadataOfNotebook(notebook);
  return [
    {
      id: context.input.id,
      title: title || builder.firstHeading() || context.name,
      source: context.input.path,
      ...builder.content("notebook"),
      metadata: metadataOf(Object.entries({ language })),
    },
  ];
}

function parse(text: string, context: ReadContext): Record<string, unknown> {
  const problem = jsonProblem(text, context.limits);
  if (problem !== undefined) throw unreadable(problem, "Split it, or convert it to Markdown.");
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    throw unreadable("is not valid JSON", "Save the notebook again.", error);
  }
  if (typeof value === "object" && value !== null && ("cells" in value || "worksheets" in value)) return { ...value };
  throw unsupported("is JSON, but not a notebook", "Save the notebook again.");
}

/** Format 3 has its cells in worksheets. */
function cellsOf({ cells, worksheets }: Record<string, unknown>): Cell[] {
  const lists = Array.isArray(worksheets)
    ? worksheets.map((sheet: { cells?: unknown } | null) => sheet?.cells)
    : [cells];
  return lists.flatMap((list) =>
    Array.isArray(list) ? list.filter((cell): cell is Cell => typeof cell === "object" && cell !== null) : [],
  );
}

/** A text, or its lines. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.filter((line) => typeof line === "string").join("") : "";
}

function outputText(output: unknown): { text: string; isMarkdown: boolean } {
  const { text, data } = (output ?? {}) as { text?: unknown; data?: Record<string, unknown> | null };
  const texts = [textOf(text), textOf(data?.["text/markdown"]), textOf(data?.["text/plain"])];
  const at = texts.findIndex((one) => one !== "" && one.length <= MAX_OUTPUT_UNITS);
  return { text: withoutTerminalCodes(texts[at] ?? ""), isMarkdown: at === 1 };
}

function metadataOfNotebook({ metadata }: Record<string, unknown>): { title: string; language: string | undefined } {
  const { title, kernelspec, language_info } = (metadata ?? {}) as Record<string, unknown>;
  const named = (language_info ?? kernelspec) as { name?: unknown } | null | undefined;
  return {
    title: typeof title === "string" ? title.trim() : "",
    language: typeof named?.name === "string" ? named.name : undefined,
  };
}
