/** What all steps of one merge share: the sources with their new numbers, the files that are written, and the pauses in between. */

import { throwIfAborted } from "../../errors.js";
import type { MetadataValue } from "../../types.js";
import type { BySegmentComponent, SegmentComponent } from "../format/components.js";
import type { ContainerWriter } from "../format/container-writer.js";
import type { IndexLevel } from "../format/level.js";
import type { Section } from "../format/section.js";
import type { Manifest } from "../manifest/manifest.js";
import type { OpenSegment } from "../segment/segment-reader.js";

/** Stored bytes carried over at once. */
const COPY_BYTES = 256 * 1024;
/**
 * The thread is left to others after so many milliseconds of work. A question waits for the thread a few times (for its encoding, for
 * long reads), each time for so long at most and the step under way, which is a fraction of that.
 */
const WORK_MS = 2;

export interface NewName {
  id: string;
  source: string;
  /** Takes the place of the old one; default: as it was. */
  metadata?: Record<string, MetadataValue>;
}

export interface MergeSource {
  segment: OpenSegment;
  /** Documents that are carried over. */
  keep: (document: number) => boolean;
  /** What a document is called from now on; undefined: as before. Its title and text never change. */
  rename?: (document: number) => NewName | undefined;
  /** Coarse rows are made again of what `phrases` has, and not read. */
  remakeCoarse?: boolean;
}

export interface MergeOptions {
  name: string;
  manifest: Pick<Manifest, "model">;
  signal?: AbortSignal;
  /** Told of bytes of the sources that have been dealt with since the last call. */
  onBytes?: (bytes: number) => void;
}

/** A source, and its old numbers as new ones: −1 for what is left out. */
export interface NumberedSource extends MergeSource {
  documents: Int32Array;
  passages: Int32Array;
  /** Stretches of passages that are carried over: [first, end). */
  runs: Array<readonly [first: number, end: number]>;
}

/** The level that all sources have. @throws Error where they differ: whoever chooses them sees to it */
export function commonLevel(sources: readonly MergeSource[]): IndexLevel {
  const levels = new Set(sources.map(({ segment }) => segment.level));
  if (levels.size > 1) throw new Error(`Segments of levels ${[...levels].join(" and ")} cannot be merged.`);
  return [...levels][0] ?? "full";
}

/** First free numbers. */
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
  #workingSince = performance.now();

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

  /** Lets questions in between: all of this may run on the thread that answers them. @throws VerbatimError `aborted` */
  readonly pause = (): Promise<void> | undefined => {
    throwIfAborted(this.signal);
    return performance.now() - this.#workingSince < WORK_MS ? undefined : this.#rest();
  };

  async #rest(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#workingSince = performance.now();
  }

  /** A file of a source has been dealt with. */
  done(segment: OpenSegment, component: SegmentComponent): void {
    this.#onBytes?.(segment.container(component).size);
  }

  /** Hands bytes from … to of a section on, some at a time: whole `unit`s of bytes. */
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

/** @param next  advanced */
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
