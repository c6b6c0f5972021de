/**
 * The façade of Verbatim: open an index and ask it, or open a writer and fill it.
 *
 *     const index = await openIndex({ storage, encoder });
 *     const { answers } = await index.ask("who founded the observatory?");
 *
 * Pure: the runtime comes in through the ports. `verbatim-qa/node` has the same two functions taking paths.
 */

import { withoutNetwork } from "./encode/lexical.js";
import type { Encoder } from "./encode/types.js";
import { OpenVersions } from "./engine/versions.js";
import { throwIfAborted, VerbatimError } from "./errors.js";
import { compileFilter } from "./filter/evaluate.js";
import { type CheckOptions, type CheckReport, checkIndex } from "./index/check.js";
import { type IndexInfo, indexInfo } from "./index/info.js";
import type { Storage } from "./index/ports.js";
import { type OpenSnapshot, openSnapshot } from "./index/snapshot.js";
import { createKernel, type Kernel } from "./math/kernel.js";
import { type AnswerOptions, type AskResult, type AskStep, askSteps, usualStrategy } from "./read/ask.js";
import type { Reader } from "./read/types.js";
import type { RankedPassage } from "./search/types.js";

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

export type AskOptions = AnswerOptions & {
  /** `filter` in words, as `year >= 2020 and tag = "ops"`: docs/cli.md has the language. Not together with `filter`. */
  where?: string;
};

export { openWriter, type Writer } from "./engine/writer.js";
export type { IndexInfo } from "./index/info.js";

/** An open index: one version, until `refresh` or `close`. Asking never changes it. */
export class Index {
  readonly #options: OpenIndexOptions;
  readonly #versions: OpenVersions;

  constructor(options: OpenIndexOptions, kernel: Kernel, snapshot: OpenSnapshot) {
    this.#options = options;
    this.#versions = new OpenVersions({ ...options, kernel }, snapshot);
  }

  /** Number of the commit that questions are answered from. */
  get version(): number {
    return this.#versions.current.snapshot.version;
  }

  get info(): IndexInfo {
    return indexInfo(this.#versions.current.snapshot);
  }

  /**
   * Goes to the newest version, when there is a newer one. Questions under way are answered from the version that they began with. On an
   * error the index stays as it was.
   * @returns the version
   * @throws VerbatimError as `openIndex`
   */
  refresh(options: { signal?: AbortSignal; atLeastVersion?: number } = {}): Promise<number> {
    return this.#versions.refresh(options);
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
    const answerOptions = withWhere(options);
    const started = performance.now();
    const { encoder, reader } = this.#options;
    const { strategy = usualStrategy(this.#versions.current.session.levels) } = answerOptions;
    const encodes = strategy === "lexical" ? withoutNetwork(encoder) : encoder;
    const encoded = await encodes.encodeQuestion(question, signal === undefined ? {} : { signal });
    const elapsed = performance.now() - started;
    const version = this.#versions.enter();
    try {
      const request = { reader, elapsed, options: { ...answerOptions, strategy } };
      for await (const { last, build } of askSteps(version.session, encoded, request)) {
        const timed = async (): Promise<AskResult> => {
          const result = await build();
          result.steps.encode = elapsed;
          result.tookMs = performance.now() - started;
          return result;
        };
        yield { last, build: timed };
      }
    } finally {
      await this.#versions.leave(version);
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
    return checkIndex(this.#options.storage, options);
  }

  /** Releases files and memory; a question that is under way fails. The encoder stays the caller's. */
  close(): Promise<void> {
    return this.#versions.close();
  }
}

function withWhere({ where, ...options }: AskOptions): AnswerOptions {
  if (where === undefined) return options;
  if (options.filter !== undefined) {
    const hint = "Give one of them; a filter function may look at the fields itself.";
    throw new VerbatimError("invalid-argument", "where and filter were both given.", { hint });
  }
  const { passes: filter, key: filterKey } = compileFilter(where);
  return { ...options, filter, filterKey };
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
    return new Index(options, options.kernel ?? createKernel(), snapshot);
  } catch (error) {
    await snapshot.close();
    throw error;
  }
}
