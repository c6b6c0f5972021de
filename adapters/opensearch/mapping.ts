/**
 * Fields, settings and `_meta` of an index in a cluster. docs/opensearch.md describes every field.
 */

import { VerbatimError } from "../../src/errors.js";
import type { ManifestModel } from "../../src/index/manifest/manifest.js";
import type { NewIndexOptions } from "./address.js";

/** Raised with every change that an older program would misread. */
export const MAPPING_VERSION = 1;

export type ClusterModel = Pick<
  ManifestModel,
  "name" | "passageModelHash" | "vocabularySize" | "dense" | "coherency" | "vector"
>;

/** `_meta.verbatim` of the mapping. */
export interface ClusterMeta {
  mapping: number;
  model: ClusterModel;
  vectors: boolean;
}

/**
 * `kind` of an entry. `alone` is the only passage of its document, so that its n-grams are also the
 * document's.
 */
export type Kind = "alone" | "passage" | "document" | "piece" | "state";

const KEYWORD = { type: "keyword", doc_values: false, norms: false } as const;
const FEATURES = { type: "rank_features" } as const;

const PROPERTIES = {
  kind: { type: "keyword" },
  /** Key of the document, content hash, and part number out of 4,096. */
  doc: { type: "keyword" },
  hash: { type: "keyword" },
  part: { type: "short" },
  order: { type: "long" },
  number: { type: "integer" },
  passages: { type: "integer" },
  pieces: { type: "integer" },
  id: { type: "keyword", ignore_above: 8191 },
  title: { type: "text", index: false },
  source: { type: "keyword", ignore_above: 8191 },
  text: { type: "text", index: false },
  utf16: { type: "binary" },
  metadata: { type: "object", enabled: false },
  record: { type: "object", enabled: false },
  version: { type: "long" },
  /** For filters: keywords of name, NUL and value, and of names only. */
  texts: KEYWORD,
  numbers: KEYWORD,
  truths: KEYWORD,
  names: KEYWORD,
  /**
   * Impacts of terms, and n-grams of only passages, of other passages, and of documents with
   * several passages.
   */
  t: FEATURES,
  a: FEATURES,
  g: FEATURES,
  w: FEATURES,
  /** Counts of the n-grams of a document with several passages. */
  c: FEATURES,
  blob: { type: "binary", doc_values: true },
} as const;

/** Fields for searching only, left out of the stored JSON so that a passage is not stored twice. */
const NOT_IN_SOURCE = ["t", "a", "g", "w", "c", "blob", "vector", "texts", "numbers", "truths", "names"];

/**
 * Passage vectors, always with engine "lucene": others load native code, and nodes without it crash.
 * @throws VerbatimError `invalid-argument` if the model has none
 */
function vectorField({ name, vector: dimension }: ClusterModel): object {
  if (dimension === 0) {
    throw new VerbatimError("invalid-argument", `${name} has no passage vectors.`, {
      hint: "Leave vectors=true out of the address.",
    });
  }
  const method = {
    name: "hnsw",
    engine: "lucene",
    space_type: "innerproduct",
    parameters: { m: 16, ef_construction: 100 },
  };
  return { type: "knn_vector", dimension, data_type: "byte", method };
}

/** The template of all indexes of this name. */
export function indexTemplate(pattern: string): object {
  return {
    index_patterns: [pattern],
    version: MAPPING_VERSION,
    priority: 500,
    template: {
      settings: { index: { refresh_interval: "-1", "mapping.total_fields.limit": 200 } },
      mappings: { dynamic: "strict", _source: { excludes: NOT_IN_SOURCE }, properties: PROPERTIES },
    },
  };
}

/** What an index has in addition to its template. */
export function indexBody(model: ClusterModel, options: NewIndexOptions): object {
  const { shards, replicas, vectors } = options;
  const meta: ClusterMeta = { mapping: MAPPING_VERSION, model, vectors };
  return {
    settings: { index: { number_of_shards: shards, number_of_replicas: replicas, ...(vectors ? { knn: true } : {}) } },
    mappings: { _meta: { verbatim: meta }, ...(vectors ? { properties: { vector: vectorField(model) } } : {}) },
  };
}

/**
 * @throws VerbatimError `unsupported-format` for an index of another program, or of a newer version
 */
export function readMeta(meta: unknown, shown: string): ClusterMeta {
  const found = (meta as { verbatim?: ClusterMeta } | undefined)?.verbatim;
  if (found === undefined) {
    throw new VerbatimError("unsupported-format", `${shown} is not a Verbatim index.`, {
      hint: "Choose an index created by verbatim index --to or verbatim copy.",
    });
  }
  if (found.mapping <= MAPPING_VERSION) return found;
  throw new VerbatimError(
    "unsupported-format",
    `${shown} has mapping ${found.mapping}, but this program supports ${MAPPING_VERSION}.`,
    {
      found: found.mapping,
      expected: MAPPING_VERSION,
      hint: "Use a newer version of Verbatim.",
    },
  );
}
