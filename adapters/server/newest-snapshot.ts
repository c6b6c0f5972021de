/**
 * The newest version of an index, opened once and shared by everything in this thread that reads
 * from it.
 */

import { type OpenSnapshot, openNewer } from "../../src/index/open-snapshot.js";
import type { Storage } from "../../src/index/ports.js";
import { SerialQueue } from "../../src/serial-queue.js";
import { Shared } from "../../src/shared.js";

export class NewestSnapshot {
  readonly #storage: Storage;
  readonly #refreshing = new SerialQueue();
  #current: Shared<OpenSnapshot> | undefined;
  #opened = 0;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** 0 while none is open. */
  get version(): number {
    return this.#current?.value.version ?? 0;
  }

  /** How many versions were opened so far. */
  get opened(): number {
    return this.#opened;
  }

  /**
   * Opens the newest version, unless it is open. Segments that it shares with the version before
   * stay open; readers that hold that version keep it.
   * @returns the version
   * @throws VerbatimError as `openSnapshot`; what was open stays open
   */
  refresh(options: { signal?: AbortSignal; atLeastVersion?: number } = {}): Promise<number> {
    return this.#refreshing.run(async () => {
      const before = this.#current;
      const snapshot = await openNewer(this.#storage, before?.value, options);
      if (snapshot === undefined) return this.version;
      this.#current = new Shared(snapshot, () => snapshot.close());
      this.#opened++;
      await before?.release();
      return snapshot.version;
    });
  }

  /**
   * The version that is open now, which stays so until it is released.
   * @returns undefined while none is open
   */
  hold(): Shared<OpenSnapshot> | undefined {
    return this.#current?.hold();
  }

  async close(): Promise<void> {
    await this.#refreshing.idle();
    const current = this.#current;
    this.#current = undefined;
    await current?.release();
  }
}
