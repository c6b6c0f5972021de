/**
 * Answers questions from a cluster: candidates are fetched, and search runs on them as on an index
 * in a folder.
 */

import type { AnswerScope, AnswerSource } from "../../src/api/answer-source.js";
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
import { scoreSparse } from "../../src/search/score/sparse.js";
import { questionGrams } from "../../src/search/score/tfidf.js";
import { SearchSession } from "../../src/search/session.js";
import type { Tokenizer } from "../../src/text/tokenizer.js";
import { requireClusterIndex } from "./alias-lookup.js";
import { type CandidateQuestion, type Fetched, fetchCandidates, fetchGrams } from "./candidates.js";
import { checkCluster } from "./check.js";
import { type IndexState, readState, readVersion } from "./commit-number.js";
import type { ConnectedIndex } from "./connected-index.js";
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

export class ClusterSource implements AnswerSource {
  #parts: ClusterSourceParts;
  #state: IndexState;
  #frequencies: Frequencies;
  /** Shared by all sessions. */
  readonly #first: SearchSession;

  constructor(parts: ClusterSourceParts) {
    this.#parts = parts;
    this.#state = parts.state;
    this.#frequencies = this.#newFrequencies();
    const nothing = { passages: [], grams: new Map() };
    this.#first = this.#sessionOf(nothing, { frequencies: new Map() });
  }

  get version(): number {
    return this.#state.version;
  }

  /** Clusters only hold level `full`. */
  readonly levels = ["full"] as const;

  get info(): IndexInfo {
    const { meta } = this.#parts.connected;
    const { version, documents, passages, bytes } = this.#state;
    return {
      ...{ version, formatVersion: meta.mapping, documents, passages, bytes },
      ...{ phrases: 0, tokens: 0, segments: 0, componentBytes: {}, deletedDocuments: 0 },
      ...{ level: "full" as const, levels: { full: passages } },
      model: meta.model.name,
      passageModelHash: meta.model.passageModelHash,
    };
  }

