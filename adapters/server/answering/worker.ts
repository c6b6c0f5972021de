/** A thread that answers: it has the index open, and a network of its own. */

import { parentPort, workerData } from "node:worker_threads";
import { type Index, openIndex } from "../../../src/api/open-index.js";
import type { AskResult } from "../../../src/ask/ask.js";
import { throwIfAborted } from "../../../src/errors.js";
import { openEncoder } from "../../node/models/encoder/encoder.js";
import { FileStorage } from "../../node/storage/file-storage.js";
import { carryError } from "../../node/threads/serialized-error.js";
import { FarReader } from "./far-reader.js";
import type { AnsweringSetup, FromThread, ToThread } from "./protocol.js";

const port = parentPort!;
const setup = workerData as AnsweringSetup;
const say = (message: FromThread): void => port.postMessage(message);
/** Nobody else's request waits for this thread, so it waits for the disk itself. */
const storage = new FileStorage(setup.index, { blockingReadBytes: Number.POSITIVE_INFINITY });
const encoder = openEncoder({ modelFolder: setup.modelFolder, threads: 1 });
encoder.catch(() => {}); // told where it is awaited
const reader = setup.reader && new FarReader(setup.reader, (request) => say({ kind: "read", ...request }));
const stops = new Map<number, AbortController>();
let index: Promise<Index> | undefined;
/** One question after another: two at once would need a second network. */
let turn: Promise<unknown> = Promise.resolve();

/** With what the rarer questions need of network and index, so that no person waits for it. */
async function open(): Promise<Index> {
  const opened = await openIndex({ storage, encoder: await encoder, reader });
  // what fails here fails again, and says why, when it is asked for
  await opened.ask("first", { denseBelow: Number.POSITIVE_INFINITY, readerMode: "off" }).catch(() => {});
  opened.prepare().catch(() => {});
  return opened;
}

function opened(): Promise<Index> {
  if (index !== undefined) return index;
  const opening = open();
  index = opening;
  opening.catch(() => {
    if (index === opening) index = undefined; // the next one tries again
  });
  return opening;
}

async function refresh(atLeastVersion: number): Promise<void> {
  const known = await opened();
  if (known.version < atLeastVersion) await known.refresh({ atLeastVersion });
}

function ask(message: ToThread & { kind: "ask" }): Promise<void> {
  const stop = new AbortController();
  stops.set(message.id, stop);
  const answered = turn.then(() => answer(message, stop.signal)).finally(() => stops.delete(message.id));
  turn = answered.catch(() => {});
  return answered;
}

async function answer(
  { id, question, options, stream }: ToThread & { kind: "ask" },
  signal: AbortSignal,
): Promise<void> {
  throwIfAborted(signal);
  const asked = await opened();
  const given = { ...options, signal };
  if (!stream) {
    say({ kind: "answer", id, result: await asked.ask(question, given), last: true });
    return;
  }
  let before: AskResult | undefined;
  for await (const result of asked.askStream(question, given)) {
    if (before !== undefined) say({ kind: "answer", id, result: before, last: false });
    before = result;
  }
  if (before !== undefined) say({ kind: "answer", id, result: before, last: true });
}

async function close(): Promise<void> {
  for (const stop of stops.values()) stop.abort();
  await turn;
  await (await index?.catch(() => undefined))?.close();
  await (await encoder.catch(() => undefined))?.close();
  port.close();
}

function told(id: number, work: Promise<void>): void {
  work.catch((error: unknown) => say({ kind: "failed", id, error: carryError(error) }));
}

port.on("message", (message: ToThread) => {
  switch (message.kind) {
    case "ask":
      return told(message.id, ask(message));
    case "stop":
      return stops.get(message.id)?.abort();
    case "refresh":
      return told(
        message.id,
        refresh(message.atLeastVersion).then(() => say({ kind: "refreshed", id: message.id })),
      );
    case "have-read":
      return reader?.haveRead(message.id, message.outputs);
    case "not-read":
      return reader?.notRead(message.id, message.error);
    case "close":
      return void close();
  }
});
