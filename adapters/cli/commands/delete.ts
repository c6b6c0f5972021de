/** `verbatim delete`: removes documents from an index, by id or by a filter. Needs no model. */

import { resolve } from "node:path";
import { type Command, Option } from "commander";
import type { StoredDocument } from "../../../src/index/segment/stored-documents.js";
import { isClusterAddress, shownAddress } from "../../opensearch/address.js";
import { wrongUse } from "../errors.js";
import { openWhere, WHERE_HELP, whereOption } from "../filter-option.js";
import { indexFolder } from "../index-folder.js";
import { anyIndexOption, examples, jsonOption } from "../options.js";
import { type CliContext, exitStatus, type Io, printLine } from "../process-io.js";
import { count, counted, plain } from "../render/terminal.js";

/** Ids printed; --json lists all. */
const SHOWN = 20;

interface DeleteFlags {
  index: string;
  where?: string;
  dryRun?: boolean;
  json?: boolean;
}

export function registerDelete(program: Command, context: CliContext): void {
  program
    .command("delete")
    .summary("remove documents from an index")
    .description(
      "Removes documents from an index, by id or by a filter. Your files are not touched. The next question no longer finds the documents.",
    )
    .argument("[id...]", "ids as in ask --json: for files, the path relative to the working folder")
    .addOption(whereOption("all documents that match"))
    .addOption(new Option("--dry-run", "only list the documents that would be deleted"))
    .addOption(anyIndexOption())
    .addOption(jsonOption())
    .addHelpText(
      "after",
      `${WHERE_HELP}${examples([
        "verbatim delete notes/old.md notes/older.md",
        `verbatim delete --where 'folder = "drafts" and modified < "2025-01-01"' --dry-run`,
        `verbatim delete --where 'id contains ".tmp"' --index ./my.index`,
      ])}\nExit status: 0 deleted (or would be), 1 no such document, 2 usage error, 3 unusable or locked index.\n`,
    )
    .action((ids: string[], flags: DeleteFlags) => deleteDocuments(ids, flags, context));
}

async function deleteDocuments(ids: string[], flags: DeleteFlags, context: CliContext): Promise<void> {
  const { io } = context;
  const { where, dryRun = false } = flags;
  if (ids.length === 0 && where === undefined)
    throw wrongUse(
      "No document was selected.",
      "Name ids, or use a filter: verbatim delete --where 'folder = \"drafts\"'.",
    );
  if (ids.length > 0 && where !== undefined)
    throw wrongUse("Ids and --where cannot be combined.", `Use one of them, or: --where 'id in ("a", "b") and …'.`);
  const filter = where === undefined ? undefined : openWhere(where);
  const wanted = new Set(ids);
  const writer = dryRun ? undefined : await openWriter(flags.index, io);
  const index = writer ?? (await openForReading(flags.index, io));
  const found: string[] = [];
  let { version } = index;
  try {
    for await (const document of index.documents({ signal: io.signal }))
      if (filter ? filter.passes(document) : wanted.has(document.id)) found.push(document.id);
    if (writer !== undefined && found.length > 0) {
      await writer.remove(found);
      version = await writer.commit();
      if (!isClusterAddress(flags.index)) await removeOriginals(resolve(io.cwd, flags.index), found);
    }
  } finally {
    await index.close();
  }
  const there = new Set(found);
  const unknown = [...wanted].filter((id) => !there.has(id));
  const documents = index.documentCount;
  report(
    { found, unknown, version, documents, note: filter?.mistake() },
    { ...flags, index: shownAddress(flags.index) },
    io,
  );
  if (found.length === 0) context.setStatus(exitStatus.noAnswer);
}

/** Removes the files of documents that were uploaded to a server. */
async function removeOriginals(path: string, ids: readonly string[]): Promise<void> {
  const { KeptOriginals } = await import("../../node/storage/kept-originals.js");
  const { originalsOf } = await import("../../node/storage/side-folders.js");
  await new KeptOriginals(originalsOf(path)).remove(ids);
}

/** A version of an index. */
interface Reading {
  readonly version: number;
  readonly documentCount: number;
  documents(options: { signal: AbortSignal }): AsyncIterable<StoredDocument>;
  close(): Promise<void>;
}

/** A writer, or the part of a cluster's that deletes. */
interface Deleter extends Reading {
  remove(ids: readonly string[]): Promise<unknown>;
  commit(): Promise<number>;
}

/** Takes no lock, so it does not wait for a writer. */
async function openForReading(index: string, io: Io): Promise<Reading> {
  if (isClusterAddress(index)) return openWriter(index, io); // a cluster has no lock
  const { documentsIn } = await import("../../node/list-documents.js");
  const { openSnapshot } = await import("../../../src/index/open-snapshot.js");
  const { FileStorage } = await import("../../node/storage/file-storage.js");
  const path = await indexFolder(index, io);
  const snapshot = await openSnapshot(new FileStorage(path), { signal: io.signal });
  const { version, documentCount } = snapshot;
  return {
    version,
    documentCount,
    documents: (options) => documentsIn(snapshot, options),
    close: () => snapshot.close(),
  };
}

async function openWriter(index: string, io: Io): Promise<Deleter> {
  const { env, signal } = io;
  if (isClusterAddress(index)) {
    const { openClusterDeleter } = await import("../../opensearch/open.js");
    return openClusterDeleter({ address: index, env, signal });
  }
  const { openIndexWriter } = await import("../../../src/index/write/writer.js");
  const { FileStorage } = await import("../../node/storage/file-storage.js");
  const path = await indexFolder(index, io);
  const writer = await openIndexWriter(new FileStorage(path), { signal });
  return Object.assign(writer, {
    remove: async (ids: readonly string[]) => {
      for (const id of ids) writer.delete(id);
    },
  });
}

interface Deleted {
  found: string[];
  unknown: string[];
  version: number;
  /** Documents left in the index. */
  documents: number;
  note: string | undefined;
}

function report({ found, unknown, version, documents, note }: Deleted, flags: DeleteFlags, io: Io): void {
  const { index, dryRun = false } = flags;
  if (flags.json) {
    const deleted = dryRun ? 0 : found.length;
    printLine(io.stdout, JSON.stringify({ index, deleted, dryRun, ids: found, unknown, version, documents }));
    return;
  }
  for (const id of unknown.slice(0, SHOWN)) printLine(io.stderr, `No document ${plain(id)} in ${index}.`);
  if (unknown.length > SHOWN) printLine(io.stderr, `… and ${count(unknown.length - SHOWN)} more that are not there.`);
  if (note !== undefined) printLine(io.stderr, note);
  if (found.length === 0) {
    printLine(io.stdout, flags.where === undefined ? "Nothing was deleted." : "No document matches the filter.");
    return;
  }
  printLine(io.stdout, `${dryRun ? "Would delete" : "Deleted"} ${counted(found.length, "document")}:`);
  for (const id of found.slice(0, SHOWN)) printLine(io.stdout, `  ${plain(id)}`);
  if (found.length > SHOWN) printLine(io.stdout, `  … and ${count(found.length - SHOWN)} more (--json lists all)`);
  if (!dryRun) printLine(io.stdout, `${index} now holds ${counted(documents, "document")} (version ${version}).`);
}
