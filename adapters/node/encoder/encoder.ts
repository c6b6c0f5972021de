/** The encoder on ONNX Runtime: a few worker threads, each with a session of its own, and one in this thread for lone questions. */

import "./no-telemetry.js";

import { setMaxListeners } from "node:events";
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import type {
  EncodedPassage,
  EncodedQuestion,
  EncodeOptions,
  Encoder,
  ModelInfo,
  PassageInput,
} from "../../../src/encode/types.js";
import { throwIfAborted, VerbatimError } from "../../../src/errors.js";
import { parseVocabulary, WordPieceTokenizer } from "../../../src/text/wordpiece.js";
import { startWorker } from "../start-worker.js";
import { LocalNetwork } from "./local-network.js";
import { defaultModelFolder, type ModelFile, readModelFile } from "./model-folder.js";
import type { Close, Reply, Request, WorkerSetup } from "./protocol.js";

export interface OpenEncoderOptions {
  /** Default: models/verbatim-en of this package. */
  modelFolder?: string;
  /** Worker threads, 1…64; default: one a core. */
  threads?: number;
}

interface Seat {
  worker: Worker;
  /** Requests under way in this worker. */
  load: number;
}

interface Pending {
  seat: Seat;
  resolve: (reply: Reply) => void;
  reject: (error: unknown) => void;
}

// `Omit` over each member of a union
type Unnumbered<T> = T extends unknown ? Omit<T, "id"> : never;

class NodeEncoder implements Encoder {
  readonly info: ModelInfo;
  readonly tokenizer: WordPieceTokenizer;
  readonly #seats: Seat[] = [];
  readonly #pending = new Map<number, Pending>();
  readonly #threads: number;
  readonly #setup: WorkerSetup;
  readonly #local: LocalNetwork;
  #nextId = 1;
  #closed = false;

  constructor(setup: WorkerSetup, tokenizer: WordPieceTokenizer, threads: number) {
    this.info = setup.model;
    this.tokenizer = tokenizer;
    this.#threads = threads;
    this.#setup = setup;
    this.#local = new LocalNetwork(setup);
  }

  /** The least busy worker; a new one while all are busy and there may be more. */
  #seat(): Seat {
    let best: Seat | undefined;
    for (const seat of this.#seats) if (best === undefined || seat.load < best.load) best = seat;
    if (best !== undefined && (best.load === 0 || this.#seats.length >= this.#threads)) return best;
    const seat: Seat = { worker: startWorker("worker", import.meta.url, { workerData: this.#setup }), load: 0 };
    const fail = (error: unknown): void => {
      this.#seats.splice(this.#seats.indexOf(seat), 1);
      for (const [id, pending] of this.#pending) {
        if (pending.seat !== seat) continue;
        this.#pending.delete(id);
        pending.reject(error);
      }
    };
    seat.worker.on("message", (reply: Reply) => this.#settle(reply));
    seat.worker.on("error", fail);
    seat.worker.on("exit", (code) => {
      if (this.#closed) fail(new VerbatimError("aborted", "The encoder was closed."));
      else fail(new VerbatimError("internal", `An encoder thread ended with status ${code}.`));
    });
    seat.worker.unref();
    this.#seats.push(seat);
    return seat;
  }

  #settle(reply: Reply): void {
    const pending = this.#pending.get(reply.id);
    if (pending === undefined) return;
    this.#pending.delete(reply.id);
    if (--pending.seat.load === 0) pending.seat.worker.unref();
    if (reply.kind === "error") pending.reject(new VerbatimError("internal", `The encoder failed: ${reply.message}`));
    else pending.resolve(reply);
  }

  #ask(request: Unnumbered<Request>, signal: AbortSignal | undefined): Promise<Reply> {
    throwIfAborted(signal);
    if (this.#closed) return Promise.reject(new VerbatimError("invalid-argument", "The encoder is closed."));
    const seat = this.#seat();
    const id = this.#nextId++;
    return new Promise<Reply>((resolve, reject) => {
      if (signal !== undefined) setMaxListeners(0, signal); // as many requests may be under way as the caller likes
      const abort = (): void => reject(new VerbatimError("aborted", "The operation was stopped."));
      signal?.addEventListener("abort", abort, { once: true });
      const done = (): void => signal?.removeEventListener("abort", abort);
      this.#pending.set(id, {
        seat,
        resolve: (reply) => {
          done();
          resolve(reply);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      });
      if (seat.load++ === 0) seat.worker.ref();
      seat.worker.postMessage({ ...request, id } as Request);
    });
  }

  async encodePassages(inputs: PassageInput[], options: EncodeOptions = {}): Promise<EncodedPassage[]> {
    if (inputs.length === 0) return [];
    const reply = await this.#ask({ kind: "passages", inputs, keepAll: options.keepAll ?? false }, options.signal);
    return reply.kind === "passages" ? reply.encoded : [];
  }

  async encodeQuestion(text: string, options: EncodeOptions = {}): Promise<EncodedQuestion> {
    const tokens = this.tokenizer.tokenize(text.slice(0, 100_000), { maxTokens: this.info.maxQuestionTokens - 2 });
    const ids = Uint16Array.from([this.tokenizer.clsId, ...tokens.ids, this.tokenizer.sepId]);
    throwIfAborted(options.signal);
    if (!this.#local.busy && !this.#closed) return this.#local.encodeQuestion(text, ids, options);
    const reply = await this.#ask({ kind: "question", text, ids }, options.signal);
    if (reply.kind !== "question")
      throw new VerbatimError("internal", "The encoder answered something else than was asked.");
    return reply.encoded;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([this.#local.close(), ...this.#seats.map(({ worker }) => stopWorker(worker))]);
  }
}

/** Lets a worker end itself between two passages: `terminate()` while ONNX Runtime runs in it ends the whole process. */
function stopWorker(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    worker.ref();
    worker.once("exit", () => resolve());
    worker.postMessage({ kind: "close" } satisfies Close);
  });
}

/**
 * Opens a model; sessions are made by the first requests.
 * @throws VerbatimError `model-missing`, `unsupported-format`, `invalid-argument`
 */
export async function openEncoder(options: OpenEncoderOptions = {}): Promise<Encoder & { readonly model: ModelFile }> {
  const threads = options.threads ?? availableParallelism();
  if (!Number.isInteger(threads) || threads < 1 || threads > 64) {
    throw new VerbatimError("invalid-argument", "The number of threads must be a whole number from 1 to 64.", {
      found: threads,
    });
  }
  const folder = options.modelFolder ?? (await defaultModelFolder());
  const model = await readModelFile(folder);
  const vocabulary = parseVocabulary(await readFile(join(folder, "vocab.txt"), "utf8"));
  const tokenizer = new WordPieceTokenizer(vocabulary);
  return Object.assign(new NodeEncoder({ folder, model }, tokenizer, threads), { model });
}
