/**
 * `verbatim compact`: reclaims the space of deleted documents and merges small segments. Loads no
 * network.
 */

import { existsSync } from "node:fs";
import { type Command, Option } from "commander";
import type { IndexWriter } from "../../../src/index/write/writer.js";
import { formatBytes } from "../../node/documents/skip.js";
import { isClusterAddress, shownAddress } from "../../opensearch/address.js";
import type { ClusterCompactReport } from "../../opensearch/compact.js";
import { indexFolder } from "../index-folder.js";
import { anyIndexOption, examples, jsonOption } from "../options.js";
import { type CliContext, printLine } from "../process-io.js";
import { openBar } from "../render/progress.js";
import { counted } from "../render/terminal.js";

interface CompactFlags {
  index: string;
  full?: boolean;
  json?: boolean;
}

export function registerCompact(program: Command, context: CliContext): void {
  program
    .command("compact")
    .summary("merge segments and reclaim space")
    .description(
      "Merges small segments and drops deleted documents, which makes an index smaller and faster. Answers stay the same, and open readers are not affected.",
    )
    .addOption(anyIndexOption())
    .addOption(new Option("--full", "merge all segments, not only where it pays off"))
    .addOption(jsonOption())
    .addHelpText(
      "after",
      `${examples(["verbatim compact", "verbatim compact --full --index ./my.index", "verbatim compact --index opensearch://localhost:9200/notes"])}\nExit status: 0 done or nothing to do, 2 usage error, 3 unusable or locked index, 130 stopped (finished merges are kept).\n`,
    )
    .action((flags: CompactFlags) => compact(flags, context));
}

async function compact(flags: CompactFlags, context: CliContext): Promise<void> {
  if (isClusterAddress(flags.index)) return compactAddress(flags, context);
  const { io } = context;
  const { openIndexWriter } = await import("../../../src/index/write/writer.js");
  const { FileStorage } = await import("../../node/storage/file-storage.js");
  const { installedModel } = await import("../../node/models/installed-model.js");
  const path = await indexFolder(flags.index, io);
  const storage = new FileStorage(path);
  const writer = await openIndexWriter(storage, { model: await installedModel({ index: path }), signal: io.signal });
  const bar = await openBar(io, { quiet: flags.json ?? false });
  try {
    const report = await writer.compact({
      full: flags.full ?? false,
      signal: io.signal,
      onProgress: (done, total) => bar.show(done, total),
    });
    bar.end();
    await tidySideFolders(path, writer);
    if (flags.json) return printLine(io.stdout, JSON.stringify({ index: flags.index, ...report }));
    const { merged, removedDocuments, segmentsBefore, segmentsAfter, bytesBefore, bytesAfter, version } = report;
    if (merged === 0) return printLine(io.stdout, `${flags.index} is already compact.`);
    const dropped = removedDocuments > 0 ? `; ${counted(removedDocuments, "deleted document")} dropped` : "";
    const sizes = sizeChange({ segmentsBefore, segmentsAfter, bytesBefore, bytesAfter });
    printLine(io.stdout, `${sizes}${dropped} (version ${version}).`);
  } finally {
    bar.end();
    await writer.close();
  }
}

/** Removes recognised pages and uploaded files of documents that are no longer in the index. */
async function tidySideFolders(path: string, writer: IndexWriter): Promise<void> {
  const { ocrCacheOf, originalsOf } = await import("../../node/storage/side-folders.js");
  const { KeptOriginals } = await import("../../node/storage/kept-originals.js");
  const pages = ocrCacheOf(path);
  const sources = existsSync(pages) ? new Set<string>() : undefined;
  let wasRead = false;
  const documents = async function* () {
    wasRead = true;
    for await (const document of writer.documents()) {
      sources?.add(document.source);
      yield document;
    }
  };
  await new KeptOriginals(originalsOf(path)).keepOnly(documents); // reads nothing if no file is kept
  if (sources === undefined) return;
  if (!wasRead) for await (const _ of documents());
  const { RecognitionCache } = await import("../../node/documents/formats/scans/recognition-cache.js");
  new RecognitionCache(pages).keepOnly(sources);
}

/** Merges the cluster's own segments; the cluster continues if this process stops waiting. */
async function compactAddress({ index: address, json = false }: CompactFlags, { io }: CliContext): Promise<void> {
  const { openConnectedIndex } = await import("../../opensearch/open.js");
  const { compactCluster } = await import("../../opensearch/compact.js");
  const { env, signal } = io;
  const connected = await openConnectedIndex({ address, env, signal });
  try {
    const report = await compactCluster(connected, { signal });
    const index = shownAddress(address);
    printLine(io.stdout, json ? JSON.stringify({ index, ...report }) : `${sizeChange(report)}.`);
  } finally {
    await connected.connection.close();
  }
}

function sizeChange({ segmentsBefore, segmentsAfter, bytesBefore, bytesAfter }: ClusterCompactReport): string {
  const segments = `${counted(segmentsBefore, "segment")} became ${segmentsAfter}`;
  return `${segments}, ${formatBytes(bytesBefore)} became ${formatBytes(bytesAfter)}`;
}
