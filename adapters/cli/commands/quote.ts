/** `verbatim quote`: checks quotations against the documents. */

import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Command, Option } from "commander";
import type { DraftQuotation } from "../../../src/quote/draft-quotations.js";
import type { QuotationInput, QuoteCheck } from "../../../src/quote/types.js";
import { countWords } from "../../../src/text/quotation-marks.js";
import { wrongUse } from "../errors.js";
import { indexFolder } from "../index-folder.js";
import { examples, indexOption, jsonOption, modelOption, wholeNumber } from "../options.js";
import { requirePlaceFor } from "../output-file.js";
import { type CliContext, exitStatus, type Io, printLine } from "../process-io.js";
import { quoteLines, quoteSummary } from "../render/quotations.js";
import { counted, styleFor } from "../render/terminal.js";
import { withIndex } from "../with-index.js";

/** Bytes of a draft. */
const MAX_DRAFT_BYTES = 16 * 1024 * 1024;

interface QuoteFlags {
  index: string;
  file?: string;
  source?: string;
  minWords?: number;
  report?: string;
  json?: boolean;
  model?: string;
}

export function registerQuote(program: Command, context: CliContext): void {
  program
    .command("quote")
    .summary("check whether quotations are in the documents")
    .description(
      "Checks word for word whether quotations are in the documents: those on the command line, or everything in quotation marks or block quotes in a draft.",
    )
    .argument("[text...]", "a quotation; several if each is quoted for the shell")
    .addOption(new Option("--file <draft>", "check every quotation of a Markdown or text file; - reads standard input"))
    .addOption(new Option("--source <name>", "the document that the quotation is said to come from"))
    .addOption(
      new Option("--min-words <n>", "with --file: skip quotations with fewer words (default: 1)").argParser(
        wholeNumber(1, 1000),
      ),
    )
    .addOption(new Option("--report <file>", "also write the result as one HTML file"))
    .addOption(indexOption("quote"))
    .addOption(jsonOption())
    .addOption(modelOption())
    .addHelpText(
      "after",
      `${examples([
        'verbatim quote "the observatory was founded by Ines Calder"',
        'verbatim quote "founded … in 1911" --source history.md',
        "verbatim quote --file draft.md --report draft-quotations.html",
      ])}\nExit status: 0 every quotation is exact, 1 at least one is not, 2 usage error, 3 unusable input or index.\n`,
    )
    .action((words: string[], flags: QuoteFlags) => quote(words, flags, context));
}

interface Draft {
  name: string;
  text: string;
  quotations: DraftQuotation[];
}

async function quote(words: string[], flags: QuoteFlags, context: CliContext): Promise<void> {
  const { io } = context;
  // several arguments are the words of one quotation, unless one of them has several words itself
  const given = words.some((word) => /\s/u.test(word.trim())) ? words : [words.join(" ")];
  const texts = given.filter((text) => text.trim() !== "");
  if ((texts.length === 0) === (flags.file === undefined)) {
    throw wrongUse("Give either quotations or --file DRAFT.", 'For example: verbatim quote "the words to verify"');
  }
  if (flags.file !== undefined && flags.source !== undefined) {
    throw wrongUse(
      "--source is for quotations on the command line.",
      "A draft names its sources next to its quotations.",
    );
  }
  if (flags.file === undefined && flags.minWords !== undefined) {
    throw wrongUse("--min-words is for drafts.", "Remove it, or check a draft with --file DRAFT.");
  }
  await requirePlaceFor(flags.report, flags.file === undefined ? [] : [flags.file], io);
  await indexFolder(flags.index, io); // also for a draft without quotations
  const draft = flags.file === undefined ? undefined : await readDraft(flags.file, flags, io);
  const source = flags.source === undefined ? {} : { attributedTo: flags.source };
  const inputs: readonly QuotationInput[] = draft?.quotations ?? texts.map((text) => ({ text, ...source }));
  const started = performance.now();
  // only the model's vocabulary is loaded: no network runs
  const opening = { index: flags.index, model: flags.model, threads: 1, reader: "off" } as const;
  const checks =
    inputs.length === 0 ? [] : await withIndex(opening, io, ({ index }) => index.quote(inputs, { signal: io.signal }));
  const tookMs = performance.now() - started;
  const lines = draft?.quotations.map(({ line }) => line);
  if (flags.json) printLine(io.stdout, JSON.stringify(jsonOf(checks, { draft, tookMs })));
  else print(checks, { io, lines });
  if (flags.report !== undefined) {
    const { quoteReport } = await import("../render/quote-report.js");
    const html = quoteReport(checks, { name: draft?.name ?? "", lines: lines ?? [] });
    await writeFile(resolve(io.cwd, flags.report), html);
  }
  if (checks.some(({ verdict }) => verdict !== "exact")) context.setStatus(exitStatus.noAnswer);
}

