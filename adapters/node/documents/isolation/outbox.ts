/** Sends items to the run in messages that are neither tiny nor huge, and waits when the run is behind. */

import type { Document } from "../../../../src/types.js";
import type { ParserItem, ParserMessage } from "./messages.js";

/** Cost of a message that is sent at once. The unit is about one byte of the message. */
const FLUSH_COST = 128 * 1024;
/** An item waits at most this long, in milliseconds, for other items to share its message. */
const FLUSH_MS = 20;
/** The run may be behind by this much before reading waits for it. */
const WINDOW_COST = 8 * 1024 * 1024;
/** A longer text is sent in pieces of this many UTF-16 units, so that no message is large. */
const PIECE_UNITS = 512 * 1024;
const PIECE_SEGMENTS = 4096;
const SEGMENT_COST = 32;
const ITEM_COST = 200;

export class Outbox {
  readonly #post: (message: ParserMessage) => void;
  /** Called while the run is waited for, so that this time does not count for the file. */
  readonly #onWait: (waiting: boolean) => void;
  #items: ParserItem[] = [];
  #cost = 0;
  #unconsumed = 0;
  #flushedAt = performance.now();
  #resume: (() => void) | undefined;

  constructor(options: { post: (message: ParserMessage) => void; onWait: (waiting: boolean) => void }) {
    this.#post = options.post;
    this.#onWait = options.onWait;
  }

  async document(document: Document): Promise<void> {
    const { text, map } = document;
    let rest = document;
    if (text.length > PIECE_UNITS) {
      for (let at = 0; at < text.length; at += PIECE_UNITS) {
        await this.put({ kind: "text", text: text.slice(at, at + PIECE_UNITS) }, PIECE_UNITS);
      }
      rest = { ...rest, text: "" };
    }
    if (map.segments.length > PIECE_SEGMENTS) {
      for (let at = 0; at < map.segments.length; at += PIECE_SEGMENTS) {
        const segments = map.segments.slice(at, at + PIECE_SEGMENTS);
        await this.put({ kind: "segments", segments }, segments.length * SEGMENT_COST);
      }
      rest = { ...rest, map: { ...map, segments: [] } };
    }
    const ranges = rest.map.segments.length + (rest.headings?.length ?? 0);
    await this.put({ kind: "document", document: rest }, rest.text.length + ranges * SEGMENT_COST);
  }

  /** Adds an item without waiting, for what a parser reports while it works. */
  add(item: ParserItem): void {
    this.#items.push(item);
    this.#cost += ITEM_COST;
    if (this.#isDue) this.#send();
  }

  /**
   * Adds an item. Resolves when the run is not too far behind.
   * @param cost  without the fixed cost of an item
   */
  async put(item: ParserItem, cost = 0): Promise<void> {
    this.#items.push(item);
    this.#cost += cost + ITEM_COST;
    if (this.#isDue) await this.flush();
  }

  get #isDue(): boolean {
    return this.#cost >= FLUSH_COST || performance.now() - this.#flushedAt > FLUSH_MS;
  }

  #send(): void {
    this.#flushedAt = performance.now();
    if (this.#items.length === 0) return;
    this.#post({ items: this.#items, cost: this.#cost });
    this.#unconsumed += this.#cost;
    this.#items = [];
    this.#cost = 0;
  }

  /** Sends what has gathered. Resolves when the run is not too far behind. */
  async flush(): Promise<void> {
    this.#send();
    this.#onWait(true);
    // A turn of the event loop, for messages that come in and for a socket that was full.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#unconsumed > WINDOW_COST) await new Promise<void>((resolve) => (this.#resume = resolve));
    this.#onWait(false);
  }

  /** The run has consumed items of this cost. */
  consumed(cost: number): void {
    this.#unconsumed -= cost;
    this.#resume?.();
    this.#resume = undefined;
  }
}
