/** An open index that answers questions. */

import { type AskStep, askSteps } from "../ask/ask.js";
import { ASK_DEFAULTS, type AskOptions, defaultStrategy } from "../ask/options.js";
import { parseQuestion, plainQuestion } from "../ask/question-syntax.js";
import type { AskResult } from "../ask/result.js";
import { isTooLong } from "../encode/input.js";
import { withoutNetwork } from "../encode/lexical.js";
import type { Encoder } from "../encode/types.js";
import { throwIfAborted, VerbatimError } from "../errors.js";
import type { IndexInfo } from "../index/index-info.js";
import type { CheckReport } from "../index/maintain/check.js";
import type { QuotationInput, QuoteCheck, QuoteOptions } from "../quote/types.js";
import type { Reader } from "../reader/types.js";
import { correctSpelling } from "../search/correct-spelling.js";
import type { Span } from "../types.js";
import type { AnswerSource } from "./answer-source.js";

interface IndexParts {
  /** Closed with the index. */
  source: AnswerSource;
  /** The caller closes it, and the reader. */
  encoder: Encoder;
  reader?: Reader;
  /** Corrects typing mistakes in questions; only where postings are local. Default false. */
  correctsSpelling?: boolean;
  /** Runs after the index has closed, for what was opened with it. */
  onClose?: () => Promise<void>;
}

export interface IndexCheckOptions {
  signal?: AbortSignal;
  /** Called with the bytes verified so far and in total. */
  onProgress?: (done: number, total: number) => void;
}

/** The question, or what is read of one that is longer than the model's input. */
async function readable({ tokenizer, info }: Encoder, question: string): Promise<string> {
  if (!isTooLong(tokenizer, question, info.maxQuestionTokens)) return question;
  const { readablePart } = await import("../encode/question-part.js"); // few questions are so long
  return readablePart(tokenizer, question, info.maxQuestionTokens - 2);
}

/** An open index: one version of it until `refresh` or `close`. Asking never changes the index. */
export class Index {
  readonly #parts: IndexParts;

  /** @internal Use `openIndex`. */
  constructor(parts: IndexParts) {
    this.#parts = parts;
  }

  /** Number of the commit that questions are answered from. */
  get version(): number {
    return this.#parts.source.version;
  }

  /** What the index holds: documents, passages, bytes, level, model. */
  get info(): IndexInfo {
    return this.#parts.source.info;
  }

  /**
   * Switches to the newest version if there is a newer one. Questions in progress finish with the
   * version they began with. After an error the index stays as it was.
   * @param options.atLeastVersion  fails unless this version, or a newer one, is there
   * @returns the version
   * @throws VerbatimError as `openIndex`
   */
  refresh(options: { signal?: AbortSignal; atLeastVersion?: number } = {}): Promise<number> {
    return this.#parts.source.refresh(options);
  }

  /**
   * Loads what the first questions would otherwise wait for. Intended for long-running servers;
   * questions may be asked meanwhile. Does nothing for an index in a cluster.
   * @throws VerbatimError `out-of-space`, `corrupt-segment`; the index still answers
   */
  async warmUp(): Promise<void> {
    await this.#parts.source.warmUp?.();
  }

