/** A service for the tests of calls between threads and processes. */

import type { Endpoint } from "../../adapters/rpc/endpoint.js";
import { type Handlers, serve } from "../../adapters/rpc/server.js";
import { transfer } from "../../adapters/rpc/transfer.js";
import { VerbatimError } from "../../src/errors.js";

export interface SampleService {
  add(terms: { a: number; b: number }): number;
  /** Returns when `release` is called. */
  wait(gate: null): string;
  release(gate: null): void;
  /** Reports each number below `to` before it returns their sum. */
  sum(to: number, progress: number): number;
  /** The numbers from 0; without end for `Infinity`. */
  count(to: number): AsyncIterable<number>;
  /** Numbers below `to`, then an error. */
  breakOff(to: number): AsyncIterable<number>;
  /** What was produced of the last `count`, and whether it was cleaned up. */
  counted(gate: null): { produced: number; ended: boolean };
  fail(how: "verbatim" | "plain" | "system" | "string"): void;
  uncloneable(gate: null): unknown;
  /** Doubles the floats in place. */
  double(values: Float32Array): Float32Array;
  /** Whether the signal of a `wait` fired. */
  aborts(gate: null): number;
  exit(status: number): void;
}

export function serveSamples(endpoint: Endpoint, options: { onClose?: () => void } = {}): void {
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  let aborts = 0;
  const counted = { produced: 0, ended: false };
  const handlers: Handlers<SampleService> = {
    add: ({ a, b }) => a + b,
    wait: async (_, { signal }) => {
      const aborted = new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => {
          aborts++;
          resolve();
        });
      });
      await Promise.race([gate, aborted]);
      return "released";
    },
    release: () => open(),
    sum: (to, { report }) => {
      let sum = 0;
      for (let n = 0; n < to; n++) {
        report(n);
        sum += n;
      }
      return sum;
    },
    count: async function* (to) {
      Object.assign(counted, { produced: 0, ended: false });
      try {
        for (let n = 0; n < to; n++) {
          counted.produced++;
          yield n;
        }
      } finally {
        counted.ended = true;
      }
    },
    breakOff: async function* (to) {
      for (let n = 0; n < to; n++) yield n;
      throw new VerbatimError("corrupt-segment", "The rest is damaged.");
    },
    counted: () => counted,
    fail: (how) => {
      if (how === "string") throw "only a string";
      if (how === "plain") throw new TypeError("x is not a function");
      if (how === "system") throw Object.assign(new Error("no such file"), { code: "ENOENT" });
      throw new VerbatimError("model-missing", "The model file is damaged.", {
        hint: "Install it again.",
        where: "model/question.bin",
        found: { bytes: 3 },
        expected: 4,
        cause: new RangeError("out of range"),
      });
    },
    uncloneable: () => () => 1,
    double: (values) => transfer(values.map((value) => 2 * value)),
    aborts: () => aborts,
    exit: (status) => process.exit(status),
  };
  serve<SampleService>(endpoint, handlers, options);
}
