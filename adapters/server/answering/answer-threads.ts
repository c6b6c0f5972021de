/**
 * Threads that answer, each with the index open and a network of its own: the thread that talks to callers is never held up by a question,
 * and as many are answered at once as there are threads.
 */

import type { Worker } from "node:worker_threads";
import type { AskOptions } from "../../../src/api/open-index.js";
import type { AskResult } from "../../../src/ask/ask.js";
import { throwIfAborted, VerbatimError } from "../../../src/errors.js";
import type { Reader } from "../../../src/reader/types.js";
import { carriedError, carryError } from "../../node/threads/serialized-error.js";
import { startWorker } from "../../node/threads/start-worker.js";
import type { AnsweringSetup, FromThread, ToThread } from "./protocol.js";

export interface AnswerThreadsOptions {
  setup: Omit<AnsweringSetup, "reader">;
  /** 1… */
  threads: number;
  /** Reads for all of them; stays the caller's to close. */
  reader: Reader | undefined;
  /** Default: worker.ts beside this. */
  start?: (workerData: AnsweringSetup) => Worker;
}

/** What is under way in a thread. */
interface Task {
  /** Told of answers; of the last one, `ended` comes next. */
  onAnswer: (result: AskResult) => void;
  ended: () => void;
  failed: (error: unknown) => void;
}

interface Seat {
  worker: Worker;
  tasks: Map<number, Task>;
  /** Of the index that it has open; 0 while it has none: what is lost before would be lost again. */
  version: number;
}

export class AnswerThreads {
  readonly #options: AnswerThreadsOptions;
  readonly #seats: Seat[] = [];
  #nextId = 1;
  /** A thread that is started in the place of a lost one goes there, too. */
  #version = 0;
  #closed = false;

  constructor(options: AnswerThreadsOptions) {
    this.#options = options;
  }

  /**
   * All threads go to this version or a newer one; the first call starts them.
   * @throws VerbatimError as `openIndex` and `Index.refresh`
   */
  async refresh(version: number): Promise<void> {
    this.#version = Math.max(this.#version, version);
    while (this.#seats.length < this.#options.threads) this.#seats.push(this.#start());
    await Promise.all(this.#seats.map((seat) => this.#refresh(seat)));
  }

  /** As `Index.ask`, by the thread that has the least to do. `filter` cannot go to another thread; `where` can. */
  async ask(question: string, options: AskOptions = {}): Promise<AskResult> {
    for await (const result of this.#answers(question, options, false)) return result;
    throw new VerbatimError("internal", "A question ended without an answer.");
  }

  /** As `Index.askStream`. */
  askStream(question: string, options: AskOptions = {}): AsyncGenerator<AskResult, void> {
    return this.#answers(question, options, true);
  }

  /** What is under way fails. */
  async close(): Promise<void> {
    this.#closed = true;
    const ends = this.#seats.map(({ worker }) => {
      const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
      worker.postMessage({ kind: "close" } satisfies ToThread);
      return ended;
    });
    await Promise.all(ends);
  }

  async *#answers(question: string, options: AskOptions, stream: boolean): AsyncGenerator<AskResult, void> {
    const { signal, filter, filterKey: _, ...plain } = options;
    if (filter !== undefined) throw new VerbatimError("invalid-argument", "A filter function cannot go to a thread.");
    throwIfAborted(signal);
    const seat = this.#leastBusy();
    const ready: AskResult[] = [];
    let state: { done: true; error?: unknown } | undefined;
    let wake = (): void => {};
    const task = {
      onAnswer: (result: AskResult): void => {
        ready.push(result);
        wake();
      },
      ended: (): void => {
        state = { done: true };
        wake();
      },
      failed: (error: unknown): void => {
        state = { done: true, error };
        wake();
      },
    };
    const id = this.#give(seat, task, (id) => ({ kind: "ask", id, question, options: plain, stream }));
    const stop = (): void => {
      if (!seat.tasks.delete(id)) return;
      seat.worker.postMessage({ kind: "stop", id } satisfies ToThread);
      task.failed(new VerbatimError("aborted", "The operation was stopped.", { cause: signal?.reason }));
    };
    signal?.addEventListener("abort", stop, { once: true });
    try {
      for (;;) {
        const next = ready.shift();
        if (next !== undefined) yield next;
        else if (state === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        } else if ("error" in state) throw state.error;
        else return;
      }
    } finally {
      signal?.removeEventListener("abort", stop);
      stop(); // whoever leaves before the end
    }
  }

  async #refresh(seat: Seat): Promise<void> {
    const atLeastVersion = this.#version;
    if (seat.version >= atLeastVersion) return;
    await new Promise<void>((resolve, reject) => {
      const task = { onAnswer: () => {}, ended: resolve, failed: reject };
      this.#give(seat, task, (id) => ({ kind: "refresh", id, atLeastVersion }));
    });
    seat.version = Math.max(seat.version, atLeastVersion);
  }

  #give(seat: Seat, task: Task, message: (id: number) => ToThread): number {
    const id = this.#nextId++;
    seat.tasks.set(id, task);
    seat.worker.postMessage(message(id));
    return id;
  }

  #leastBusy(): Seat {
    const [first, ...rest] = this.#seats;
    if (this.#closed || first === undefined) {
      throw new VerbatimError("invalid-argument", "Nothing answers: the index is not open, or was closed.");
    }
    return rest.reduce((best, seat) => (seat.tasks.size < best.tasks.size ? seat : best), first);
  }

  #start(): Seat {
    const { setup, reader, start = startThread } = this.#options;
    const workerData: AnsweringSetup = {
      ...setup,
      reader: reader && { info: structuredClone(reader.info), lanes: reader.lanes },
    };
    const worker = start(workerData);
    const seat: Seat = { worker, tasks: new Map(), version: 0 };
    worker.on("message", (message: FromThread) => this.#take(seat, message));
    worker.on("error", (error) => this.#lost(seat, error));
    worker.on("exit", (code) => {
      this.#lost(seat, new VerbatimError("internal", `A thread that answers ended with status ${code}.`));
    });
    return seat;
  }

  /** Its questions fail, another takes its place. */
  #lost(seat: Seat, error: unknown): void {
    const at = this.#seats.indexOf(seat);
    if (at >= 0 && !this.#closed) {
      this.#seats.splice(at, 1);
      if (seat.version > 0) this.refresh(this.#version).catch(() => {}); // whoever asks or refreshes is told
    }
    const lost = [...seat.tasks.values()];
    seat.tasks.clear();
    const closed = (): VerbatimError => new VerbatimError("aborted", "The index was closed.");
    for (const task of lost) task.failed(this.#closed ? closed() : error);
  }

  #take(seat: Seat, message: FromThread): void {
    if (message.kind === "read") {
      void this.#read(seat, message);
      return;
    }
    const task = seat.tasks.get(message.id);
    if (task === undefined) return;
    if (message.kind === "answer") task.onAnswer(message.result);
    if (message.kind === "answer" && !message.last) return;
    seat.tasks.delete(message.id);
    if (message.kind === "failed") task.failed(carriedError(message.error));
    else task.ended();
  }

  async #read({ worker }: Seat, { id, inputs }: FromThread & { kind: "read" }): Promise<void> {
    const reply = (message: ToThread): void => worker.postMessage(message);
    try {
      reply({ kind: "have-read", id, outputs: await this.#options.reader!.read(inputs) });
    } catch (error) {
      reply({ kind: "not-read", id, error: carryError(error) });
    }
  }
}

function startThread(workerData: AnsweringSetup): Worker {
  return startWorker("worker", import.meta.url, { workerData });
}
