/** Applies one change to the index and commits it. Runs in the indexing process. */

import { createReadStream } from "node:fs";
import type { Writer } from "../../../src/api/writer.js";
import type { Encoder } from "../../../src/encode/types.js";
import type { IngestProgress } from "../../../src/ingest/ingest.js";
import type { Document } from "../../../src/types.js";
import type { SkippedInput } from "../../node/documents/input.js";
import type { ParserPool } from "../../node/documents/isolation/parser-pool.js";
import { readUpload } from "../../node/documents/read-upload.js";
import { indexPaths, openWriter } from "../../node/index.js";
import type { InputCounts } from "../../node/ingest/index-inputs.js";
import { LanguageCounts } from "../../node/ingest/language-counts.js";
import { TimedCommits } from "../../node/ingest/timed-commits.js";
import type { KeptOriginals } from "../../node/storage/kept-originals.js";
import { waitForLock } from "../../node/storage/wait-for-lock.js";
import { addableRecords } from "./addable-records.js";
import { ChangedOriginals } from "./changed-originals.js";
import { languageNote } from "./language-note.js";
import type { Change, IngestSetup, Note, Outcome, Progress, Skip } from "./protocol.js";

/** Another program may hold the lock of the index for half a minute; then the change fails. */
const LOCKED_TRIES = 60;
const LOCKED_MS = 500;
/** Skipped files and records that are reported one by one. */
const MAX_SKIPS = 50;

export interface Run {
  setup: IngestSetup;
  encoder: Encoder;
  /** Kept warm between changes: starting a process takes longer than reading a small upload. */
  parsers: ParserPool;
  /** Files of uploaded documents. */
  originals: KeptOriginals;
  signal: AbortSignal;
  report: (progress: Progress) => void;
  /** Called when a merge in the background fails; what the change committed is kept. */
  onMergeError: (error: unknown) => void;
}

/**
 * @throws VerbatimError as `indexPaths` and `Writer.add`; `index-locked` when another program
 *   writes for too long
 */
export function applyChange(change: Change, run: Run): Promise<Outcome> {
  const { signal } = run;
  const apply = (): Promise<Outcome> => {
    switch (change.kind) {
      case "paths":
        return applyPaths(change.paths, run);
      case "put":
        return applyPut(change.documents, run);
      case "upload":
        return applyUpload(change, run);
      case "delete":
        return applyDelete(change.ids, run);
    }
  };
  return waitForLock(apply, { signal, retryMs: LOCKED_MS, maxAttempts: LOCKED_TRIES });
}

export function shareOf({ bytes, bytesTotal }: { bytes: number; bytesTotal: number }): number | null {
  return bytesTotal > 0 ? Math.min(1, bytes / bytesTotal) : null;
}

function skipOf({ source, reason, hint, otherSource }: Skip): Skip {
  return { source, reason, hint, otherSource };
}

/** What a run over paths did. Documents that were only renamed, or got other fields, count as unchanged. */
export function outcomeOf(counts: InputCounts & { version: number | null }, skipped: Skip[]): Outcome {
  const { documents, unchanged, renamed, fieldsChanged, pruned: deleted, passages, stopped, version } = counts;
  return { documents, unchanged: unchanged + renamed + fieldsChanged, deleted, passages, skipped, version, stopped };
}

/** Keeps the first of many. */
export function keepSkip(skips: Skip[], skip: Skip): void {
  if (skips.length < MAX_SKIPS) skips.push(skipOf(skip));
}

async function applyPaths(
  paths: string[],
  { setup, encoder, parsers, signal, report, onMergeError }: Run,
): Promise<Outcome> {
  const summary = await indexPaths(paths, {
    index: setup.index,
    cwd: setup.cwd,
    encoder,
    parsers,
    signal,
    onProgress: ({ documents, unchanged, passages, ...bytes }) =>
      report({ documents, unchanged, passages, share: shareOf(bytes) }),
    onMergeError,
  });
  const { total, skips, languages } = summary;
  const note = total === undefined || total.level === "lexical" ? undefined : languageNote(languages, total.model);
  const version = total?.version ?? null;
  return { ...outcomeOf({ ...summary, version }, skips.slice(0, MAX_SKIPS).map(skipOf)), note };
}