  async openScope(question: EncodedQuestion, given: AskOptions): Promise<AnswerScope> {
    try {
      return await this.#openScope(question, given);
    } catch (error) {
      // the alias may point to another index by now
      const { index } = this.#parts.connected;
      if (!hasCode(error, "index-missing")) throw error;
      await this.refresh({ ...(given.signal === undefined ? {} : { signal: given.signal }) });
      if (this.#parts.connected.index === index) throw error;
      return this.#openScope(question, given);
    }
  }

  async #openScope(question: EncodedQuestion, given: AskOptions): Promise<AnswerScope> {
    const { where, filter, strategy = "hybrid", ...options } = given;
    if (filter !== undefined)
      throw refuse("A filter function cannot run in a cluster.", "Use a filter expression with where.");
    if (strategy === "dense-first" && !this.#parts.connected.meta.vectors) {
      const hint = "Create it with ?vectors=true in its address, or use sparse-first or hybrid.";
      throw refuse("This index in the cluster has no vectors.", hint);
    }
    if (strategy === "exhaustive") {
      throw refuse("A cluster cannot score every passage.", "Use another strategy, or copy the index to a folder.");
    }
    if (strategy === "lexical") {
      throw refuse("An index in a cluster has no lexical level.", "Use sparse-first or hybrid.");
    }
    const readerOnly = strategy === "sparta-reader";
    const resolved = searchOptionsOf({ ...options, strategy }, this.levels);
    const { signal } = options;
    const began = performance.now();
    const grams = questionGrams(question.text);
    const frequencies = await this.#frequencies.of(
      grams.map(([bucket]) => bucket),
      signal,
    );
    const { connection, index } = this.#parts.connected;
    const records = new Records(connection, index, signal);
    const asked: CandidateQuestion = {
      ...{ connected: this.#parts.connected, state: this.#state, model: this.#parts.model, question, grams, signal },
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
    const { vectors } = this.#parts.connected.meta;
    // both at once: neither ranking needs the other
    const [fetched, nearest] = await Promise.all([
      strategy === "dense-first"
        ? { passages: [], grams: new Map() }
        : timed(
            "read",
            fetchCandidates(asked, (so) => this.#exactScores(so, { asked, frequencies })),
          ),
      vectors && (strategy === "hybrid" || strategy === "dense-first")
        ? timed("dense", this.#fetchNearest(asked, resolved))
        : [],
    ]);
    if (addMissing(fetched.passages, nearest)) await fetchGrams(asked, fetched);
    const session = this.#sessionOf(fetched, { frequencies, records });
    const release = async (): Promise<void> => session.close();
    return { session, options, steps, withoutVectors: !vectors, release };
  }

  async refresh(options: { signal?: AbortSignal; atLeastVersion?: number } = {}): Promise<number> {
    const { connected, model } = this.#parts;
    const { connection } = connected;
    const { signal, atLeastVersion = 0 } = options;
    const found = await requireClusterIndex(connection, signal);
    const { index } = found;
    const version = await readVersion(connection, index, signal);
    if (version < atLeastVersion) {
      throw new VerbatimError(
        "invalid-argument",
        `${connection.address.shown} is at version ${version}, older than ${atLeastVersion}.`,
        {
          hint: "Wait for the commit, or do not require a version.",
        },
      );
    }
    if (version !== this.#state.version || index !== connected.index) {
      checkModel(found.meta.model, model.passageModelHash, connection.address.shown);
      this.#parts = { ...this.#parts, connected: { connection, ...found } };
      this.#state = await readState(connection, index, signal);
      this.#frequencies = this.#newFrequencies();
    }
    return this.#state.version;
  }

  check(options: CheckOptions): Promise<CheckReport> {
    return checkCluster(this.#parts.connected, options);
  }

  async close(): Promise<void> {
    this.#first.close();
    await this.#parts.connected.connection.close();
  }

  /** The passages whose vectors are nearest to the question's. */
  #fetchNearest(
    { connected, state, filter, signal, question }: CandidateQuestion,
    { candidates: count }: SearchOptions,
  ): Promise<ClusterPassage[]> {
    const compareAll = state.passages < COMPARED_PASSAGES;
    return fetchNearest({ connected, vector: question.vector, count, compareAll, filter, signal });
  }

  #newFrequencies(): Frequencies {
    const { connection, index } = this.#parts.connected;
    const { alone, passages } = this.#state;
    return new Frequencies(connection, index, { alone: alone > 0, several: alone < passages });
  }

  /** λ_t · terms + λ_d · tfidf of each fetched passage: what the cluster's sums bound. */
  async #exactScores(
    fetched: Fetched,
    { asked, frequencies }: { asked: CandidateQuestion; frequencies: ReadonlyMap<number, Counts> },
  ): Promise<number[]> {
    const { question, signal, termsOnly } = asked;
    const session = this.#sessionOf(fetched, { frequencies });
    const { terms, tfidf } = await scoreSparse(session, question, { signal });
    return Array.from(terms, (score, n) => (termsOnly ? score : score + tfidf[n]!));
  }

  #sessionOf(
    { passages, grams }: Fetched,
    {
      frequencies,
      records = new Records(this.#parts.connected.connection, this.#parts.connected.index),
    }: { frequencies: ReadonlyMap<number, Counts>; records?: Records },
  ): SearchSession {
    const { connected, model, tokenizer, kernel } = this.#parts;
    const { connection, meta } = connected;
    const { version, documents, passages: passageCount, bytes } = this.#state;
    const texts = {
      async readDocument(key: string) {
        const { record, checkpoints } = await records.record(key);
        session.checkpoints.set(`0:${segment.numberOf(key)}`, checkpoints);
        return record;
      },
      async readText(key: string, range: { from: number; to: number }) {
        return records.text(await records.record(key), range);
      },
    };
    const { dense, coherency, vector, passageModelHash } = meta.model;
    const segment = new FetchedSegment(connection.address.shown, { passages, grams, texts });
    const snapshot: IndexSnapshot = {
      ...{ version, formatVersion: meta.mapping, passageModelHash, dense, coherency, vector },
      ...{ segments: [segment], documentCount: documents, passageCount, bytes },
      frequencies: (kind: TfidfKind, bucket: number) => frequencies.get(bucket)![kind],
      close: async () => {},
    };
    const session: SearchSession = new SearchSession({ snapshot, kernel, model, tokenizer, before: this.#first });
    return session;
  }
}

/** Appends the passages that are not in the list yet. @returns true if there are any */
function addMissing(passages: ClusterPassage[], others: readonly ClusterPassage[]): boolean {
  const nameOf = ({ key, number }: ClusterPassage): string => `${key}-${number}`;
  const known = new Set(passages.map(nameOf));
  const missing = others.filter((passage) => !known.has(nameOf(passage)));
  passages.push(...missing);
  return missing.length > 0;
}

function refuse(message: string, hint: string): VerbatimError {
  return new VerbatimError("invalid-argument", message, { hint });
}
