/**
 * Sends requests at a fixed arrival rate whether or not earlier ones were answered (an open loop),
 * so that a slow server does not reduce its own load. Times are measured from when a request was
 * due, so waiting for a connection counts (no coordinated omission).
 */

import { Agent, request } from "node:http";
import { percentile } from "../../src/evaluate/percentile.js";

export interface Load {
  url: string;
  /** The JSON body of the n-th request. */
  body: (n: number) => object;
  /** Requests per second. */
  rate: number;
  seconds: number;
  /** Ends the run early. */
  until?: AbortSignal;
}

export interface Measured {
  rate: number;
  requests: number;
  /** Requests answered with 200 per second, on average. */
  answeredPerSecond: number;
  /**
   * Counts of statuses other than 200; "cut" for broken connections, "overrun" for requests that
   * were no longer sent.
   */
  errors: Record<string, number>;
  msP50: number;
  msP99: number;
  msP999: number;
  msMax: number;
}

/** With this many requests in flight the server is overloaded, and no more are sent. */
const MAX_UNDER_WAY = 256;

export async function openLoop({ url, body, rate, seconds, until }: Load): Promise<Measured> {
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_UNDER_WAY, scheduling: "lifo" });
  const times: number[] = [];
  const errors: Record<string, number> = {};
  const fail = (what: string): void => {
    errors[what] = (errors[what] ?? 0) + 1;
  };
  const underWay = new Set<Promise<void>>();
  const began = performance.now();
  let sent = 0;
  for (; sent < rate * seconds && !until?.aborted; sent++) {
    const due = began + (1000 * sent) / rate;
    const early = due - performance.now();
    if (early > 0) await new Promise((done) => setTimeout(done, early));
    if (underWay.size >= MAX_UNDER_WAY) {
      fail("overrun");
      continue;
    }
    const one = post(url, body(sent), agent).then((status) => {
      if (status === 200) times.push(performance.now() - due);
      else fail(String(status));
    });
    underWay.add(one);
    void one.finally(() => underWay.delete(one));
  }
  await Promise.all(underWay);
  const elapsed = (performance.now() - began) / 1000;
  agent.destroy();
  const sorted = Float64Array.from(times).sort();
  return {
    rate,
    requests: sent,
    answeredPerSecond: times.length / elapsed,
    errors,
    msP50: percentile(sorted, 0.5),
    msP99: percentile(sorted, 0.99),
    msP999: percentile(sorted, 0.999),
    msMax: sorted.at(-1) ?? Number.NaN,
  };
}

/** @returns the status, or "cut" */
function post(url: string, body: object, agent: Agent): Promise<number | "cut"> {
  const text = JSON.stringify(body);
  const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) };
  return new Promise((done) => {
    const sending = request(url, { method: "POST", agent, headers }, (response) => {
      response.on("end", () => done(response.statusCode ?? "cut"));
      response.on("error", () => done("cut"));
      response.resume();
    });
    sending.on("error", () => done("cut"));
    sending.end(text);
  });
}
