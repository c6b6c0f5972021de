/**
 * The encoder on ONNX Runtime: worker threads with a session each, and a session in this thread for
 * single questions.
 */

import "./no-telemetry.js";

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { questionInput } from "../../../../src/encode/input.js";
import type {
  EncodedPassage,
  EncodedQuestion,
  EncodeOptions,
  Encoder,
  ModelInfo,
  PassageInput,
} from "../../../../src/encode/types.js";
import { throwIfAborted } from "../../../../src/errors.js";
import { LoadOnce } from "../../../../src/load-once.js";
import type { Tokenizer } from "../../../../src/text/tokenizer.js";
import { tokenizerOf } from "../../../../src/text/tokenizer-of.js";
import { startWorker } from "../../threads/start-worker.js";
import { threadCount } from "../../threads/thread-count.js";
import { WorkerPool } from "../../threads/worker-pool.js";
import { type ModelOptions, modelFolderFor } from "../choice.js";
import { chosenRuntime, noticeMissingRuntime } from "../runtime.js";
import { openVerified, verifyBytes, verifyModel } from "../verify-model.js";
import type { EncoderService, EncoderSetup } from "./encoder-service.js";
import { LocalNetwork } from "./local-network.js";
import { type ModelFile, readModelFile, vocabularyFile } from "./model-folder.js";

export interface OpenEncoderOptions extends ModelOptions {
  /** Folder of an index: "auto" chooses the model that made it. */
  index?: string;
  /** Worker threads, 1…64; default: one per core, at most 64. */
  threads?: number;
}

class NodeEncoder implements Encoder {
  readonly info: ModelInfo;
  readonly tokenizer: Tokenizer;
  readonly #pool: WorkerPool<EncoderService>;
  readonly #local: LocalNetwork;
  /**
   * Passages are encoded to be stored: with a damaged model, an index would hold them under the
   * hash of the sound one.
   */
  readonly #verified: LoadOnce<void>;

  constructor(setup: EncoderSetup, { tokenizer, threads }: { tokenizer: Tokenizer; threads: number }) {
    this.info = setup.model;
    this.tokenizer = tokenizer;
    const start = (): Worker => startWorker("encoder-worker", import.meta.url, { workerData: setup });
    this.#pool = new WorkerPool({ start, threads, name: "the encoder" });
    this.#local = new LocalNetwork(setup);
    this.#verified = new LoadOnce(() => verifyModel(setup.folder, setup.model.files));
  }

  async encodePassages(inputs: PassageInput[], options: EncodeOptions = {}): Promise<EncodedPassage[]> {
    if (inputs.length === 0) return [];
    noticeMissingRuntime();
    return openVerified(this.#verified.get(), () => this.#encode(inputs, options));
  }

  #encode(inputs: PassageInput[], options: EncodeOptions): Promise<EncodedPassage[]> {
    return this.#pool.call("encodePassages", { inputs, keepAll: options.keepAll ?? false }, options);
  }

  async encodeQuestion(text: string, options: EncodeOptions = {}): Promise<EncodedQuestion> {
    const ids = questionInput(this.tokenizer, text, this.info.maxQuestionTokens);
    throwIfAborted(options.signal);
    if (!this.#local.busy && !this.#pool.closed) return this.#local.encodeQuestion(text, ids, options);
    return this.#pool.call("encodeQuestion", { text, ids }, options);
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.close(), this.#local.close()]);
  }
}

/**
 * Opens a model; sessions are made by the first requests.
 * @throws VerbatimError `model-missing`, `unsupported-format`, `invalid-argument`; `model-mismatch`
 *   if no installed model made the index
 */
export async function openEncoder(options: OpenEncoderOptions = {}): Promise<Encoder & { readonly model: ModelFile }> {
  const threads = threadCount(options.threads);
  chosenRuntime(); // an invalid choice is reported at once, not by the first question
  const folder = await modelFolderFor(options);
  const model = await readModelFile(folder);
  const { name, sha256 } = vocabularyFile(model);
  const vocabulary = await readFile(join(folder, name));
  await verifyBytes(join(folder, name), vocabulary, sha256);
  const tokenizer = tokenizerOf(vocabulary);
  return Object.assign(new NodeEncoder({ folder, model }, { tokenizer, threads }), {
    model,
  });
}
