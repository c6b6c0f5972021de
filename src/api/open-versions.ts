/** The version of an index that is open, and its successor when there is one: questions under way keep theirs. */

import type { AnswerOptions } from "../ask/ask.js";
import type { EncodedQuestion, Encoder } from "../encode/types.js";
import { VerbatimError } from "../errors.js";
import { compileFilter } from "../filter/evaluate.js";
import { type IndexInfo, indexInfo } from "../index/index-info.js";
import type { IndexLevel } from "../index/level.js";
import { type CheckOptions, type CheckReport, checkIndex } from "../index/maintain/check.js";
import { committedVersions } from "../index/manifest/manifest.js";
import { type OpenSnapshot, openSnapshot } from "../index/open-snapshot.js";
import type { Storage } from "../index/ports.js";
import type { Kernel } from "../kernel/kernel.js";
import { SearchSession } from "../search/session.js";
import type { AnswerSource, AskOptions, Entered } from "./answer-source.js";

interface Parts {
  storage: Storage;
  encoder: Encoder;
  kernel: Kernel;
}

/** A version that is open, and the questions that are being answered from it. */
export interface OpenVersion {
  readonly snapshot: OpenSnapshot;
  readonly session: SearchSession;
  questions: number;
  /** Closed as soon as no question needs it. */
  retired: boolean;
}

export class OpenVersions implements AnswerSource {
  readonly #parts: Parts;
  #current: OpenVersion;
  #refreshing: Promise<unknown> = Promise.resolve();

  /** @throws VerbatimError `model-mismatch`; then `snapshot` stays the caller's to close */
  constructor(parts: Parts, snapshot: OpenSnapshot) {
    this.#parts = parts;
    this.#current = openVersion(parts, snapshot);
  }

  get version(): number {
    return this.#current.snapshot.version;
  }

  get info(): IndexInfo {
    return indexInfo(this.#current.snapshot);
  }

  get levels(): readonly IndexLevel[] {
    return this.#current.session.levels;
  }

  async prepare(): Promise<void> {
    const version = this.#current;
    version.questions++; // stays open meanwhile
    await version.session.prepare().finally(() => this.#leave(version));
  }

  check(options: CheckOptions): Promise<CheckReport> {
    return checkIndex(this.#parts.storage, options);
  }

  /** As `Index.refresh`. Segments that both versions have stay open and loaded: the time it takes is that of what is new. */
  refresh(options: { signal?: AbortSignal; atLeastVersion?: number }): Promise<number> {
    const result = this.#refreshing.then(async () => {
      const { storage, encoder } = this.#parts;
      const before = this.#current;
      if (before.retired) throw new VerbatimError("invalid-argument", "The index is closed.");
      const newest = committedVersions(await storage.list())[0];
      if (newest === before.snapshot.version && newest >= (options.atLeastVersion ?? 0)) return newest;
      const expectModelHash = encoder.info.passageModelHash;
      const snapshot = await openSnapshot(storage, { ...options, expectModelHash, known: before.snapshot });
      try {
        this.#current = openVersion(this.#parts, snapshot, before.session);
      } catch (error) {
        await snapshot.close();
        throw error;
      }
      await retire(before);
      return snapshot.version;
    });
    this.#refreshing = result.catch(() => {});
    return result;
  }

  /** Hands out the version of now, which stays open until it is left. */
  async enter(_question: EncodedQuestion, given: AskOptions): Promise<Entered> {
    const options = withWhere(given);
    const version = this.#current;
    version.questions++;
    return { session: version.session, options, leave: () => this.#leave(version) };
  }

  async #leave(version: OpenVersion): Promise<void> {
    version.questions--;
    if (version.retired) await retire(version);
  }

  /** A question that is under way fails. */
  async close(): Promise<void> {
    await this.#refreshing;
    this.#current.questions = 0;
    await retire(this.#current);
  }
}

function openVersion({ encoder, kernel }: Parts, snapshot: OpenSnapshot, before?: SearchSession): OpenVersion {
  const { info: model, tokenizer } = encoder;
  const session = new SearchSession({ snapshot, kernel, model, tokenizer, encoder, before });
  return { snapshot, session, questions: 0, retired: false };
}

async function retire(version: OpenVersion): Promise<void> {
  version.retired = true;
  if (version.questions > 0) return;
  version.session.close();
  await version.snapshot.close();
}

function withWhere({ where, ...options }: AskOptions): AnswerOptions {
  if (where === undefined) return options;
  const { passes: filter, key: filterKey } = compileFilter(where);
  return { ...options, filter, filterKey };
}
