/**
 * Answers questions from a cluster: candidates are fetched, and search runs on them as on an index
 * in a folder.
 */

import type { AnswerSource, QuestionScope } from "../../src/api/answer-source.js";
import { type AskOptions, searchOptionsOf } from "../../src/ask/options.js";
import type { EncodedQuestion, ModelInfo } from "../../src/encode/types.js";
import { hasCode, VerbatimError } from "../../src/errors.js";
import { parseFilter } from "../../src/filter/parse.js";
import { FetchedSegment } from "../../src/index/cluster/fetched-segment.js";
import type { IndexInfo } from "../../src/index/index-info.js";
import type { CheckOptions, CheckReport } from "../../src/index/maintain/check.js";
import type { IndexSnapshot, TfidfKind } from "../../src/index/types.js";
import type { Kernel } from "../../src/kernel/kernel.js";
import type { SearchOptions } from "../../src/search/options.js";
import { scoreAllPassages } from "../../src/search/score/passage-scorer.js";
import { questionGrams } from "../../src/search/score/tfidf.js";
import { Searcher } from "../../src/search/searcher.js";
import { SerialQueue } from "../../src/serial-queue.js";
import type { Tokenizer } from "../../src/text/tokenizer.js";
import { requireClusterIndex } from "./alias-lookup.js";
import { type CandidateQuestion, type Fetched, fetchCandidates, fetchDocuments } from "./candidates.js";
import { checkCluster } from "./check.js";
import { type IndexState, readCommit, readState } from "./commit-number.js";
import type { ConnectedIndex } from "./connected-index.js";
import { LOST_CONTEXT } from "./connection/cluster-error.js";
import { type Counts, Frequencies } from "./frequencies.js";
import { fetchNearest } from "./nearest.js";
import { type ClusterPassage, Records } from "./record-cache.js";
import { filterQuery } from "./where.js";
import { checkModel } from "./writer.js";

/** Below this number of passages every vector is compared. */
const COMPARED_PASSAGES = 4000;

interface ClusterSourceParts {
  connected: ConnectedIndex;
  state: IndexState;
  model: ModelInfo;
  tokenizer: Tokenizer;
  kernel: Kernel;
}

/** One version of one index. A question uses the one that it began with. */
interface OpenVersion {
  readonly connected: ConnectedIndex;
  readonly state: IndexState;
  readonly frequencies: Frequencies;
}

export class ClusterSource implements AnswerSource {
  readonly #parts: Pick<ClusterSourceParts, "model" | "tokenizer" | "kernel">;
  #open: OpenVersion;
  /** Shared by all searchers. */
  readonly #shared: Searcher;
  readonly #refreshes = new SerialQueue();

  constructor({ connected, state, ...parts }: ClusterSourceParts) {
    this.#parts = parts;
    this.#open = openVersion(connected, state);
    const nothing = { passages: [], grams: new Map() };
    this.#shared = this.#searcherOf(nothing, { open: this.#open, frequencies: new Map() });
  }

  get version(): number {
    return this.#open.state.version;
  }

  /** Clusters only hold level `full`. */
  readonly levels = ["full"] as const;

  get info(): IndexInfo {
    const { meta } = this.#open.connected;
    const { version, documents, passages, bytes } = this.#open.state;
    return {
      version,
      formatVersion: meta.mapping,
      documents,
      passages,
      bytes,
      phrases: 0,
      tokens: 0,
      segments: 0,
      componentBytes: {},
      deletedDocuments: 0,
      level: "full" as const,
      levels: { full: passages },
      model: meta.model.name,
      passageModelHash: meta.model.passageModelHash,
    };
  }

