/**
 * `verbatim copy FROM TO`: copies an index between a folder and a cluster without encoding anything
 * again.
 */

import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Command, Option } from "commander";
import { isClusterAddress, shownAddress } from "../../opensearch/address.js";
import { wrongUse } from "../errors.js";
import { indexFolder } from "../index-folder.js";
import { examples, jsonOption } from "../options.js";
import { type CliContext, type Io, printLine } from "../process-io.js";
import { openBar, warnWhileWaiting } from "../render/progress.js";
import { counted, duration } from "../render/terminal.js";

interface CopyFlags {
  replace?: boolean;
  json?: boolean;
}

export function registerCopy(program: Command, context: CliContext): void {
  program
    .command("copy")
    .summary("copy an index into a cluster, or back")
    .description(
      "Copies an index between a folder and an OpenSearch cluster. All stored numbers are kept, so answers stay the same. " +
        "Run it again to resume, or to copy what is new.",
    )
    .argument("<from>", "folder of an index, or opensearch://HOST:9200/NAME")
    .argument("<to>", "an address if FROM is a folder, a folder if FROM is an address")
    .addOption(
      new Option(
        "--replace",
        "into a cluster: load a new index, switch the name to it in one step, and delete the old one",
      ),
    )
    .addOption(jsonOption())
    .addHelpText(
      "after",
      `${examples([
        "verbatim copy ./my.index opensearch://localhost:9200/notes",
        "verbatim copy ./my.index 'opensearch+https://ana@search.example:9200/notes?shards=6&replicas=1'",
        "verbatim copy opensearch://localhost:9200/notes ./back.index",
      ])}\nUser and password: before @ in the address, or VERBATIM_OPENSEARCH_USERNAME and _PASSWORD; certificates: VERBATIM_OPENSEARCH_CA.\nExit status: 0 copied, 2 usage error, 3 unusable index or no cluster, 130 stopped.\n`,
    )
    .action((from: string, to: string, flags: CopyFlags) => copy(from, to, flags, context));
}

interface Copied {
  documents: number;
  passages: number;
  unchanged: number;
  version: number;
}

async function copy(from: string, to: string, flags: CopyFlags, { io }: CliContext): Promise<void> {
  if (isClusterAddress(from) === isClusterAddress(to)) {
    throw wrongUse(
      "One of the two must be the address of a cluster and the other a folder.",
      "To copy between folders, use verbatim snapshot; to copy within a cluster, use its own tools.",
    );
  }
  if (flags.replace && !isClusterAddress(to))
    throw wrongUse("--replace works only when copying into a cluster.", "Choose a new folder instead.");
  const quiet = flags.json ?? false;
  const bar = await openBar(io, { quiet });
  const started = performance.now();
  const job = isClusterAddress(to) ? intoCluster : intoFolder;
  const show = (part: number, total: number): void => bar.show(part, total);
  const onWait = warnWhileWaiting(io, bar, { quiet });
  const done = await job({ from, to, flags, io, show, onWait }).finally(() => bar.end());
  const seconds = (performance.now() - started) / 1000;
  const places = { from: shownAddress(from), to: shownAddress(to) };
  if (flags.json) printLine(io.stdout, JSON.stringify({ ...places, ...done, seconds }));
  else {
    const rate = (done.passages / Math.max(seconds, 1e-3)).toFixed(0);
    const others = done.unchanged > 0 ? `; ${counted(done.unchanged, "document")} already present` : "";
    const what = `${counted(done.documents, "document")}, ${counted(done.passages, "passage")}`;
    printLine(io.stdout, `Copied ${what} into ${places.to} in ${duration(seconds)} (${rate} passages/s)${others}.`);
  }
}

interface Job {
  from: string;
  to: string;
  flags: CopyFlags;
  io: Io;
  show: (done: number, total: number) => void;
  /** Called while the cluster does not answer. */
  onWait: () => void;
}

async function intoCluster({ from, to, flags, io, show, onWait }: Job): Promise<Copied> {
  const { FileStorage } = await import("../../node/storage/file-storage.js");
  const { openSnapshot } = await import("../../../src/index/open-snapshot.js");
  const { openLoader } = await import("../../opensearch/open.js");
  const { copyToCluster } = await import("../../opensearch/copy.js");
  const { pointAlias, removeIndex, UNUSED_AFTER_MS } = await import("../../opensearch/alias-lookup.js");
  const path = await indexFolder(from, io);
  const { signal } = io;
  const snapshot = await openSnapshot(new FileStorage(path), { signal });
  try {
    const { model } = snapshot.manifest;
    const replace = flags.replace ?? false;
    const { loader } = await openLoader({ address: to, env: io.env, replace, signal, onWait }, model);
    const { connection, index } = loader.connected;
    let isUsed = !replace;
    try {
      const onProgress = ({ documents, unchanged }: Copied | Omit<Copied, "version">, total: number): void =>
        show(documents + unchanged, total);
      const done = await copyToCluster(snapshot, loader, { signal, onProgress });
      const version = await loader.commit();
      if (replace) {
        isUsed = true; // the alias may have moved even if the reply is lost
        const old = await pointAlias(connection, index);
        if (old !== undefined) {
          // Ctrl-C only ends the wait: servers that meet the deleted index ask the new one
          await sleep(UNUSED_AFTER_MS, undefined, { signal }).catch(() => {});
          await removeIndex(connection, old);
        }
      }
      return { ...done, version };
    } catch (error) {
      if (!isUsed) await removeIndex(connection, index).catch(() => {}); // the alias does not point to it
      throw error;
    } finally {
      await loader.close();
    }
  } finally {
    await snapshot.close();
  }
}

async function intoFolder({ from, to, io, show, onWait }: Job): Promise<Copied> {
  const { FileStorage } = await import("../../node/storage/file-storage.js");
  const { openIndexWriter } = await import("../../../src/index/write/writer.js");
  const { openConnectedIndex } = await import("../../opensearch/open.js");
  const { clusterModel, documentsFromCluster } = await import("../../opensearch/copy.js");
  const { readState } = await import("../../opensearch/commit-number.js");
  const { signal } = io;
  const connected = await openConnectedIndex({ address: from, env: io.env, signal, onWait });
  try {
    const model = await clusterModel(connected, signal);
    const { documents: total } = await readState(connected.connection, connected.index, signal);
    const writer = await openIndexWriter(new FileStorage(resolve(io.cwd, to)), { model, signal });
    const done = { documents: 0, passages: 0, unchanged: 0 };
    try {
      const isKnown = (id: string, hash: string): boolean => writer.has(id)?.contentHash === hash;
      for await (const { document, passages, count } of documentsFromCluster(connected, { signal, isKnown })) {
        if (passages === undefined) done.unchanged++;
        else {
          await writer.add({ document, passages });
          done.documents++;
          done.passages += count;
        }
        show(done.documents + done.unchanged, total);
      }
      return { ...done, version: await writer.commit() };
    } finally {
      await writer.close();
    }
  } finally {
    await connected.connection.close();
  }
}
