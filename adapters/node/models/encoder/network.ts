/**
 * The network in this thread: ONNX sessions with one intra-op thread, one input at a time (no
 * padding).
 */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { InferenceSession, Tensor } from "onnxruntime-web";
import { packPassage, packTerms, type RawPassage, storedTermsPerUnit } from "../../../../src/encode/pack.js";
import { finishQuestion, parseQuestionHead, type QuestionHead } from "../../../../src/encode/question.js";
import type { EncodedPassage, EncodedQuestion, PassageInput, TermWeights } from "../../../../src/encode/types.js";
import { VerbatimError } from "../../../../src/errors.js";
import { LoadOnce } from "../../../../src/load-once.js";
import { UNIGRAM_IDS } from "../../../../src/text/unigram/file.js";
import { parseVocabulary } from "../../../../src/text/wordpiece/tokenizer.js";
import { loadRuntime, type Runtime } from "../runtime.js";
import { openVerified, verifyModelOnce } from "../verify-model.js";
import { type ModelFile, vocabularyFile } from "./model-folder.js";
import { SESSION_OPTIONS } from "./session-options.js";

/** The outputs that a question needs; the others are not copied. */
const QUESTION_OUTPUTS = ["cls", "ngrams"];
const NO_VECTOR = new Float32Array(0);

function inputOf({ Tensor }: Runtime, ids: Uint16Array): Tensor {
  return new Tensor("int64", BigInt64Array.from(ids, BigInt), [1, ids.length]);
}

/** Ids of pad, cls and sep, without building a tokenizer. */
async function specialIds(folder: string, model: ModelFile): Promise<ReadonlySet<number>> {
  const { name } = vocabularyFile(model);
  if (name === "vocab.unigram") return new Set([UNIGRAM_IDS.pad, UNIGRAM_IDS.cls, UNIGRAM_IDS.sep]);
  const names = parseVocabulary(await readFile(join(folder, name), "utf8"));
  return new Set(["[PAD]", "[CLS]", "[SEP]"].map((special) => names.indexOf(special)));
}

/** Which scripts of a vocabulary an input has. */
class TermScripts {
  readonly #count: number;
  /** By id: the index of its script, −1 for none. */
  readonly #ofId: Int8Array;

  constructor({ scripts, runs }: NonNullable<ModelFile["termGroups"]>, vocabularySize: number) {
    this.#count = scripts.length;
    this.#ofId = new Int8Array(vocabularySize);
    for (const [n, [from, script]] of runs.entries()) this.#ofId.fill(script, from, runs[n + 1]?.[0]);
  }

  /** For each script 1 if any id is in it, else 0. */
  of(ids: Uint16Array): Uint8Array {
    const present = new Uint8Array(this.#count);
    for (const id of ids) {
      const script = this.#ofId[id]!;
      if (script >= 0) present[script] = 1;
    }
    return present;
  }
}

/** Every output of the network for one input, as floats; parity tests compare them. */
interface NetworkOutputs extends RawPassage {
  cls: Float32Array;
  questionVector: Float32Array;
  terms: Float32Array;
}

export class Network {
  readonly #runtime: Runtime;
  readonly #model: ModelFile;
  readonly #encoder: InferenceSession;
  readonly #head: QuestionHead;
  readonly #isSpecial: (id: number) => boolean;
  readonly #termStop: Uint8Array;
  readonly #scripts: TermScripts | undefined;
  readonly #terms: LoadOnce<InferenceSession>;

  private constructor(parts: {
    runtime: Runtime;
    folder: string;
    model: ModelFile;
    encoder: InferenceSession;
    head: QuestionHead;
    isSpecial: (id: number) => boolean;
  }) {
    this.#runtime = parts.runtime;
    this.#model = parts.model;
    this.#encoder = parts.encoder;
    this.#head = parts.head;
    this.#isSpecial = parts.isSpecial;
    this.#termStop = new Uint8Array(parts.model.vocabularySize);
    for (const id of parts.model.termStop) this.#termStop[id] = 1;
    this.#terms = new LoadOnce(() => parts.runtime.createSession(join(parts.folder, "terms.onnx"), SESSION_OPTIONS));
    this.#scripts = parts.model.termGroups && new TermScripts(parts.model.termGroups, parts.model.vocabularySize);
  }