function jsonOf(checks: readonly QuoteCheck[], { draft, tookMs }: { draft: Draft | undefined; tookMs: number }) {
  const place = (n: number) => {
    const found = draft?.quotations[n];
    return found === undefined ? {} : { line: found.line, draftStart: found.start, draftEnd: found.end };
  };
  return {
    ...(draft === undefined ? {} : { draft: draft.name }),
    tookMs: Math.round(tookMs * 1000) / 1000,
    exact: checks.every(({ verdict }) => verdict === "exact"),
    quotations: checks.map((check, n) => ({ ...check, ...place(n) })),
  };
}

function print(checks: readonly QuoteCheck[], { io, lines }: { io: Io; lines: number[] | undefined }): void {
  const style = styleFor(io.stdout, io.env);
  for (const [n, check] of checks.entries()) {
    if (n > 0) printLine(io.stdout, "");
    for (const line of quoteLines(check, { style, line: lines?.[n] })) printLine(io.stdout, line);
  }
  if (lines !== undefined) printLine(io.stdout, `${checks.length > 0 ? "\n" : ""}${quoteSummary(checks)}`);
}

/**
 * @throws VerbatimError `unsupported-document` for binary data, `invalid-argument` for a large file, and those of
 *   reading
 */
async function readDraft(file: string, { minWords = 1 }: QuoteFlags, io: Io): Promise<Draft> {
  const { decodeText } = await import("../../node/documents/decode.js");
  const { quotationsIn } = await import("../../../src/quote/draft-quotations.js");
  const bytes =
    file === "-"
      ? await readAll(io)
      : await readFile(resolve(io.cwd, file)).catch((error) => {
          throw Object.assign(error, { path: file }); // as it was given; a folder's error names none
        });
  if (bytes.length > MAX_DRAFT_BYTES) throw tooLarge();
  const { text, encoding } = decodeText(bytes);
  if (encoding !== "utf-8") printLine(io.stderr, `note: The draft is not UTF-8; it was read as ${encoding}.`);
  const { quotations, unclosed } = quotationsIn(text);
  for (const line of unclosed.slice(0, 10)) printLine(io.stderr, `note: line ${line}: a quotation mark is not closed.`);
  const { MAX_QUOTATION_UNITS } = await import("../../../src/quote/check-quotations.js");
  const usable = quotations.filter((quotation) => {
    if (quotation.text.length <= MAX_QUOTATION_UNITS) return true;
    printLine(io.stderr, `note: line ${quotation.line}: the quotation is too long and was left out.`);
    return false;
  });
  const wanted = usable.filter((quotation) => countWords(quotation.text) >= minWords);
  const short = usable.length - wanted.length;
  if (short > 0) printLine(io.stderr, `note: ${counted(short, "shorter quotation")} left out.`);
  return { name: file === "-" ? "standard input" : file, text, quotations: wanted };
}

async function readAll({ stdin }: Io): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stdin) {
    chunks.push(Buffer.from(chunk as string | Uint8Array));
    length += chunks.at(-1)!.length;
    if (length > MAX_DRAFT_BYTES) throw tooLarge();
  }
  return Buffer.concat(chunks);
}

function tooLarge(): Error {
  return wrongUse("The draft is larger than 16 MB.", "Check it in parts.");
}
