/**
 * Encodes questions on whatever runs the network; passages were encoded before the site was
 * published.
 */

import { questionInput } from "../../src/encode/input.js";
import { finishQuestion, parseQuestionHead, type QuestionHead } from "../../src/encode/question.js";
import type { EncodedPassage, EncodedQuestion, EncodeOptions, Encoder, ModelInfo } from "../../src/encode/types.js";
import { throwIfAborted, VerbatimError } from "../../src/errors.js";
import { SerialQueue } from "../../src/serial-queue.js";
import { parseVocabulary, WordPieceTokenizer } from "../../src/text/wordpiece/tokenizer.js";
import type { SiteFiles } from "./site-storage.js";

/** Runs the network on a question: ids [M] → hidden row of [CLS], n-gram weights [4 × M × M], vector [vector]. */
interface QuestionNetwork {
  run(ids: Uint16Array): Promise<{ cls: Float32Array; ngrams: Float32Array; vector: Float32Array }>;
  close(): Promise<void>;
}

/**
 * Makes a network from the bytes of encoder.onnx; `runtime` is the gzipped WebAssembly of ONNX
 * Runtime, which the site includes.
 */
export type OpenNetwork = (files: { model: Uint8Array; runtime: Uint8Array }) => Promise<QuestionNetwork>;

export class SiteEncoder implements Encoder {
  readonly info: ModelInfo;
  readonly tokenizer: WordPieceTokenizer;
  readonly #network: QuestionNetwork;
  readonly #head: QuestionHead;
  /** A session runs one question at a time. */
  readonly #passes = new SerialQueue();

  constructor(parts: { info: ModelInfo; tokenizer: WordPieceTokenizer; network: QuestionNetwork; head: QuestionHead }) {
    this.info = parts.info;
    this.tokenizer = parts.tokenizer;
    this.#network = parts.network;
    this.#head = parts.head;
  }

  async encodePassages(): Promise<EncodedPassage[]> {
    throw new VerbatimError("invalid-argument", "A published index cannot be added to.", {
      hint: "Index the documents with the verbatim program, and publish again.",
    });
  }

  async encodeQuestion(text: string, options: EncodeOptions = {}): Promise<EncodedQuestion> {
    const { tokenizer, info } = this;
    const ids = questionInput(tokenizer, text, info.maxQuestionTokens);
    const { cls, ngrams, vector } = await this.#passes.run(() => {
      throwIfAborted(options.signal);
      return this.#network.run(ids);
    });
    const isSpecial = (id: number): boolean =>
      id === tokenizer.padId || id === tokenizer.clsId || id === tokenizer.sepId;
    return finishQuestion(text, ids, { cls, ngrams, vector, head: this.#head, model: info, isSpecial });
  }

  async close(): Promise<void> {
    await this.#passes.idle();
    await this.#network.close();
  }
}

/**
 * The encoder of a site at level "full".
 * @param options.onBytes  receives the bytes of the model that have arrived since the last call
 * @throws VerbatimError `io-error`, `corrupt-segment`, `model-missing`
 */
export async function openSiteEncoder(
  files: SiteFiles,
  options: { openNetwork: OpenNetwork; onBytes?: (bytes: number) => void },
): Promise<SiteEncoder> {
  const { openNetwork, onBytes } = options;
  const [json, vocabulary, question, model, runtime] = await Promise.all([
    files.source("model/model.json").readAll(onBytes),
    files.source("model/vocab.txt").readAll(onBytes),
    files.source("model/question.bin").readAll(onBytes),
    files.source("model/encoder.onnx").readAll(onBytes),
    files.source("model/runtime.wasm.gz").readAll(onBytes),
  ]);
  const decoder = new TextDecoder();
  const info = JSON.parse(decoder.decode(json)) as ModelInfo & { hidden: number };
  const head = parseQuestionHead(question, info);
  if (head === undefined) {
    throw new VerbatimError("model-missing", "The published question.bin has the wrong size.", {
      hint: "Publish the index again.",
    });
  }
  const tokenizer = new WordPieceTokenizer(parseVocabulary(decoder.decode(vocabulary)));
  return new SiteEncoder({ info, tokenizer, network: await openNetwork({ model, runtime }), head });
}
