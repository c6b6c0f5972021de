/**
 * The reader on ONNX Runtime: worker threads with a session each; an input goes to the least busy
 * one.
 */

import "../encoder/no-telemetry.js";

import { availableParallelism } from "node:os";
import { MessageChannel, type MessagePort, type Worker } from "node:worker_threads";
import type { ModelInfo } from "../../../../src/encode/types.js";
import { VerbatimError } from "../../../../src/errors.js";
import type { Reader, ReaderInput, ReaderOutput } from "../../../../src/reader/types.js";
import { startWorker } from "../../threads/start-worker.js";
import { WorkerPool } from "../../threads/worker-pool.js";
import type { ModelFile } from "../encoder/model-folder.js";
import { defaultReaderFolder, type ReaderFile, readReaderFile } from "./reader-folder.js";
import type { ReaderService, ReaderSetup } from "./reader-service.js";

export interface OpenReaderOptions {
  /** Default: models/verbatim-reader-en of this package. */
  folder?: string;
  /** The encoder's model: both must have been trained with the same vocabulary. */
  model: ModelInfo & Pick<ModelFile, "files">;
  /** Worker threads, 1…64; default: one per core. */
  threads?: number;
}

/**
 * A reader whose threads other threads can call without a detour through the one that opened it.
 */
export interface ConnectableReader extends Reader {
  /**
   * @param lane  the thread to call, 0…lanes − 1; started if need be
   * @returns the end of a channel on which the thread answers `ReaderService`; closes when the
   *   thread is lost
   */
  connect(lane: number): MessagePort;
}

export interface NodeReader extends ConnectableReader {
  readonly info: ReaderFile;
}

class ReaderPool implements NodeReader {
  readonly info: ReaderFile;
  readonly lanes: number;
  readonly #pool: WorkerPool<ReaderService>;

  constructor(folder: string, info: ReaderFile, threads: number) {
    this.info = info;
    this.lanes = threads;
    const start = (): Worker =>
      startWorker("reader-worker", import.meta.url, {
        workerData: { folder, files: info.files } satisfies ReaderSetup,
      });
    this.#pool = new WorkerPool({ start, threads, name: "the reader" });
  }

  read(inputs: ReaderInput[], { signal }: { signal?: AbortSignal } = {}): Promise<ReaderOutput[]> {
    return Promise.all(
      inputs.map(async ({ ids, questionTokens }) => {
        const [output] = await this.#pool.call("read", [{ ids, questionTokens }], { signal });
        return output!;
      }),
    );
  }

  connect(lane: number): MessagePort {
    const { port1, port2 } = new MessageChannel();
    const connected = this.#pool.thread(lane).call("connect", port2, { transfer: [port2] });
    connected.catch(() => port2.close()); // the other end learns that the thread is lost
    return port1;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

/**
 * Opens a reader; its sessions are created when the first passages are read.
 * @throws VerbatimError `model-missing`, `unsupported-format`, `model-mismatch`, `invalid-argument`
 */
export async function openReader(options: OpenReaderOptions): Promise<NodeReader> {
  const { model, threads = availableParallelism() } = options;
  if (!Number.isInteger(threads) || threads < 1 || threads > 64) {
    throw new VerbatimError("invalid-argument", "The number of threads must be a whole number from 1 to 64.", {
      found: threads,
    });
  }
  const folder = options.folder ?? (await defaultReaderFolder());
  if (folder === undefined) {
    throw new VerbatimError("model-missing", "No reader is installed: there is no folder models/verbatim-reader-en.", {
      hint: "Name a reader's folder with --reader-model DIR, or ask with --reader off.",
    });
  }
  const info = await readReaderFile(folder);
  if (!isFor(info, model)) {
    throw new VerbatimError(
      "model-mismatch",
      `The reader in ${folder} has a different vocabulary from the model ${model.name}.`,
      {
        found: info.vocabularySha256,
        expected: model.files["vocab.txt"].sha256,
        hint: "Use the reader that was made for this model, or ask with --reader off.",
      },
    );
  }
  return new ReaderPool(folder, info, threads);
}

/**
 * @returns the installed reader, or undefined if there is none for this model @throws VerbatimError
 *   `model-missing` if it is damaged
 */
export async function openInstalledReader(options: Omit<OpenReaderOptions, "folder">): Promise<NodeReader | undefined> {
  const folder = await defaultReaderFolder();
  if (folder === undefined || !isFor(await readReaderFile(folder), options.model)) return undefined;
  return openReader({ ...options, folder });
}

function isFor(info: ReaderFile, model: OpenReaderOptions["model"]): boolean {
  return info.vocabularySha256 === model.files["vocab.txt"].sha256;
}
