/**
 * Copies an index from a folder into a cluster and back without encoding anything again. All stored
 * numbers are kept.
 */

import type { TermWeights } from "../../src/encode/types.js";
import { throwIfAborted, VerbatimError } from "../../src/errors.js";
import { documentKey } from "../../src/index/format/content-hash.js";
import type { ManifestModel } from "../../src/index/manifest/manifest.js";
import type { OpenSnapshot } from "../../src/index/open-snapshot.js";
import { documentOf } from "../../src/index/segment/whole-document.js";
import type { PreparedPassage } from "../../src/index/types.js";
import type { Document } from "../../src/types.js";
import type { ConnectedIndex } from "./connected-index.js";
import { scanRecords, wholeOf } from "./documents.js";
import type { Loader } from "./loader.js";
import { passageOf, Records } from "./record-cache.js";

type Segment = OpenSnapshot["segments"][number];

interface CopyProgress {
  documents: number;
  passages: number;
  /** Documents that were already present. */
  unchanged: number;
}

interface CopyOptions {
  signal?: AbortSignal;
  /** Called after each document with the counts so far and the total. */
  onProgress?: (progress: CopyProgress, total: number) => void;
}

/** Documents looked up per request. */
const LOOKED_UP = 500;
/** Units whose term weights are in memory at the same time. */
const PASSAGES_AT_ONCE = 65_536;
/** Passages read at the same time. */
const READ_AT_ONCE = 64;

/**
 * Copies every live document of the folder's index, in its order. Documents that are unchanged in
 * the cluster are skipped.
 * @throws VerbatimError `invalid-argument` for an index that is not all of level `full`
 */
export async function copyToCluster(
  snapshot: OpenSnapshot,
  loader: Loader,
  options: CopyOptions = {},
): Promise<CopyProgress> {
  const { signal, onProgress } = options;
  const progress: CopyProgress = { documents: 0, passages: 0, unchanged: 0 };
  let order = 0;
  for (const segment of snapshot.segments) {
    if (segment.level !== "full") {
      throw new VerbatimError(
        "invalid-argument",
        `${segment.name} has level ${segment.level}, but a cluster needs level full.`,
        {
          hint: "Run verbatim upgrade --level full on the index first.",
        },
      );
    }
    const terms = new PassageTerms(segment);
    const precision = { ...segment.phrases.precision, ngramStep: segment.ngrams.step };
    const { firstPassages, passageCount } = {
      firstPassages: firstPassagesOf(segment),
      passageCount: segment.passageCount,
    };
    for (let first = 0; first < segment.documentCount; first += LOOKED_UP) {
      const numbers = Array.from({ length: Math.min(LOOKED_UP, segment.documentCount - first) }, (_, n) => first + n);
      const live = numbers.filter((document) => !segment.isDeleted(document));
      const records = await Promise.all(live.map((document) => segment.readDocument(document, signal)));
      await loader.look(records.map(({ id }) => documentKey(id)));
      for (const [n, record] of records.entries()) {
        throwIfAborted(signal);
        const document = live[n]!;
        const connected = order++;
        if (loader.known(documentKey(record.id))?.hash === record.contentHash) progress.unchanged++;
        else {
          const whole = documentOf(record, await segment.readText(document, 0, record.length, signal));
          const range = [firstPassages[document]!, firstPassages[document + 1] ?? passageCount] as const;
          const passages = passagesOf(segment, range, { terms, signal });
          await loader.add(whole, passages, precision, connected);
          progress.documents++;
          progress.passages += record.passageCount;
        }
        onProgress?.(progress, snapshot.documentCount);
      }
    }
  }
  return progress;
}

/** Number of the first passage of each document. */
function firstPassagesOf({ documentCount, passageDocuments }: Segment): Uint32Array {
  const firsts = new Uint32Array(documentCount + 1);
  for (const document of passageDocuments) firsts[document + 1]!++;
  for (let d = 0; d < documentCount; d++) firsts[d + 1]! += firsts[d]!;
  return firsts;
}

