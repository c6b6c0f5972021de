/**
 * A thread that answers questions: it has the index open, a network of its own to encode questions,
 * and one to read passages.
 */

import { availableParallelism } from "node:os";
import { workerData } from "node:worker_threads";
import { openIndex } from "../../../src/api/open-index.js";
import { throwIfAborted } from "../../../src/errors.js";
import { SegmentFiles } from "../../../src/index/segment/segment-files.js";
import { LoadOnce } from "../../../src/load-once.js";
import type { FindSharedVectors } from "../../../src/search/passage-vectors.js";
import { SerialQueue } from "../../../src/serial-queue.js";
import { openEncoder } from "../../node/models/encoder/encoder.js";
import { LocalReader } from "../../node/models/reader/local-reader.js";
import { FileStorage } from "../../node/storage/file-storage.js";
import { parentEndpoint } from "../../node/threads/endpoints.js";
import { serve } from "../../rpc/server.js";
import { PathRedactor } from "../http/path-redactor.js";
import { PublicIndex, withPublicFilter } from "../public-filter.js";
import type { OpenIndex } from "../served-index.js";
import type { AnsweringService, AnsweringSetup, SharedVectors } from "./answering-service.js";
import { warmUp } from "./warm-up.js";

/** A single question uses all cores; more threads than this on one short input gain little. */
const MAX_NETWORK_THREADS = 4;

const setup = workerData as AnsweringSetup;
/** This thread waits for no other request meanwhile, so it may block on the disk. */
const storage = new FileStorage(setup.index, { blockingReadBytes: Number.POSITIVE_INFINITY });
const encoder = openEncoder({ modelFolder: setup.modelFolder, threads: 1 });
encoder.catch(() => {}); // reported where it is awaited
const reader = setup.reader && new LocalReader(setup.reader, Math.min(MAX_NETWORK_THREADS, availableParallelism()));
const redactor = new PathRedactor(setup.served.paths, { cwd: setup.served.cwd });
/** One question after the other: two at once would need a second network. */
const questions = new SerialQueue();

let vectors: SharedVectors = new Map();
/** A newer version than the server knew may have segments that are not shared: those are loaded here. */
const findSharedVectors: FindSharedVectors = ({ files }) =>
  files instanceof SegmentFiles && files.vectorsKey !== undefined ? vectors.get(files.vectorsKey) : undefined;

/** Also loads what the first questions would otherwise wait for. */
async function open(): Promise<OpenIndex> {
  const opened = await openIndex({ storage, encoder: await encoder, reader, findSharedVectors });
  await warmUp(opened).catch(() => {}); // the next question fails in the same way
  opened.warmUp().catch(() => {});
  return new PublicIndex(opened, (options) => withPublicFilter(options, redactor));
}

const index = new LoadOnce(open);

serve<AnsweringService>(
  parentEndpoint(),
  {
    refresh: async ({ atLeastVersion, ...newest }) => {
      vectors = newest.vectors;
      await (await index.get()).refresh({ atLeastVersion });
    },
    ask: ({ question, options }, { signal }) =>
      questions.run(async () => {
        throwIfAborted(signal);
        return (await index.get()).ask(question, { ...options, signal });
      }),
    quote: (quotations, { signal }) =>
      questions.run(async () => {
        throwIfAborted(signal);
        return (await index.get()).quote(quotations, { signal });
      }),
    askStream: ({ question, options }, { signal }) =>
      questions.stream(async function* () {
        throwIfAborted(signal);
        yield* (await index.get()).askStream(question, { ...options, signal });
      }),
  },
  {
    onClose: async () => {
      await (await index.take())?.close();
      await reader?.close();
      await (await encoder.catch(() => undefined))?.close();
    },
  },
);
