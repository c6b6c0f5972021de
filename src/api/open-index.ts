/**
 * The façade of Verbatim: open an index and ask it, or open a writer and fill it.
 *
 *     const index = await openIndex({ storage, encoder });
 *     const { answers } = await index.ask("who founded the observatory?");
 *
 * Pure: the runtime comes in through the ports. `verbatim-qa/node` has the same two functions taking paths.
 */

import { type AskResult, type AskStep, askSteps, usualStrategy } from "../ask/ask.js";
import { withoutNetwork } from "../encode/lexical.js";
import type { Encoder } from "../encode/types.js";
import { throwIfAborted, VerbatimError } from "../errors.js";
import type { IndexInfo } from "../index/index-info.js";
import type { CheckOptions, CheckReport } from "../index/maintain/check.js";
import { openSnapshot } from "../index/open-snapshot.js";
import type { Storage } from "../index/ports.js";
import { createKernel, type Kernel } from "../kernel/kernel.js";
import type { Reader } from "../reader/types.js";
import type { RankedPassage } from "../search/types.js";
import type { AnswerSource, AskOptions } from "./answer-source.js";
import { OpenVersions } from "./open-versions.js";

export interface OpenIndexOptions {
  storage: Storage;
  encoder: Encoder;
  /** Reads question and passage together, where asked to. It stays the caller's to close. Default: none. */
  reader?: Reader;
  /** Default: the WASM SIMD kernel, or its TypeScript twin where there is no SIMD. */
  kernel?: Kernel;
  /** Read your writes: the version that a commit returned, or a newer one, must be there. */
  atLeastVersion?: number;
  signal?: AbortSignal;
}

export type { IndexInfo } from "../index/index-info.js";
export type { AskOptions } from "./answer-source.js";
export { openWriter, type Writer } from "./writer.js";

/** An open index: one version, until `refresh` or `close`. Asking never changes it. */
export class Index {
  readonly #encoder: Encoder;
  readonly #reader: Reader | undefined;
  readonly #source: AnswerSource;

  /** @param source  closed with the index; encoder and reader stay the caller's */
  constructor({ encoder, reader, source }: { encoder: Encoder; reader?: Reader; source: AnswerSource }) {
    this.#encoder = encoder;
    this.#reader = reader;
    this.#source = source;
  }

  /** Number of the commit that questions are answered from. */
  get version(): number {
    return this.#source.version;
  }

  get info(): IndexInfo {
    return this.#source.info;
  }

  /**
   * Goes to the newest version, when there is a newer one. Questions under way are answered from the version that they began with. On an
   * error the index stays as it was.
   * @returns the version
   * @throws VerbatimError as `openIndex`
   */
  refresh(options: { signal?: AbortSignal; atLeastVersion?: number } = {}): Promise<number> {
    return this.#source.refresh(options);
  }

  /**
   * Reads what the first questions would wait for, and goes on until nothing of it is left to be done beside questions: for who asks many, as a
   * server. Questions may be asked meanwhile. Of an index in a cluster, nothing.
   * @throws VerbatimError `out-of-space`, `corrupt-segment`; questions may be asked none the less
   */
  async prepare(): Promise<void> {
    await this.#source.prepare?.();
  }

  /**
   * The best answers, exact spans of the documents, best first.
   * @throws VerbatimError `invalid-argument` for an empty question, an option out of range or a `where` that cannot be read (then a
   *   `FilterSyntaxError`, which has the place), `aborted`
   */
  async ask(question: string, options: AskOptions = {}): Promise<AskResult> {
    for await (const { last, build } of this.#steps(question, options)) if (last) return await build();
    throw new VerbatimError("internal", "A question ended without a last step.");
  }

  /**
   * As `ask`, with the answer so far: first what phrase search says, then after every batch that the reader has read. The last one is what
   * `ask` gives.
   */
  async *askStream(question: string, options: AskOptions = {}): AsyncGenerator<AskResult, void> {
    for await (const { build } of this.#steps(question, options)) yield await build();
  }

  /** The open version stays open until the generator ends or is left. */
  async *#steps(question: string, options: AskOptions): AsyncGenerator<AskStep, void> {
    if (question.trim() === "") {
      throw new VerbatimError("invalid-argument", "The question is empty.", { hint: "Ask with at least one word." });
    }
    const { signal } = options;
    throwIfAborted(signal);
    checkFilter(options);
    const started = performance.now();
    const { strategy = usualStrategy(this.#source.levels) } = options;
    const encodes = strategy === "lexical" ? withoutNetwork(this.#encoder) : this.#encoder;
    const encoded = await encodes.encodeQuestion(question, signal === undefined ? {} : { signal });
    const elapsed = performance.now() - started;
    const entered = await this.#source.enter(encoded, options);
    try {
      const { withoutVectors = false } = entered;
      const request = {
        ...{ reader: this.#reader, elapsed: performance.now() - started, withoutVectors },
        options: { ...entered.options, strategy },
      };
      for await (const { last, build } of askSteps(entered.session, encoded, request)) {
        const timed = async (): Promise<AskResult> => {
          const result = await build();
          const { terms = 0, dense = 0, read = 0 } = entered.steps ?? {};
          const { steps } = result;
          result.steps = { ...steps, terms: steps.terms + terms, dense: steps.dense + dense, read: steps.read + read };
          result.steps.encode = elapsed;
          result.tookMs = performance.now() - started;
          return result;
        };
        yield { last, build: timed };
      }
    } finally {
      await entered.leave();
    }
  }

  /** Answers many questions one after another, in order. */
  async *askMany(
    questions: Iterable<string> | AsyncIterable<string>,
    options: AskOptions = {},
  ): AsyncGenerator<AskResult> {
    for await (const question of questions) yield await this.ask(question, options);
  }

  /** As `ask`, each answer with the four parts of its score and the n-grams that raised it. */
  explain(question: string, options: AskOptions = {}): Promise<AskResult> {
    return this.ask(question, { ...options, explain: true });
  }

  /** The passages that were read for a question, best first. */
  async passages(question: string, options: AskOptions = {}): Promise<RankedPassage[]> {
    return (await this.ask(question, options)).passages;
  }

  /** Reads every byte of the newest version and checks every checksum, bound and offset; reports damage, never throws for it. */
  check(options: CheckOptions = {}): Promise<CheckReport> {
    return this.#source.check(options);
  }

  /** Releases files and memory; a question that is under way fails. The encoder stays the caller's. */
  close(): Promise<void> {
    return this.#source.close();
  }
}

function checkFilter({ where, filter }: AskOptions): void {
  if (where === undefined || filter === undefined) return;
  const hint = "Give one of them; a filter function may look at the fields itself.";
  throw new VerbatimError("invalid-argument", "where and filter were both given.", { hint });
}

/**
 * Opens the newest committed version of an index.
 * @throws VerbatimError `index-missing`, `invalid-argument` (older than `atLeastVersion`), `corrupt-manifest`, `corrupt-segment`,
 *   `unsupported-format`, `model-mismatch`
 */
export async function openIndex(options: OpenIndexOptions): Promise<Index> {
  const { storage, encoder, signal, atLeastVersion } = options;
  const expectModelHash = encoder.info.passageModelHash;
  const snapshot = await openSnapshot(storage, { signal, expectModelHash, atLeastVersion });
  try {
    const source = new OpenVersions({ storage, encoder, kernel: options.kernel ?? createKernel() }, snapshot);
    return new Index({ encoder, reader: options.reader, source });
  } catch (error) {
    await snapshot.close();
    throw error;
  }
}
