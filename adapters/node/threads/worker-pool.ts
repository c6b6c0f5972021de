/** A few worker threads that answer requests: each with a session of its own, started when all others are busy. */

import { setMaxListeners } from "node:events";
import type { Worker } from "node:worker_threads";
import { throwIfAborted, VerbatimError } from "../../../src/errors.js";

/** Ends the thread after the input it is at; what is still asked gets no reply. */
export interface Close {
  kind: "close";
}

export interface Failure {
  id: number;
  kind: "error";
  message: string;
}

interface Numbered {
  id: number;
  kind: string;
}

interface Seat {
  worker: Worker;
  /** Requests under way in this worker. */
  load: number;
}

interface Pending<Reply> {
  seat: Seat;
  resolve: (reply: Reply) => void;
  reject: (error: unknown) => void;
}

// `Omit` over each member of a union
type Unnumbered<T> = T extends unknown ? Omit<T, "id"> : never;

export class WorkerPool<Request extends Numbered, Reply extends Numbered> {
  readonly #start: () => Worker;
  readonly #threads: number;
  /** "encoder": for messages. */
  readonly #what: string;
  readonly #seats: Seat[] = [];
  readonly #pending = new Map<number, Pending<Reply>>();
  #nextId = 1;
  #closed = false;

  constructor(options: { start: () => Worker; threads: number; what: string }) {
    this.#start = options.start;
    this.#threads = options.threads;
    this.#what = options.what;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** @throws VerbatimError `aborted`; `internal` if the thread fails; `invalid-argument` once closed */
  ask(request: Unnumbered<Request>, signal: AbortSignal | undefined): Promise<Reply> {
    throwIfAborted(signal);
    if (this.#closed) {
      return Promise.reject(new VerbatimError("invalid-argument", `The ${this.#what} is closed.`));
    }
    const seat = this.#seat();
    const id = this.#nextId++;
    return new Promise<Reply>((resolve, reject) => {
      if (signal !== undefined) setMaxListeners(0, signal); // as many requests may be under way as the caller likes
      const abort = (): void => reject(new VerbatimError("aborted", "The operation was stopped."));
      signal?.addEventListener("abort", abort, { once: true });
      const done = (): void => signal?.removeEventListener("abort", abort);
      this.#pending.set(id, {
        seat,
        resolve: (reply) => {
          done();
          resolve(reply);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      });
      if (seat.load++ === 0) seat.worker.ref();
      seat.worker.postMessage({ ...request, id });
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#seats.map(({ worker }) => stopWorker(worker)));
  }

  /** The least busy worker; a new one while all are busy and there may be more. */
  #seat(): Seat {
    let best: Seat | undefined;
    for (const seat of this.#seats) if (best === undefined || seat.load < best.load) best = seat;
    if (best !== undefined && (best.load === 0 || this.#seats.length >= this.#threads)) return best;
    const seat: Seat = { worker: this.#start(), load: 0 };
    const fail = (error: unknown): void => {
      this.#seats.splice(this.#seats.indexOf(seat), 1);
      for (const [id, pending] of this.#pending) {
        if (pending.seat !== seat) continue;
        this.#pending.delete(id);
        pending.reject(error);
      }
    };
    seat.worker.on("message", (reply: Reply | Failure) => this.#settle(reply));
    seat.worker.on("error", fail);
    seat.worker.on("exit", (code) => {
      if (this.#closed) fail(new VerbatimError("aborted", `The ${this.#what} was closed.`));
      else fail(new VerbatimError("internal", `A thread of the ${this.#what} ended with status ${code}.`));
    });
    seat.worker.unref();
    this.#seats.push(seat);
    return seat;
  }

  #settle(reply: Reply | Failure): void {
    const pending = this.#pending.get(reply.id);
    if (pending === undefined) return;
    this.#pending.delete(reply.id);
    if (--pending.seat.load === 0) pending.seat.worker.unref();
    if (reply.kind === "error") {
      pending.reject(new VerbatimError("internal", `The ${this.#what} failed: ${(reply as Failure).message}`));
    } else pending.resolve(reply as Reply);
  }
}

/** Lets a worker end itself between two inputs: `terminate()` while ONNX Runtime runs in it ends the whole process. */
function stopWorker(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    worker.ref();
    worker.once("exit", () => resolve());
    worker.postMessage({ kind: "close" } satisfies Close);
  });
}