  async openForQuestion(question: EncodedQuestion, given: AskOptions): Promise<QuestionScope> {
    const open = this.#open;
    const { index } = open.connected;
    try {
      return await this.#openForQuestion(question, { open, given });
    } catch (error) {
      // the alias may point to another index by now
      if (!isIndexGone(error)) throw error;
      if (this.#open.connected.index === index) await this.refresh({ signal: given.signal });
      if (this.#open.connected.index === index) throw error;
      return this.#openForQuestion(question, { open: this.#open, given });
    }
  }

  async #openForQuestion(
    question: EncodedQuestion,
    { open, given }: { open: OpenVersion; given: AskOptions },
  ): Promise<QuestionScope> {
    const { connected, state } = open;
    const { connection, index } = connected;
    const { vectors } = connected.meta;
    requireSupported(given, { vectors });
    const { where, filter: _, strategy = "hybrid", ...options } = given;
    const readerOnly = strategy === "sparta-reader";
    const resolved = searchOptionsOf({ ...options, strategy }, this.levels);
    const { signal } = options;
    const began = performance.now();
    const grams = questionGrams(question.text);
    const frequencies = await open.frequencies.of(
      grams.map(([bucket]) => bucket),
      signal,
    );
    const records = new Records(connection, index, signal);
    const asked: CandidateQuestion = {
      connected,
      state,
      model: this.#parts.model,
      question,
      grams,
      signal,
      frequency: (kind, bucket) => frequencies.get(bucket)![kind],
      filter: where === undefined ? undefined : filterQuery(parseFilter(where)),
      count: readerOnly ? Math.max(resolved.rankedPassages, resolved.readerPassages) : resolved.candidates,
      termsOnly: readerOnly,
      onRanked: (passages) => records.expect(readerOnly ? passages.slice(0, resolved.readerPassages) : passages),
    };
    const steps = { terms: performance.now() - began, dense: 0, read: 0 };
    const timed = async <T>(step: "dense" | "read", work: Promise<T>): Promise<T> => {
      const started = performance.now();
      const done = await work;
      steps[step] += performance.now() - started;
      return done;
    };
    // both at once: neither ranking needs the other
    const [fetched, nearest] = await Promise.all([
      strategy === "dense-first"
        ? { passages: [], grams: new Map() }
        : timed(
            "read",
            fetchCandidates(asked, (fetchedSoFar) => this.#exactScores(fetchedSoFar, { asked, open, frequencies })),
          ),
      vectors && (strategy === "hybrid" || strategy === "dense-first")
        ? timed("dense", this.#fetchNearest(asked, resolved))
        : [],
    ]);
    if (addMissing(fetched.passages, nearest)) await fetchDocuments(asked, fetched);
    const searcher = this.#searcherOf(fetched, { open, frequencies, records });
    const release = async (): Promise<void> => searcher.close();
    return { searcher, options, steps, withoutVectors: !vectors, release };
  }

  /** One refresh at a time: one that began earlier must not bring back an older version. */
  refresh(options: { signal?: AbortSignal | undefined; atLeastVersion?: number } = {}): Promise<number> {
    return this.#refreshes.run(() => this.#refresh(options));
  }

  async #refresh({
    signal,
    atLeastVersion = 0,
  }: {
    signal?: AbortSignal | undefined;
    atLeastVersion?: number;
  }): Promise<number> {
    const { connected, state } = this.#open;
    const { connection } = connected;
    const found = await requireClusterIndex(connection, signal);
    const { index } = found;
    const { version } = await readCommit(connection, index, signal);
    if (version < atLeastVersion) {
      throw new VerbatimError(
        "invalid-argument",
        `${connection.address.shown} is at version ${version}, older than ${atLeastVersion}.`,
        {
          hint: "Wait for the commit, or do not require a version.",
        },
      );
    }
    if (version !== state.version || index !== connected.index) {
      checkModel(found.meta.model, this.#parts.model.passageModelHash, connection.address.shown);
      this.#open = openVersion({ connection, ...found }, await readState(connection, index, signal));
    }
    return this.version;
  }

  check(options: CheckOptions): Promise<CheckReport> {
    return checkCluster(this.#open.connected, options);
  }

  async close(): Promise<void> {
    this.#shared.close();
    await this.#open.connected.connection.close();
  }

  /** The passages whose vectors are nearest to the question's. */
  #fetchNearest(
    { connected, state, filter, signal, question }: CandidateQuestion,
    { candidates: count }: SearchOptions,
  ): Promise<ClusterPassage[]> {
    const compareAll = state.passages < COMPARED_PASSAGES;
    return fetchNearest({ connected, vector: question.vector, count, compareAll, filter, signal });
  }

  /** λ_t · terms + λ_d · tfidf of each fetched passage: what the cluster's sums bound. */
  async #exactScores(
    fetched: Fetched,
    { asked, ...version }: { asked: CandidateQuestion; open: OpenVersion; frequencies: ReadonlyMap<number, Counts> },
  ): Promise<number[]> {
    const { question, signal, termsOnly } = asked;
    const searcher = this.#searcherOf(fetched, version);
    const { terms, tfidf } = await scoreAllPassages(searcher, question, { signal });
    return Array.from(terms, (score, n) => (termsOnly ? score : score + tfidf[n]!));
  }

  #searcherOf(
    { passages, grams }: Fetched,
    {
      open,
      frequencies,
      records = new Records(open.connected.connection, open.connected.index),
    }: { open: OpenVersion; frequencies: ReadonlyMap<number, Counts>; records?: Records },
  ): Searcher {
    const { model, tokenizer, kernel } = this.#parts;
    const { connection, meta } = open.connected;
    const { version, documents, passages: passageCount, bytes } = open.state;
    const texts = {
      async readDocument(key: string) {
        const { record, checkpoints } = await records.record(key);
        searcher.checkpoints.set(`0:${segment.numberOf(key)}`, checkpoints);
        return record;
      },
      async readText(key: string, range: { from: number; to: number }) {
        return records.text(await records.record(key), range);
      },
    };
    const { dense, coherency, vector, passageModelHash } = meta.model;
    const segment = new FetchedSegment(connection.address.shown, { passages, grams, texts });
    const snapshot: IndexSnapshot = {
      version,
      formatVersion: meta.mapping,
      passageModelHash,
      dense,
      coherency,
      vector,
      segments: [segment],
      documentCount: documents,
      passageCount,
      bytes,
      frequencies: (kind: TfidfKind, bucket: number) => frequencies.get(bucket)![kind],
      close: async () => {},
    };
    const searcher: Searcher = new Searcher({ snapshot, kernel, model, tokenizer, before: this.#shared });
    return searcher;
  }
}

/** True if the index may have been deleted, before a search or during it. */
function isIndexGone(error: unknown): boolean {
  return hasCode(error, "index-missing") || (hasCode(error, "io-error") && error.found === LOST_CONTEXT);
}

function openVersion(connected: ConnectedIndex, state: IndexState): OpenVersion {
  const { alone, passages } = state;
  const kinds = { alone: alone > 0, several: alone < passages };
  return { connected, state, frequencies: new Frequencies(connected.connection, connected.index, kinds) };
}

/** Appends the passages that are not in the list yet. @returns true if there are any */
function addMissing(passages: ClusterPassage[], others: readonly ClusterPassage[]): boolean {
  const nameOf = ({ key, number }: ClusterPassage): string => `${key}-${number}`;
  const known = new Set(passages.map(nameOf));
  const missing = others.filter((passage) => !known.has(nameOf(passage)));
  passages.push(...missing);
  return missing.length > 0;
}

/** @throws VerbatimError `invalid-argument` for options that need an index in a folder, or vectors that are missing */
function requireSupported({ filter, strategy }: AskOptions, { vectors }: { vectors: boolean }): void {
  if (filter !== undefined)
    throw unsupported("A filter function cannot run in a cluster.", "Use a filter expression with where.");
  if (strategy === "dense-first" && !vectors) {
    const hint = "Create it with ?vectors=true in its address, or use sparse-first or hybrid.";
    throw unsupported("This index in the cluster has no vectors.", hint);
  }
  if (strategy === "exhaustive") {
    throw unsupported("A cluster cannot score every passage.", "Use another strategy, or copy the index to a folder.");
  }
  if (strategy === "lexical") {
    throw unsupported("An index in a cluster has no lexical level.", "Use sparse-first or hybrid.");
  }
}

function unsupported(message: string, hint: string): VerbatimError {
  return new VerbatimError("invalid-argument", message, { hint });
}
