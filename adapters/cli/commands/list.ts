/** `verbatim list` and `verbatim show`: the documents of an index, and the text of one. Need no model. */

import { type Command, Option } from "commander";
import type { StoredDocument } from "../../../src/index/segment/stored-documents.js";
import type { Document } from "../../../src/types.js";
import { isClusterAddress, shownAddress } from "../../opensearch/address.js";
import { openWhere, WHERE_HELP, whereOption } from "../filter-option.js";
import { indexFolder } from "../index-folder.js";
import { anyIndexOption, examples, jsonOption, notEmpty } from "../options.js";
import { type CliContext, exitStatus, type Io, type Output, printLine } from "../process-io.js";
import { plain, plainLines } from "../render/terminal.js";

interface ListFlags {
  index: string;
  where?: string;
  long?: boolean;
  json?: boolean;
}

export function registerList(program: Command, context: CliContext): void {
  program
    .command("list")
    .summary("list the documents of an index")
    .description("Prints the ids of the documents in an index, in the order in which they were indexed.")
    .addOption(whereOption("only documents that match"))
    .addOption(new Option("--long", "also print how many passages each has, and its title"))
    .addOption(anyIndexOption())
    .addOption(jsonOption().conflicts("long"))
    .addHelpText(
      "after",
      `${WHERE_HELP}${examples([
        "verbatim list --long",
        `verbatim list --where 'extension = "pdf"' --index ./my.index`,
        "verbatim list --json | jq .title                # one object per line",
      ])}\nExit status: 0 listed, 1 no document (matches), 2 usage error, 3 unusable index.\n`,
    )
    .action((flags: ListFlags) => list(flags, context));
}

export function registerShow(program: Command, context: CliContext): void {
  program
    .command("show")
    .summary("print the text of a document")
    .description("Prints the text of a document as it was extracted. The offsets of answers refer to this text.")
    .argument("<id>", "id as verbatim list prints it", notEmpty)
    .addOption(anyIndexOption())
    .addOption(jsonOption())
    .addHelpText(
      "after",
      `${examples(["verbatim show notes/lease.md", "verbatim show notes/lease.pdf --json --index ./my.index"])}
Exit status: 0 printed, 1 no such document, 2 usage error, 3 unusable index.\n`,
    )
    .action((id: string, flags: Omit<ListFlags, "where">) => show(id, flags, context));
}

async function list(flags: ListFlags, { io, setStatus }: CliContext): Promise<void> {
  const filter = flags.where === undefined ? undefined : openWhere(flags.where);
  let listed = 0;
  for await (const document of documentsOf(flags.index, io)) {
    if (filter?.passes(document) === false) continue;
    listed++;
    printLine(io.stdout, flags.json ? JSON.stringify(document) : lineOf(document, flags.long ?? false));
  }
  if (listed > 0) return;
  const note = filter?.note();
  if (note !== undefined) printLine(io.stderr, note);
  setStatus(exitStatus.noAnswer);
}

function lineOf({ id, title, passages }: StoredDocument, long: boolean): string {
  return long ? [plain(id), passages, plain(title)].join("\t") : plain(id);
}

async function* documentsOf(index: string, io: Io): AsyncGenerator<StoredDocument> {
  const { env, signal } = io;
  if (isClusterAddress(index)) {
    const { openConnectedIndex } = await import("../../opensearch/open.js");
    const { storedDocuments } = await import("../../opensearch/documents.js");
    const connected = await openConnectedIndex({ address: index, env, signal });
    try {
      yield* storedDocuments(connected, { signal });
    } finally {
      await connected.connection.close();
    }
    return;
  }
  const { listDocuments } = await import("../../node/list-documents.js");
  const path = await indexFolder(index, io);
  yield* listDocuments(path, { signal });
}

async function show(id: string, { index, json = false }: Omit<ListFlags, "where">, context: CliContext): Promise<void> {
  const { io } = context;
  const document = await documentWith(id, index, io);
  if (document === undefined) {
    context.setStatus(exitStatus.noAnswer);
    const hint = "verbatim list prints the ids.";
    const message = `No document ${id} in ${shownAddress(index)}.`;
    if (json) printLine(io.stderr, JSON.stringify({ error: { code: "invalid-argument", message, hint } }));
    else printLine(io.stderr, `${plain(message)} ${hint}`);
    return;
  }
  if (json) printLine(io.stdout, JSON.stringify(document));
  else io.stdout.write(shownText(document.text, io.stdout));
}

/** A pipe gets the exact text. */
function shownText(text: string, output: Output): string {
  const shown = output.isTTY === true ? plainLines(text) : text;
  return shown.endsWith("\n") ? shown : `${shown}\n`;
}

async function documentWith(id: string, index: string, io: Io): Promise<Document | undefined> {
  const { env, signal } = io;
  if (isClusterAddress(index)) {
    const { openConnectedIndex } = await import("../../opensearch/open.js");
    const { readDocument } = await import("../../opensearch/documents.js");
    const connected = await openConnectedIndex({ address: index, env, signal });
    try {
      return await readDocument(connected, id, signal);
    } finally {
      await connected.connection.close();
    }
  }
  const { readDocument } = await import("../../node/list-documents.js");
  return readDocument(await indexFolder(index, io), id, { signal });
}
