/**
 * The reader on ONNX Runtime: worker threads with a session each; an input goes to the least busy
 * one.
 */

import "../encoder/no-telemetry.js";

import type { Worker } from "node:worker_threads";
import type { ModelInfo } from "../../../../src/encode/types.js";
import { VerbatimError } from "../../../../src/errors.js";
import type { Reader, ReaderInput, ReaderMode, ReaderOutput } from "../../../../src/reader/types.js";
import { startWorker } from "../../threads/start-worker.js";
import { threadCount } from "../../threads/thread-count.js";
import { WorkerPool } from "../../threads/worker-pool.js";
import type { ModelFile } from "../encoder/model-folder.js";
import { fits, installedReaderFolder, type ReaderFile, readReaderFile } from "./reader-folder.js";
import type { ReaderService, ReaderSetup } from "./reader-service.js";

export interface OpenReaderOptions {
  /** Default: the installed reader that fits the model. */
  folder?: string;
  /** The encoder's model: both must have been trained with the same vocabulary. */
  model: ModelInfo & Pick<ModelFile, "files">;
  /** Worker threads, 1…64; default: one per core, at most 64. */
  threads?: number;
}

export interface NodeReader extends Reader {
  readonly info: ReaderFile;
  readonly folder: string;
}

class ReaderPool implements NodeReader {
  readonly info: ReaderFile;
  readonly folder: string;
  readonly lanes: number;
  readonly #pool: WorkerPool<ReaderService>;

  constructor(folder: string, info: ReaderFile, threads: number) {
    this.info = info;
    this.folder = folder;
    this.lanes = threads;
    const workerData: ReaderSetup = { folder, info };
    const start = (): Worker => startWorker("reader-worker", import.meta.url, { workerData });
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

  close(): Promise<void> {
    return this.#pool.close();
  }
}

/**
 * Opens a reader; its sessions are created when the first passages are read.
 * @throws VerbatimError `model-missing`, `unsupported-format`, `model-mismatch`, `invalid-argument`
 */
export async function openReader(options: OpenReaderOptions): Promise<NodeReader> {
  const { model } = options;
  const threads = threadCount(options.threads);
  const folder = options.folder ?? (await installedReaderFolder(model));
  if (folder === undefined) {
    throw new VerbatimError("model-missing", `No reader for the model ${model.name} is installed.`, {
      hint: "Name a reader's folder with --reader-model DIR, or ask with --reader off.",
    });
  }
  const info = await readReaderFile(folder);
  if (!fits(info, model)) {
    throw new VerbatimError(
      "model-mismatch",
      `The reader in ${folder} has a different vocabulary from the model ${model.name}.`,
      {
        found: info.vocabularySha256,
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
  const folder = await installedReaderFolder(options.model);
  return folder === undefined ? undefined : openReader({ ...options, folder });
}

/**
 * The reader for a choice of the command line or the server.
 * @param options.reader  `off` opens none; without a choice and without a folder, an installed one is opened if
 *   there is one; `auto` and `on` require one
 * @throws VerbatimError as `openReader`
 */
export async function openChosenReader({
  reader,
  ...options
}: OpenReaderOptions & { reader?: ReaderMode | undefined }): Promise<NodeReader | undefined> {
  if (reader === "off") return undefined;
  return reader === undefined && options.folder === undefined ? openInstalledReader(options) : openReader(options);
}
