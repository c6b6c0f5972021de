/** Work that is done once for all callers that need its result. */

import { throwIfAborted, VerbatimError } from "./errors.js";

export interface Loading<T> {
  value: Promise<T>;
  /** The signal of the caller that began it. */
  signal: AbortSignal | undefined;
}

/** A Map, a WeakMap or a cache. */
interface Store<K, T> {
  get(key: K): Loading<T> | undefined;
  set(key: K, loading: Loading<T>): unknown;
  delete(key: K): unknown;
}

/**
 * The value of a key in the store. The first caller begins the work, with its signal. If that caller
 * stops, one that waits begins again. A failure is not kept.
 * @throws VerbatimError `aborted` if the caller's own signal fires, and what `begin` throws
 */
export async function loadShared<K, T>(
  store: Store<K, T>,
  key: K,
  { begin, signal }: { begin: () => Promise<T>; signal: AbortSignal | undefined },
): Promise<T> {
  for (;;) {
    const loading = store.get(key) ?? beginIn(store, key, { value: begin(), signal });
    try {
      const value = await loading.value;
      throwIfAborted(signal);
      return value;
    } catch (error) {
      const isOthers = loading.signal !== signal && loading.signal?.aborted === true;
      if (!(isOthers && error instanceof VerbatimError && error.code === "aborted")) throw error;
      throwIfAborted(signal);
    }
  }
}

function beginIn<K, T>(store: Store<K, T>, key: K, loading: Loading<T>): Loading<T> {
  store.set(key, loading);
  loading.value.catch(() => {
    if (store.get(key) === loading) store.delete(key);
  });
  return loading;
}