  /**
   * @param load  default: the native runtime if it loads
   * @throws VerbatimError `model-missing` for damaged files; what ONNX Runtime throws
   */
  static open(folder: string, model: ModelFile, load: () => Promise<Runtime> = loadRuntime): Promise<Network> {
    return openVerified(verifyModelOnce(folder, model.files), async () => Network.#open(folder, model, await load()));
  }

  static async #open(folder: string, model: ModelFile, runtime: Runtime): Promise<Network> {
    const [encoder, question, specials] = await Promise.all([
      runtime.createSession(join(folder, "encoder.onnx"), SESSION_OPTIONS),
      readFile(join(folder, "question.bin")),
      specialIds(folder, model),
    ]);
    const head = parseQuestionHead(question, model);
    if (head === undefined) {
      throw new VerbatimError("model-missing", `The model file question.bin in ${folder} has the wrong size.`, {
        hint: "Install the package again.",
      });
    }
    return new Network({ runtime, folder, model, encoder, head, isSpecial: (id) => specials.has(id) });
  }

  /** Runs the encoder on one input. */
  async run(ids: Uint16Array): Promise<NetworkOutputs> {
    const out = await this.#encoder.run({ ids: inputOf(this.#runtime, ids) });
    const data = (name: string): Float32Array => out[name]!.data as Float32Array;
    return {
      cls: data("cls"),
      start: data("start"),
      end: data("end"),
      coherency: data("coherency"),
      keep: data("keep"),
      terms: data("terms"),
      ngrams: data("ngrams"),
      vector: this.#model.vector === 0 ? NO_VECTOR : data("passage_vector"),
      questionVector: this.#model.vector === 0 ? NO_VECTOR : data("question_vector"),
    };
  }

  /**
   * Weights of all terms for the rows [count × term]: log(1 + relu(max over rows + b)); 0 for terms in a script that
   * none of `ids` is in, if the model divides its terms by script.
   * @param ids  of the whole input
   */
  async termWeights(rows: Float32Array, count: number, ids: Uint16Array): Promise<Float32Array> {
    const session = await this.#terms.get();
    const { Tensor } = this.#runtime;
    const vectors = new Tensor("float32", rows, [count, this.#model.term]);
    const present = this.#scripts?.of(ids);
    const scripts = present && { scripts: new Tensor("bool", present, [present.length]) };
    const out = await session.run({ vectors, ...scripts });
    return out.weights!.data as Float32Array;
  }

  /** The rows of a unit that are pooled, and their tokens: without special and stop-list tokens. */
  #poolingRows(
    input: PassageInput,
    terms: Float32Array,
    unit: { from: number; to: number },
  ): { rows: Float32Array; count: number; own: Uint16Array } {
    const width = this.#model.term;
    const rows = new Float32Array((unit.to - unit.from) * width);
    const own = new Uint16Array(unit.to - unit.from);
    let count = 0;
    for (let t = unit.from; t < unit.to; t++) {
      const id = input.ids[t]!;
      if (this.#isSpecial(id) || this.#termStop[id] === 1) continue;
      own[count] = id;
      rows.set(terms.subarray(t * width, (t + 1) * width), width * count++);
    }
    return { rows: rows.subarray(0, count * width), count, own: own.subarray(0, count) };
  }

  async encodePassage(input: PassageInput, keepAll: boolean): Promise<EncodedPassage> {
    const out = await this.run(input.ids);
    const units: TermWeights[] = [];
    for (const unit of input.units) {
      const { rows, count, own } = this.#poolingRows(input, out.terms, unit);
      if (count === 0) {
        units.push({ terms: new Uint16Array(0), weights: new Uint8Array(0) });
        continue;
      }
      const weights = await this.termWeights(rows, count, input.ids);
      units.push(
        packTerms(weights, {
          scale: this.#model.scales.term,
          limit: keepAll ? this.#model.vocabularySize : storedTermsPerUnit(this.#model),
          own,
          ownTermWeight: this.#model.storage?.ownTermWeight,
        }),
      );
    }
    return packPassage(input, out, { model: this.#model, isSpecial: this.#isSpecial, units, keepAll });
  }

  async encodeQuestion(text: string, ids: Uint16Array): Promise<EncodedQuestion> {
    const outputs = this.#model.vector === 0 ? QUESTION_OUTPUTS : [...QUESTION_OUTPUTS, "question_vector"];
    const out = await this.#encoder.run({ ids: inputOf(this.#runtime, ids) }, outputs);
    const cls = out.cls!.data as Float32Array;
    const ngrams = out.ngrams!.data as Float32Array;
    const vector = (out.question_vector?.data as Float32Array | undefined) ?? NO_VECTOR;
    const parts = { head: this.#head, model: this.#model, isSpecial: this.#isSpecial };
    return finishQuestion(text, ids, { cls, ngrams, vector, ...parts });
  }

  /** Frees the memory. No call may be in progress, or follow. */
  async close(): Promise<void> {
    await this.#encoder.release();
    await (await this.#terms.take())?.release();
  }
}