async function* passagesOf(
  segment: Segment,
  [from, to]: readonly [number, number],
  { terms, signal }: { terms: PassageTerms; signal: AbortSignal | undefined },
): AsyncGenerator<PreparedPassage> {
  for (let first = from; first < to; first += READ_AT_ONCE) {
    const numbers = Array.from({ length: Math.min(READ_AT_ONCE, to - first) }, (_, n) => first + n);
    const stored = await segment.readPassages(numbers, signal);
    const vectors = await segment.vectors.range(first, first + numbers.length, signal);
    const { rowBytes } = segment.vectors;
    for (const [n, passage] of numbers.entries()) {
      const { start, end } = segment.passage(passage);
      const vector = vectors.slice(n * rowBytes, (n + 1) * rowBytes);
      yield { start, end, encoded: { ...stored[n]!, units: [await terms.of(passage, signal)], vector } };
    }
  }
}

/** Term weights by passage, collected in one pass over the postings per block of passages. */
class PassageTerms {
  readonly #segment: Segment;
  #first = 0;
  #passages: Array<{ terms: number[]; weights: number[] }> = [];

  constructor(segment: Segment) {
    this.#segment = segment;
  }

  async of(passage: number, signal?: AbortSignal): Promise<TermWeights> {
    if (passage < this.#first || passage >= this.#first + this.#passages.length) await this.#read(passage, signal);
    const { terms, weights } = this.#passages[passage - this.#first]!;
    return { terms: Uint16Array.from(terms), weights: Uint8Array.from(weights) };
  }

  async #read(first: number, signal?: AbortSignal): Promise<void> {
    const count = Math.min(PASSAGES_AT_ONCE, this.#segment.passageCount - first);
    const passages = Array.from({ length: count }, () => ({ terms: [] as number[], weights: [] as number[] }));
    await this.#segment.terms.walk((term, list) => {
      for (let k = 0; k < list.count; k++) {
        const at = passages[list.units[k]! - first];
        if (at === undefined) continue;
        at.terms.push(term);
        at.weights.push(list.values[k]!);
      }
    }, signal);
    this.#first = first;
    this.#passages = passages;
  }
}

/** A document read from the cluster. */
interface CopiedDocument {
  document: Document;
  /** Undefined if the caller already has the document. */
  passages: AsyncGenerator<PreparedPassage> | undefined;
  /** Number of passages. */
  count: number;
}

/**
 * Reads every document of the cluster's index, in its order, for a writer whose model comes from
 * `clusterModel`.
 * @throws VerbatimError `corrupt-segment` if a part of a document is missing
 */
export async function* documentsFromCluster(
  connected: ConnectedIndex,
  options: { signal?: AbortSignal; isKnown?: (id: string, contentHash: string) => boolean } = {},
): AsyncGenerator<CopiedDocument> {
  const { signal, isKnown } = options;
  for await (const found of scanRecords(connected, { signal })) {
    const { id, title, source, map, metadata } = found.record;
    const count = found.passages;
    if (isKnown?.(id, found.hash)) {
      yield { document: { id, title, source, map, metadata, text: "" }, passages: undefined, count };
      continue;
    }
    const records = new Records(connected.connection, connected.index, signal);
    const { document, passages } = await wholeOf(connected, found, { records, signal });
    yield { document, passages, count };
  }
}

/** The index's model, with limits that keep everything the cluster stores. */
export async function clusterModel(connected: ConnectedIndex, signal?: AbortSignal): Promise<ManifestModel> {
  const { connection, index, meta } = connected;
  const query = { terms: { kind: ["alone", "passage"] } };
  const body = { size: 1, query, _source: false, docvalue_fields: ["blob"] };
  const [hit] = (await connection.search(`/${index}/_search`, body, { signal })).hits.hits;
  if (hit === undefined) return meta.model;
  const { start, end, coherency, ngramStep } = passageOf(hit, meta.model).precision;
  const steps = { start: [...start], end: [...end], coherency: [...coherency] };
  const all = Number.MAX_SAFE_INTEGER; // no further limit
  return { ...meta.model, storage: { ...steps, ngramStep, ngramsPerRow: all, termsPerUnit: all } };
}
