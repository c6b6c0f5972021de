/**
 * State shared by the steps of one merge: numbered sources, output files, and pauses for other work
 * on the thread.
 */

import { throwIfAborted } from "../../errors.js";
import { EventLoopTurns } from "../../event-loop-turns.js";
import type { MetadataValue } from "../../types.js";
import type { BySegmentComponent, SegmentComponent } from "../format/components.js";
import type { ContainerWriter } from "../format/container-writer.js";
import type { IndexLevel } from "../format/level.js";
import type { Section } from "../format/section.js";
import type { Manifest } from "../manifest/manifest.js";
import type { OpenSegment } from "../segment/segment-reader.js";

/** Stored bytes copied at once. */
const COPY_BYTES = 256 * 1024;
/**
 * Milliseconds of work between pauses. A question that is answered on the same thread waits for it
 * a few times, each time for at most this long and one more step, which takes a fraction of it.
 */
const WORK_MS = 2;

export interface NewName {
  id: string;
  source: string;
  /** Replaces the metadata; default: unchanged. */
  metadata?: Record<string, MetadataValue>;
}

export interface MergeSource {
  segment: OpenSegment;
  /** Whether a document is kept. */
  keep: (document: number) => boolean;
  /** New name of a document; undefined: unchanged. Title and text never change. */
  rename?: (document: number) => NewName | undefined;
}

export interface MergeOptions {
  name: string;
  manifest: Pick<Manifest, "model">;
  signal?: AbortSignal;
  /** Called with the bytes of sources that were processed since the last call. */
  onBytes?: (bytes: number) => void;
}

/** A source with new numbers for its documents and passages: −1 for what is dropped. */
interface NumberedSource extends MergeSource {
  documents: Int32Array;
  passages: Int32Array;
  /** Ranges of passages that are kept: [first, end). */
  runs: Array<readonly [first: number, end: number]>;
}

/** The level of all sources. @throws Error if they differ: callers choose sources of one level */
export function commonLevel(sources: readonly MergeSource[]): IndexLevel {
  const levels = new Set(sources.map(({ segment }) => segment.level));
  if (levels.size > 1) throw new Error(`Segments of levels ${[...levels].join(" and ")} cannot be merged.`);
  return [...levels][0] ?? "full";
}

/** The next free numbers. */
interface Next {
  documents: number;
  passages: number;
}

export class MergeWork {
  readonly sources: readonly NumberedSource[];
  readonly containers: BySegmentComponent<ContainerWriter>;
  readonly manifest: MergeOptions["manifest"];
  readonly signal: AbortSignal | undefined;
  readonly #onBytes: MergeOptions["onBytes"];
  readonly #turns = new EventLoopTurns(WORK_MS);

  constructor(
    sources: readonly MergeSource[],
    containers: BySegmentComponent<ContainerWriter>,
    { manifest, signal, onBytes }: MergeOptions,
  ) {
    const next = { documents: 0, passages: 0 };
    this.sources = sources.map((source) => renumber(source, next));
    this.containers = containers;
    this.manifest = manifest;
    this.signal = signal;
    this.#onBytes = onBytes;
  }

  /** Yields the thread to questions when it is due. @throws VerbatimError `aborted` */
  readonly pause = (): Promise<void> | undefined => {
    throwIfAborted(this.signal);
    return this.#turns.next();
  };

  /** Reports a file of a source as processed. */
  done(segment: OpenSegment, component: SegmentComponent): void {
    this.#onBytes?.(segment.container(component).size);
  }

  /** Copies bytes from … to of a section in pieces of whole `unit`s. */
  async copy(
    section: Section,
    [from, to]: readonly [number, number],
    append: (bytes: Uint8Array) => Promise<void>,
    unit = 1,
  ): Promise<void> {
    const atOnce = Math.max(unit, COPY_BYTES - (COPY_BYTES % unit));
    for (let at = from; at < to; at += atOnce) {
      await append(await section.read(at, Math.min(atOnce, to - at), this.signal));
      await this.pause();
    }
  }
}

/** @param next  is advanced */
function renumber(source: MergeSource, next: Next): NumberedSource {
  const { segment, keep } = source;
  const { document } = segment.columns;
  const documents = new Int32Array(segment.documentCount).fill(-1);
  for (let d = 0; d < documents.length; d++) if (keep(d)) documents[d] = next.documents++;
  const passages = new Int32Array(segment.passageCount).fill(-1);
  const runs: Array<[number, number]> = [];
  for (let p = 0; p < passages.length; p++) {
    if (documents[document[p]!]! < 0) continue;
    passages[p] = next.passages++;
    const run = runs.at(-1);
    if (run?.[1] === p) run[1] = p + 1;
    else runs.push([p, p + 1]);
  }
  return { ...source, documents, passages, runs };
}