  /**
   * Answers a question with exact quotes of the documents, best first.
   * @throws VerbatimError `invalid-argument` for an empty question, an option out of range or a
   *   `where` that cannot be parsed (then a `FilterSyntaxError`, with the position); `aborted`
   */
  async ask(question: string, options: AskOptions = {}): Promise<AskResult> {
    for await (const { last, build } of this.#steps(question, options)) if (last) return await build();
    throw new VerbatimError("internal", "A question ended without a last step.");
  }

  /**
   * Yields answers as they improve: what phrase search finds, then the answer after each batch that
   * the reader has read. The last one is what `ask` returns; earlier ones may have no answer although
   * the last one does.
   * @throws VerbatimError as `ask`
   */
  async *askStream(question: string, options: AskOptions = {}): AsyncGenerator<AskResult, void> {
    for await (const { build } of this.#steps(question, options)) yield await build();
  }

  /**
   * Checks quotations against the documents, without a network: whether and where each is, word for
   * word. `quotationsIn` finds the quotations of a draft.
   * @returns one check per quotation, in their order
   * @throws VerbatimError `invalid-argument` for a quotation without words or with more than 100,000
   *   characters, an unknown `documentId`, and an index in a cluster; `aborted`, `corrupt-segment`
   */
  async quote(quotations: readonly QuotationInput[], options: QuoteOptions = {}): Promise<QuoteCheck[]> {
    const scope = this.#parts.source.openSearcher?.();
    if (scope === undefined) {
      throw new VerbatimError("invalid-argument", "Quotations cannot be checked in a cluster.", {
        hint: "Copy the index to a folder with `verbatim copy`.",
      });
    }
    try {
      const { checkQuotations } = await import("../quote/check-quotations.js"); // programs that ask do without
      return await checkQuotations(scope.searcher, quotations, options);
    } finally {
      await scope.release();
    }
  }

  /** The version stays open until the generator ends or is left. */
  async *#steps(question: string, options: AskOptions): AsyncGenerator<AskStep, void> {
    if (question.trim() === "") {
      throw new VerbatimError("invalid-argument", "The question is empty.", { hint: "Ask with at least one word." });
    }
    const { encoder, reader, source } = this.#parts;
    const { signal } = options;
    throwIfAborted(signal);
    checkFilter(options);
    const started = performance.now();
    const { strategy = defaultStrategy(source.levels), operators = ASK_DEFAULTS.operators } = options;
    const { text, quoted, restriction } = operators ? parseQuestion(question) : plainQuestion(question);
    if (restriction !== undefined && source.openSearcher === undefined) refuseRestriction();
    const encodes = strategy === "lexical" ? withoutNetwork(encoder) : encoder;
    const corrected = await this.#corrected(text, { keep: quoted, signal });
    const before = performance.now();
    const searchedFor = await readable(encodes, corrected ?? text);
    const encoded = await encodes.encodeQuestion(searchedFor, signal === undefined ? {} : { signal });
    const encode = performance.now() - before;
    const { searcher, withoutVectors, steps, ...scope } = await source.openForQuestion(encoded, options);
    try {
      yield* askSteps(searcher, encoded, {
        asked: question,
        isChanged: searchedFor !== text,
        restriction,
        options: { ...scope.options, strategy },
        reader,
        withoutVectors,
        spent: { totalMs: performance.now() - started, steps: { ...steps, encode } },
      });
    } finally {
      await scope.release();
    }
  }

  /** The question without typing mistakes, if it has any that can be corrected here. */
  async #corrected(
    question: string,
    options: { keep: readonly Span[]; signal: AbortSignal | undefined },
  ): Promise<string | undefined> {
    const { source, correctsSpelling = false } = this.#parts;
    const scope = correctsSpelling ? source.openSearcher?.() : undefined;
    if (scope === undefined) return undefined;
    try {
      return await correctSpelling(scope.searcher, question, options);
    } finally {
      await scope.release();
    }
  }

  /**
   * Reads every byte of the newest version and verifies checksums, bounds and offsets. Reports damage and never
   * throws for it.
   */
  check(options: IndexCheckOptions = {}): Promise<CheckReport> {
    return this.#parts.source.check(options);
  }

  /** Releases files and memory; questions in progress fail. An encoder or reader that the caller gave stays open. */
  async close(): Promise<void> {
    try {
      await this.#parts.source.close();
    } finally {
      await this.#parts.onClose?.();
    }
  }
}

function refuseRestriction(): never {
  throw new VerbatimError(
    "invalid-argument",
    "Phrases in quotation marks and excluded words need an index in a folder.",
    {
      hint: "Ask the cluster without quotation marks and -words, or copy the index with `verbatim copy`.",
    },
  );
}

function checkFilter({ where, filter }: AskOptions): void {
  if (where === undefined || filter === undefined) return;
  const hint = "Give one of them; a filter function can check the fields itself.";
  throw new VerbatimError("invalid-argument", "where and filter were both given.", { hint });
}