function applyPut(documents: Document[], run: Run): Promise<Outcome> {
  const units = documents.reduce((sum, { text }) => sum + text.length, 0);
  let added = 0;
  return add(() => documents, [], run, {
    share: () => (units > 0 ? added / units : null),
    onAdded: ({ text }) => {
      added += text.length;
    },
  });
}

/** Documents go from the file into the writer one by one, however many there are. */
function applyUpload({ name, path, bytes }: Change & { kind: "upload" }, run: Run): Promise<Outcome> {
  const skipped: Skip[] = [];
  let bytesRead = 0;
  const onSkip = (skip: SkippedInput): void => keepSkip(skipped, skip);
  const documents = readUpload(name, contentOf(path), {
    signal: run.signal,
    parsers: run.parsers,
    onSkip,
    onProgress: (read) => {
      bytesRead = read;
    },
  });
  const share = (): number | null => shareOf({ bytes: bytesRead, bytesTotal: bytes });
  const addable = (writer: Writer): AsyncIterable<Document> =>
    addableRecords(documents, { name, find: (id) => writer.find(id), onSkip });
  return add(addable, skipped, run, { share, commitsMeanwhile: true, upload: { name, path } });
}

/** Opens the file only when the first bytes are asked for: a change that waits for a lock has nothing to close. */
async function* contentOf(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path);
}

/** @param documentsFor  the documents to add, given the writer that they are added to */
async function add(
  documentsFor: (writer: Writer) => AsyncIterable<Document> | Iterable<Document>,
  skipped: Skip[],
  run: Run,
  options: {
    share: () => number | null;
    onAdded?: (document: Document) => void;
    commitsMeanwhile?: boolean;
    upload?: { name: string; path: string };
  },
): Promise<Outcome> {
  let counts: Pick<IngestProgress, "documents" | "unchanged" | "passages"> = {
    documents: 0,
    unchanged: 0,
    passages: 0,
  };
  const originals = new ChangedOriginals(run.originals, run.setup, options.upload);
  const languages = new LanguageCounts();
  let note: Note | undefined;
  const work = async (writer: Writer): Promise<void> => {
    const documents = documentsFor(writer);
    const commits = options.commitsMeanwhile ? new TimedCommits(() => writer.commit()) : undefined;
    try {
      counts = await writer.add(commits?.watch(documents) ?? documents, {
        signal: run.signal,
        onProgress: ({ documents, unchanged, passages }) =>
          run.report({ documents, unchanged, passages, share: options.share() }),
        isKept: async (document, contentHash) => {
          const skip = await originals.adding(document, contentHash);
          if (skip !== undefined) keepSkip(skipped, skip);
          return false;
        },
        onAdded: (document) => {
          originals.added(document);
          commits?.added(document);
          options.onAdded?.(document);
          languages.add(document.text);
        },
        onSkip: ({ source, reason, hint }) => keepSkip(skipped, { source, reason, hint }),
      });
      // words alone find documents of any language
      if (writer.level !== "lexical") note = languageNote(languages.counts, run.encoder.info.name);
    } catch (error) {
      await originals.failed();
      throw error;
    } finally {
      await commits?.stop();
    }
  };
  const version = await withWriter(run, work);
  await originals.committed();
  const { unchanged, passages } = counts;
  return { documents: counts.documents, unchanged, deleted: 0, passages, skipped, note, version, stopped: false };
}

async function applyDelete(ids: string[], run: Run): Promise<Outcome> {
  let deleted = 0;
  const version = await withWriter(run, async (writer) => {
    deleted = await writer.delete(ids);
  });
  await new ChangedOriginals(run.originals, run.setup).deleted(ids);
  return { documents: 0, unchanged: 0, deleted, passages: 0, skipped: [], version, stopped: false };
}

/**
 * @returns the version after the commit; null when there is no index and nothing to create it for
 */
async function withWriter(
  { setup, encoder, signal, onMergeError }: Run,
  work: (writer: Writer) => Promise<void>,
): Promise<number | null> {
  const writer = await openWriter({ path: setup.index, encoder, signal, onMergeError });
  try {
    const before = writer.documentCount;
    await work(writer);
    if (writer.version === 0 && writer.documentCount === 0 && before === 0) return null; // an empty index is not created
    return await writer.commit();
  } finally {
    await writer.close();
  }
}
