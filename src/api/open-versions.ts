/** The open version of an index, and its successors: a question keeps the version it began with. */

import type { AskOptions } from "../ask/options.js";
import type { EncodedQuestion, Encoder } from "../encode/types.js";
import { VerbatimError } from "../errors.js";
import { compileFilter } from "../filter/evaluate.js";
import type { IndexLevel } from "../index/format/level.js";
import { type IndexInfo, indexInfo } from "../index/index-info.js";
import type { CheckOptions, CheckReport } from "../index/maintain/check.js";
import { type OpenSnapshot, openNewer } from "../index/open-snapshot.js";
import type { Storage } from "../index/ports.js";
import type { Kernel } from "../kernel/kernel.js";
import type { FindSharedVectors } from "../search/passage-vectors.js";
import { Searcher } from "../search/searcher.js";
import { SerialQueue } from "../serial-queue.js";
import { Shared } from "../shared.js";
import type { AnswerSource, QuestionScope } from "./answer-source.js";

interface Parts {
  storage: Storage;
  encoder: Encoder;
  kernel: Kernel;
  findSharedVectors?: FindSharedVectors;
}

interface OpenVersion {
  readonly snapshot: OpenSnapshot;
  readonly searcher: Searcher;
}

export class OpenVersions implements AnswerSource {
  readonly #parts: Parts;
  /** Held by this object and by the questions that are being answered from it. */
  #current: Shared<OpenVersion>;
  readonly #refreshing = new SerialQueue();

  /** @throws VerbatimError `model-mismatch`; then the caller has to close `snapshot` */
  constructor(parts: Parts, snapshot: OpenSnapshot) {
    this.#parts = parts;
    this.#current = openVersion(parts, snapshot);
  }

  get version(): number {
    return this.#current.value.snapshot.version;
  }

  get info(): IndexInfo {
    return indexInfo(this.#current.value.snapshot);
  }

  get levels(): readonly IndexLevel[] {
    return this.#current.value.searcher.levels;
  }

  warmUp(): Promise<void> {
    return this.#current.use(({ searcher }) => searcher.warmUp());
  }

  async check(options: CheckOptions): Promise<CheckReport> {
    const { checkIndex } = await import("../index/maintain/check.js"); // programs that ask do without
    return checkIndex(this.#parts.storage, options);
  }

  /** As `Index.refresh`. Segments of both versions stay open and loaded, so only new ones cost time. */
  refresh(options: { signal?: AbortSignal; atLeastVersion?: number }): Promise<number> {
    return this.#refreshing.run(async () => {
      const { storage, encoder } = this.#parts;
      const current = this.#current;
      const before = current.value;
      if (current.isClosed) throw new VerbatimError("invalid-argument", "The index is closed.");
      const snapshot = await openNewer(storage, before.snapshot, { ...options, expectModel: encoder.info });
      if (snapshot === undefined) return before.snapshot.version;
      try {
        this.#current = openVersion(this.#parts, snapshot, before.searcher);
      } catch (error) {
        await snapshot.close();
        throw error;
      }
      await current.release();
      return snapshot.version;
    });
  }

  /** Returns the current version, which stays open until `release`. */
  async openForQuestion(_question: EncodedQuestion, given: AskOptions): Promise<QuestionScope> {
    const options = withWhere(given);
    const version = this.#hold();
    return { searcher: version.value.searcher, options, release: () => version.release() };
  }

  openSearcher(): Pick<QuestionScope, "searcher" | "release"> {
    const version = this.#hold();
    return { searcher: version.value.searcher, release: () => version.release() };
  }

  /** @throws VerbatimError `invalid-argument` if the index is closed */
  #hold(): Shared<OpenVersion> {
    if (this.#current.isClosed) throw new VerbatimError("invalid-argument", "The index is closed.");
    return this.#current.hold();
  }

  /** Questions in progress fail. */
  async close(): Promise<void> {
    await this.#refreshing.idle();
    await this.#current.closeNow();
  }
}

function openVersion(parts: Parts, snapshot: OpenSnapshot, before?: Searcher): Shared<OpenVersion> {
  const { encoder, kernel, findSharedVectors } = parts;
  const { info: model, tokenizer } = encoder;
  const searcher = new Searcher({ snapshot, kernel, model, tokenizer, encoder, before, findSharedVectors });
  return new Shared({ snapshot, searcher }, async () => {
    searcher.close();
    await snapshot.close();
  });
}

/** The options with `where` as a filter function. */
function withWhere({ where, ...options }: AskOptions): AskOptions {
  if (where === undefined) return options;
  const { passes: filter, key: filterKey } = compileFilter(where);
  return { ...options, filter, advanced: { ...options.advanced, filterKey } };
}
