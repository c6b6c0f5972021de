/** The kinds of files that a segment has at each level (docs/index-format.md §1). */

import type { IndexLevel } from "./level.js";

const SEGMENT_COMPONENTS = ["documents", "text", "passages", "phrases", "ngrams", "vectors", "terms", "tfidf"] as const;
export type SegmentComponent = (typeof SEGMENT_COMPONENTS)[number];

/** What the header of a file may name. */
export type Component = SegmentComponent | "tombstones";

/** Files of a segment at each level, in the order of SEGMENT_COMPONENTS. */
export const COMPONENTS: Record<IndexLevel, readonly SegmentComponent[]> = {
  lexical: ["documents", "text", "passages", "tfidf"],
  thin: ["documents", "text", "passages", "vectors", "terms", "tfidf"],
  full: SEGMENT_COMPONENTS,
};

/** The components that segments of every level have. */
type BaseComponent = "documents" | "text" | "passages" | "tfidf";
export type BySegmentComponent<T> = Record<BaseComponent, T> & Partial<Record<SegmentComponent, T>>;
