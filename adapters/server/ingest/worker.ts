/** The thread that writes: it alone reads files, runs the encoder for them and commits, so that none of it delays a question. */

import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { constants, setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import type { Writer } from "../../../src/api/open-index.js";
import type { Encoder } from "../../../src/encode/types.js";
import { VerbatimError } from "../../../src/errors.js";
import type { IngestProgress } from "../../../src/ingest/ingest.js";
import type { Document } from "../../../src/types.js";
import { withFields } from "../../node/documents/formats/fields.js";
import type { InputFile, SkippedInput } from "../../node/documents/input.js";
import { readDocuments } from "../../node/documents/read-documents.js";
import { indexPaths, openWriter } from "../../node/index.js";
import { openEncoder } from "../../node/models/encoder/encoder.js";
import { waitForLock } from "../../node/storage/wait-for-lock.js";
import { follow, skipOf } from "./follow.js";
import type { Change, Failure, IngestReply, IngestRequest, IngestSetup, Outcome, Progress, Skip } from "./protocol.js";

/** Progress is told so often at most, in milliseconds. */
const TELL_EVERY_MS = 200;
/** Another program may hold the index for a while; then the change fails. */
const LOCKED_TRIES = 60;
const LOCKED_MS = 500;
/** Of what was skipped, so many are told one by one. */
const SKIPS_TOLD = 50;

interface Run {
  setup: IngestSetup;
  encoder: Encoder;
  signal: AbortSignal;
  tell: (progress: Progress) => void;
}

const shareOf = ({ bytes, bytesTotal }: { bytes: number; bytesTotal: number }): number | null =>
  bytesTotal > 0 ? Math.min(1, bytes / bytesTotal) : null;

async function apply(change: Change, run: Run): Promise<Outcome> {
  switch (change.kind) {
    case "paths":
      return whenFree(run, () => takePaths(change.paths, run));
    case "put":
      return whenFree(run, () => write(change.documents, [], run));
    case "upload":
      return takeUpload(change, run);
    case "delete":
      return whenFree(run, () => remove(change.ids, run));
  }
}

async function takePaths(paths: string[], run: Run): Promise<Outcome> {
  const { setup, encoder, signal, tell } = run;
  const { cwd, index } = setup;
  const summary = await indexPaths(paths, {
    index,
    cwd,
    encoder,
    signal,
    onProgress: ({ documents, unchanged, passages, ...bytes }) =>
      tell({ documents, unchanged, passages, share: shareOf(bytes) }),
  });
  const { documents, unchanged, passages, stopped, total } = summary;
  const skipped = summary.skips.slice(0, SKIPS_TOLD).map(skipOf);
  return { documents, unchanged, deleted: 0, passages, skipped, version: total?.version ?? null, stopped };
}

/** The bytes go through a file of their own, so that every format is read as it is from a folder. */
async function takeUpload({ name, bytes }: Change & { kind: "upload" }, run: Run): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), "verbatim-upload-"));
  try {
    const absolutePath = join(folder, name);
    await writeFile(absolutePath, bytes);
    const { size, mtimeMs } = await stat(absolutePath);
    const input: InputFile = { path: name, absolutePath, id: name, size, mtimeMs };
    const skipped: Skip[] = [];
    const documents: Document[] = [];
    const onSkip = (skip: SkippedInput): unknown => skipped.length < SKIPS_TOLD && skipped.push(skipOf(skip));
    for await (const document of readDocuments(input, { signal: run.signal, onSkip })) {
      documents.push(withoutFolder(withFields(document, input)));
    }
    return await whenFree(run, () => write(documents, skipped, run));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** It came from no folder, and one that is followed or pruned must not miss it. */
function withoutFolder(document: Document): Document {
  const { "file.folder": _, ...metadata } = document.metadata ?? {};
  return { ...document, metadata };
}

async function write(documents: Document[], skipped: Skip[], run: Run): Promise<Outcome> {
  const { signal, tell } = run;
  const told = [...skipped];
  const units = documents.reduce((sum, { text }) => sum + text.length, 0);
  let done = 0;
  let counts: Pick<IngestProgress, "documents" | "unchanged" | "passages"> = {
    documents: 0,
    unchanged: 0,
    passages: 0,
  };
  const version = await writing(run, async (writer) => {
    counts = await writer.add(documents, {
      signal,
      onProgress: ({ documents, unchanged, passages }) =>
        tell({ documents, unchanged, passages, share: units > 0 ? done / units : null }),
      onAdded: ({ text }) => {
        done += text.length;
      },
      onSkip: ({ source, reason, hint }) => told.push({ source, reason, hint }),
    });
  });
  const { unchanged, passages } = counts;
  return { documents: counts.documents, unchanged, deleted: 0, passages, skipped: told, version, stopped: false };
}

async function remove(ids: string[], run: Run): Promise<Outcome> {
  let deleted = 0;
  const version = await writing(run, async (writer) => {
    deleted = await writer.delete(ids);
  });
  return { documents: 0, unchanged: 0, deleted, passages: 0, skipped: [], version, stopped: false };
}

/** @returns the version after the commit; null while the index has none */
async function writing(
  { setup, encoder, signal }: Run,
  work: (writer: Writer) => Promise<void>,
): Promise<number | null> {
  const writer = await openWriter({ path: setup.index, encoder, signal });
  try {
    const before = writer.documentCount;
    await work(writer);
    if (writer.version === 0 && writer.documentCount === 0 && before === 0) return null; // an index of nothing is none
    return await writer.commit();
  } finally {
    await writer.close();
  }
}

/** Other programs may hold the lock for a while. */
function whenFree<T>({ signal }: Run, work: () => Promise<T>): Promise<T> {
  return waitForLock(work, { signal, retryMs: LOCKED_MS, maxAttempts: LOCKED_TRIES });
}

function failureOf(error: unknown): Failure {
  if (error instanceof VerbatimError) return { code: error.code, message: error.message, hint: error.hint };
  return { code: "internal", message: error instanceof Error ? `${error.stack}` : String(error), hint: undefined };
}

/**
 * Questions go before what is taken in. On Linux a priority is of this thread and of those it starts (the encoder's); elsewhere it would be
 * the whole process's.
 */
function yieldToQuestions(): void {
  if (process.platform === "linux") setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
}

if (parentPort !== null) {
  yieldToQuestions();
  const port = parentPort;
  const setup = workerData as IngestSetup;
  let encoder: (Encoder & { close(): Promise<void> }) | undefined;
  let stop = new AbortController();
  let last: Promise<unknown> = Promise.resolve();
  const following: Promise<void>[] = [];
  const reply = (message: IngestReply): void => port.postMessage(message);

  const turn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };

  const followPaths = (paths: string[], { setup, encoder, signal, tell }: Run): Promise<Outcome> => {
    const { caughtUp, ended } = follow(paths, {
      ...{ index: setup.index, cwd: setup.cwd, encoder, signal, turn },
      onProgress: ({ documents, unchanged, passages, ...bytes }) =>
        tell({ documents, unchanged, passages, share: shareOf(bytes) }),
      onFollowed: (outcome) => reply({ kind: "followed", outcome }),
      onLocked: (error) => reply({ kind: "locked", failure: failureOf(error) }),
    });
    const lost = (error: unknown): void => reply({ kind: "lost", failure: failureOf(error) });
    following.push(
      caughtUp.then(
        () => ended.catch(lost),
        () => {},
      ),
    ); // what fails before is the job's to tell
    return caughtUp;
  };

  const run = async (id: number, change: Change): Promise<void> => {
    let toldAt = 0;
    const tell = (progress: Progress): void => {
      const now = performance.now();
      if (now - toldAt < TELL_EVERY_MS) return;
      toldAt = now;
      reply({ kind: "progress", id, progress });
    };
    try {
      encoder ??= await openEncoder({ modelFolder: setup.modelFolder, threads: setup.threads });
      const parts = { setup, encoder, signal: stop.signal, tell };
      const follows = change.kind === "paths" && change.follow;
      const outcome = follows ? await followPaths(change.paths, parts) : await apply(change, parts);
      reply({ kind: "done", id, outcome });
    } catch (error) {
      reply({ kind: "failed", id, failure: failureOf(error) });
    }
  };

  port.on("message", (request: IngestRequest) => {
    if (request.kind === "run") last = last.then(() => run(request.id, request.change));
    else if (request.kind === "stop") {
      stop.abort();
      last = last.then(() => {
        stop = new AbortController();
      });
    } else {
      last = last.then(async () => {
        await Promise.all(following);
        await encoder?.close();
        port.close();
      });
    }
  });
}
