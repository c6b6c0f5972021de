/** The segment that a writer is filling. It takes effect when it is finished and committed. */

import { throwIfAborted } from "../../errors.js";
import type { Storage } from "../ports.js";
import { SegmentWriter, type SegmentWriterOptions } from "../segment/segment-writer.js";
import { validatePassage } from "./validate.js";
import type { IndexWriterOptions, StreamedDocument } from "./writer-options.js";
import type { WriterQueue } from "./writer-queue.js";
import { type LiveSegment, markDeleted, newSegment } from "./writer-state.js";

const DEFAULT_PASSAGES = 16_384;
const DEFAULT_BYTES = 1024 * 1024 * 1024;

type Rules = SegmentWriterOptions;

export class GrowingSegment {
  readonly live: LiveSegment;
  readonly #writer: SegmentWriter;
  readonly #rules: Rules;
  readonly #queue: WriterQueue;

  private constructor(writer: SegmentWriter, live: LiveSegment, rest: { rules: Rules; queue: WriterQueue }) {
    this.#writer = writer;
    this.live = live;
    this.#rules = rest.rules;
    this.#queue = rest.queue;
  }

  static async begin(
    storage: Storage,
    name: string,
    rest: { rules: Rules; queue: WriterQueue },
  ): Promise<GrowingSegment> {
    const writer = await rest.queue.storing(() => SegmentWriter.create(storage, name, rest.rules));
    return new GrowingSegment(writer, newSegment(name), rest);
  }

  isFull(options: Pick<IndexWriterOptions, "segmentPassages" | "segmentBytes">): boolean {
    const { segmentPassages = DEFAULT_PASSAGES, segmentBytes = DEFAULT_BYTES } = options;
    return this.#writer.passageCount >= segmentPassages || this.#writer.bytes >= segmentBytes;
  }

  /**
   * If the passages fail, what was written of the document is marked as deleted, and the segment
   * stays usable.
   */
  async write(
    { document, passages, contentHash }: StreamedDocument,
    signal: AbortSignal | undefined,
  ): Promise<{ document: number; passages: number; contentHash: string }> {
    const writer = this.#writer;
    const queue = this.#queue;
    await queue.storing(() => writer.beginDocument(document, contentHash));
    try {
      for await (const passage of passages) {
        throwIfAborted(signal);
        validatePassage(passage, document.text.length, this.#rules);
        await queue.storing(() => writer.addPassage(passage));
      }
    } catch (error) {
      if (!queue.failed) markDeleted(this.live, await queue.storing(() => writer.endDocument()));
      throw error;
    }
    return queue.storing(() => writer.endDocument());
  }

  /** Completes and syncs the files. */
  async finish(): Promise<LiveSegment> {
    this.live.entry = await this.#queue.storing(() => this.#writer.finish());
    return this.live;
  }

  /** Removes the files. */
  abandon(): Promise<void> {
    return this.#writer.abandon();
  }
}
