/** What client and server of a channel post to each other, and the types of a service. */

import type { SerializedError } from "./serialize-error.js";

/** Client → server. */
export type Request =
  | { rpc: "call"; id: number; method: string; params: unknown; ahead: number }
  /** The caller no longer waits. */
  | { rpc: "cancel"; id: number }
  /** The caller took `count` items of a stream. */
  | { rpc: "more"; id: number; count: number }
  | { rpc: "close" };

/** Server → client. `result` or `error` is the last message of a call. */
export type Reply =
  | { rpc: "item"; id: number; item: unknown }
  | { rpc: "result"; id: number; result: unknown }
  | { rpc: "error"; id: number; error: SerializedError };

/**
 * A service is an interface of methods: the first parameter is what the caller sends, the second
 * (if any) the type of the progress it reports; the return type is the result, or
 * `AsyncIterable<Item>` for a stream.
 *
 *     interface CheckService {
 *       check(job: CheckJob, progress: number): CheckFindings;
 *       lines(path: string): AsyncIterable<string>;
 *     }
 */
export type Service<S> = { [M in keyof S]: (params: never, progress: never) => unknown };

type Method<S, M extends keyof S> = S[M] extends (...args: never) => unknown ? S[M] : never;
export type ParamsOf<S, M extends keyof S> = Parameters<Method<S, M>>[0];
export type ProgressOf<S, M extends keyof S> = Parameters<Method<S, M>>[1];
export type ResultOf<S, M extends keyof S> = ReturnType<Method<S, M>>;
export type ItemOf<S, M extends keyof S> = ResultOf<S, M> extends AsyncIterable<infer Item> ? Item : never;

/** Names of the methods that return a stream. */
export type StreamsOf<S> = {
  [M in keyof S]: ResultOf<S, M> extends AsyncIterable<unknown> ? M : never;
}[keyof S] &
  string;
/** Names of the methods that return one result. */
export type CallsOf<S> = Exclude<keyof S, StreamsOf<S>> & string;
