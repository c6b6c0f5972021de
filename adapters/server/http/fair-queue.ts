/**
 * Self-clocked fair queueing (Golestani, "A self-clocked fair queueing scheme for broadband
 * applications", INFOCOM 1994). Each waiting entry gets a finish time on a virtual clock, its
 * caller's earlier one (or now) plus its cost, and the earliest is next. A caller that asks for
 * little therefore waits for little of what the others ask for, however many entries they have.
 */

export interface QueueEntry {
  /** Who has a share of its own. */
  client: string;
  /** Estimated work, above 0; a question is 1. */
  cost: number;
}

/** Its multiples, modulo 1, are spread most evenly (Knuth, TAOCP vol. 3, 6.4). */
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;

export class FairQueue<E extends QueueEntry> {
  /** In order of arrival. */
  readonly #waiting: { entry: E; finish: number }[] = [];
  /** The last finish time of each caller with waiting entries. */
  readonly #lastFinish = new Map<string, number>();
  /** The finish time of the entry that was taken last. */
  #now = 0;
  /** In [0, 1), evenly spread over entries in a row. */
  #spread = 0;

  get size(): number {
    return this.#waiting.length;
  }

  /** Number of waiting entries of one caller. */
  sizeOf(client: string): number {
    return this.#waiting.filter(({ entry }) => entry.client === client).length;
  }

  add(entry: E): void {
    this.#spread = (this.#spread + GOLDEN_RATIO) % 1;
    const finish = this.#finishOf(entry);
    this.#lastFinish.set(entry.client, finish);
    this.#waiting.push({ entry, finish });
  }

  /** The entry whose turn is next: the earliest finish, ties by arrival. */
  get next(): E | undefined {
    return this.#waiting[this.#first]?.entry;
  }

  /** Removes the next entry. */
  take(): E | undefined {
    const first = this.#first;
    const next = this.#waiting[first];
    if (next === undefined) return undefined;
    this.#now = next.finish;
    return this.#removeAt(first);
  }

  /** @returns false if the entry is not waiting */
  remove(entry: E): boolean {
    const at = this.#waiting.findIndex((waiting) => waiting.entry === entry);
    if (at === -1) return false;
    this.#removeAt(at);
    return true;
  }

  /** Removes the entry that would be taken last, if `entry` would be taken before it. */
  displace(entry: QueueEntry): E | undefined {
    let last = 0;
    for (let i = 1; i < this.#waiting.length; i++) {
      if (this.#waiting[i]!.finish >= this.#waiting[last]!.finish) last = i;
    }
    const candidate = this.#waiting[last];
    if (candidate === undefined || candidate.finish <= this.#finishOf(entry)) return undefined;
    return this.#removeAt(last);
  }

  /**
   * Large costs are varied by up to a half. Otherwise a hundred that came together would finish
   * together, and a question would wait for all of them now and then, instead of for some each time.
   */
  #finishOf({ client, cost }: QueueEntry): number {
    const start = Math.max(this.#now, this.#lastFinish.get(client) ?? 0);
    return start + (cost <= 1 ? cost : 1 + (cost - 1) * (0.5 + this.#spread));
  }

  get #first(): number {
    let first = 0;
    for (let i = 1; i < this.#waiting.length; i++) {
      if (this.#waiting[i]!.finish < this.#waiting[first]!.finish) first = i;
    }
    return first;
  }

  #removeAt(at: number): E {
    const [{ entry }] = this.#waiting.splice(at, 1) as [{ entry: E; finish: number }];
    const rest = this.#waiting.filter(({ entry: { client } }) => client === entry.client);
    if (rest.length === 0) this.#lastFinish.delete(entry.client);
    else this.#lastFinish.set(entry.client, Math.max(...rest.map(({ finish }) => finish)));
    return entry;
  }
}
