/** The server's reader, seen from an answering thread. */

import { throwIfAborted, VerbatimError } from "../../../src/errors.js";
import type { Reader, ReaderInfo, ReaderInput, ReaderOutput } from "../../../src/reader/types.js";
import { type CarriedError, carriedError } from "../../node/threads/serialized-error.js";

interface Waiting {
  resolve: (outputs: ReaderOutput[]) => void;
  reject: (error: unknown) => void;
}

export class FarReader implements Reader {
  readonly info: ReaderInfo;
  readonly lanes: number;
  readonly #send: (request: { id: number; inputs: ReaderInput[] }) => void;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;

  constructor(
    { info, lanes }: Pick<Reader, "info" | "lanes">,
    send: (request: { id: number; inputs: ReaderInput[] }) => void,
  ) {
    this.info = info;
    this.lanes = lanes;
    this.#send = send;
  }

  read(inputs: ReaderInput[], { signal }: { signal?: AbortSignal } = {}): Promise<ReaderOutput[]> {
    throwIfAborted(signal);
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const stop = (): void => this.#take(id)?.reject(new VerbatimError("aborted", "The operation was stopped."));
      signal?.addEventListener("abort", stop, { once: true });
      const then = <T>(settle: (value: T) => void) => {
        return (value: T): void => {
          signal?.removeEventListener("abort", stop);
          settle(value);
        };
      };
      this.#waiting.set(id, { resolve: then(resolve), reject: then(reject) });
      this.#send({ id, inputs });
    });
  }

  haveRead(id: number, outputs: ReaderOutput[]): void {
    this.#take(id)?.resolve(outputs);
  }

  notRead(id: number, error: CarriedError): void {
    this.#take(id)?.reject(carriedError(error));
  }

  /** The reader is the server's to close. */
  async close(): Promise<void> {}

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }
}
