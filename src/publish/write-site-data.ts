/**
 * Writes the blobs that a static site needs to find sentences: start file, term shards, text
 * shards, list of documents.
 */

import type { ModelInfo } from "../encode/types.js";
import type { IndexSnapshot } from "../index/types.js";
import { type PutBlob, packJson } from "./blob.js";
import { numberLive } from "./live.js";
import { encodeStart } from "./start.js";
import { writeTermShards } from "./term-shards.js";
import { writeTextShards } from "./text-shards.js";
import { vocabularyOrder } from "./vocabulary.js";

interface SiteDataOptions {
  model: Pick<ModelInfo, "maxQuestionTokens" | "weights" | "scales">;
  /** Tokens by id. */
  vocabulary: readonly string[];
  /** Gain of every term, by id. */
  gains: Float32Array;
  put: PutBlob;
  /** Size of a shard in bytes of postings or UTF-16 units of text, for tests. */
  shardBytes?: number;
  shardUnits?: number;
  signal?: AbortSignal;
}

export interface SiteData {
  documents: number;
  passages: number;
  /** Names of the start file and of the list of documents. */
  start: string;
  list: string;
  /** Bytes by kind. */
  bytes: { start: number; terms: number; texts: number; list: number };
  /** Names of all blobs. */
  names: string[];
}

/** @throws VerbatimError as the snapshot, and what `put` throws */
export async function writeSiteData(snapshot: IndexSnapshot, options: SiteDataOptions): Promise<SiteData> {
  const { model, vocabulary, gains, shardBytes, shardUnits, signal } = options;
  const names: string[] = [];
  const bytes = { start: 0, terms: 0, texts: 0, list: 0 };
  const counting =
    (kind: keyof typeof bytes): PutBlob =>
    async (blob) => {
      bytes[kind] += blob.length;
      const name = await options.put(blob);
      names.push(name);
      return name;
    };
  const live = numberLive(snapshot);
  const order = vocabularyOrder(vocabulary);
  const terms = await writeTermShards(snapshot, { order, gains, live, put: counting("terms"), shardBytes, signal });
  const { table: texts, documents } = await writeTextShards(snapshot, { put: counting("texts"), shardUnits, signal });
  const head = {
    documents: live.documents,
    passages: live.passages,
    maxQuestionTokens: model.maxQuestionTokens,
    termsWeight: model.weights.terms,
    termScale: model.scales.term,
  };
  const packed = encodeStart({ head, vocabulary: order.map((id) => vocabulary[id]!), terms, texts });
  const start = await counting("start")(packed);
  const list = await counting("list")(packJson(documents));
  return { documents: live.documents, passages: live.passages, start, list, bytes, names };
}
