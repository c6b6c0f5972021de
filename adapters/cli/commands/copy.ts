/** `verbatim copy FROM TO`: an index from a folder into a cluster, or back. Nothing is encoded again. */

import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { isClusterAddress, shownAddress } from "../../opensearch/address.js";
import { wrongUse } from "../errors.js";
import { examples, jsonOption } from "../options.js";
import { type CliContext, type Io, printLine } from "../process-io.js";
import { openBar, tellOfWaiting } from "../render/progress.js";
import { counted, duration } from "../render/terminal.js";

interface CopyFlags {
  replace?: boolean;
  json?: boolean;
}

export function registerCopy(program: Command, context: CliContext): void {
  program
    .command("copy")
    .summary("an index into a cluster, or back")
    .description(
      "Copies an index between a folder and an OpenSearch cluster, number by number: the same questions have the same answers. " +
        "Run it again to go on where it stopped, or to take over what is new.",
    )
    .argument("<from>", "folder of an index, or opensearch://HOST:9200/NAME")
    .argument("<to>", "the other one of the two")
    .addOption(
      new Option(
        "--replace",
        "into a cluster: load a new index, then let the name stand for it, in one step; the old one goes",
      ),
    )
    .addOption(jsonOption())
    .addHelpText(
      "after",
      `${examples([
        "verbatim copy ./my.index opensearch://localhost:9200/notes",
        "verbatim copy ./my.index 'opensearch+https://ana@search.example:9200/notes?shards=6&replicas=1'",
        "verbatim copy opensearch://localhost:9200/notes ./back.index",
      ])}\nUser and password: before @ in the address, or VERBATIM_OPENSEARCH_USERNAME and _PASSWORD; certificates: VERBATIM_OPENSEARCH_CA.\nExit status: 0 copied, 2 wrong use, 3 broken index or no cluster, 130 stopped.\n`,
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
      "One of the two must be an address of a cluster, the other a folder.",
      "For folders there is verbatim snapshot; a cluster copies its indexes itself.",
    );
  }
  if (flags.replace && !isClusterAddress(to))
    throw wrongUse("--replace is for a cluster.", "Name a new folder instead.");
  const quiet = flags.json ?? false;
  const bar = openBar(io, { quiet });
  const started = performance.now();
  const job = isClusterAddress(to) ? intoCluster : intoFolder;
  const show = (part: number, total: number): void => bar.show(part, total);
  const onWait = tellOfWaiting(io, bar, { quiet });
  const done = await job({ from, to, flags, io, show, onWait }).finally(() => bar.end());
  const seconds = (performance.now() - started) / 1000;
  const places = { from: shownAddress(from), to: shownAddress(to) };
  if (flags.json) printLine(io.stdout, JSON.stringify({ ...places, ...done, seconds }));
  else {
    const rate = (done.passages / Math.max(seconds, 1e-3)).toFixed(0);
    const others = done.unchanged > 0 ? `; ${counted(done.unchanged, "document")} were there already` : "";
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
  /** Told while a cluster does not take what it was sent. */
  onWait: () => void;
}

async function intoCluster({ from, to, flags, io, show, onWait }: Job): Promise<Copied> {
  const { requireIndex } = await import("../../node/index-info.js");
  const { FileStorage } = await import("../../node/storage/file-storage.js");
  const { openSnapshot } = await import("../../../src/index/open-snapshot.js");
  const { openLoader } = await import("../../opensearch/open.js");
  const { copyToCluster } = await import("../../opensearch/copy.js");
  const { pointAlias, removeIndex } = await import("../../opensearch/alias-lookup.js");
  const path = resolve(io.cwd, from);
  await requireIndex(path, from);
  const snapshot = await openSnapshot(new FileStorage(path), { signal: io.signal });
  try {
    const { model } = snapshot.manifest;
    const anew = flags.replace ?? false;
    const { loader } = await openLoader({ address: to, env: io.env, anew, onWait }, model);
    const { connection, index } = loader.place;
    try {
      const onProgress = ({ documents, unchanged }: Copied | Omit<Copied, "version">, total: number): void =>
        show(documents + unchanged, total);
      const done = await copyToCluster(snapshot, loader, { signal: io.signal, onProgress });
      const version = await loader.commit();
      if (anew) {
        const old = await pointAlias(connection, index);
        if (old !== undefined) await removeIndex(connection, old);
      }
      return { ...done, version };
    } catch (error) {
      if (anew) await removeIndex(connection, index).catch(() => {}); // nothing stands for it
      throw error;
    } finally {
      await loader.close();
    }
  } finally {
    await snapshot.close();
  }
}

async function intoFolder({ from, to, io, show }: Job): Promise<Copied> {
  const { FileStorage } = await import("../../node/storage/file-storage.js");
  const { openIndexWriter } = await import("../../../src/index/write/writer.js");
  const { openPlace } = await import("../../opensearch/open.js");
  const { clusterModel, documentsFromCluster } = await import("../../opensearch/copy.js");
  const { readState } = await import("../../opensearch/commit-number.js");
  const { signal } = io;
  const place = await openPlace({ address: from, env: io.env, signal });
  try {
    const model = await clusterModel(place, signal);
    const { documents: total } = await readState(place.connection, place.index, signal);
    const writer = await openIndexWriter(new FileStorage(resolve(io.cwd, to)), { model, signal });
    const done = { documents: 0, passages: 0, unchanged: 0 };
    try {
      const isKnown = (id: string, hash: string): boolean => writer.has(id)?.contentHash === hash;
      for await (const { document, passages, count } of documentsFromCluster(place, { signal, isKnown })) {
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
    await place.connection.close();
  }
}
