import { describe, expect, it } from "vitest";
import { throwIfAborted, VerbatimError } from "./errors.js";
import { type Loading, loadShared } from "./load-shared.js";

describe("loadShared", () => {
  const begun: AbortSignal[] = [];
  /** Work that ends when it is released, or when the signal of the caller that began it fires. */
  function work() {
    let release = (): void => {};
    const promise = new Promise<void>((end) => {
      release = end;
    });
    const begin = (signal: AbortSignal) => async (): Promise<string> => {
      begun.push(signal);
      const stopped = new Promise<void>((end) => signal.addEventListener("abort", () => end()));
      await Promise.race([promise, stopped]);
      throwIfAborted(signal);
      return "names";
    };
    return { begin, release };
  }

  it("begins once for all callers, and keeps what was made", async () => {
    const store = new Map<string, Loading<string>>();
    const { signal } = new AbortController();
    const { begin, release } = work();
    begun.length = 0;
    const calls = [1, 2, 3].map(() => loadShared(store, "key", { begin: begin(signal), signal }));
    release();
    expect(await Promise.all(calls)).toEqual(["names", "names", "names"]);
    expect(await loadShared(store, "key", { begin: begin(signal), signal })).toBe("names");
    expect(begun).toHaveLength(1);
  });

  it("lets another caller begin again when the first one stops", async () => {
    const store = new Map<string, Loading<string>>();
    const [first, second] = [new AbortController(), new AbortController()];
    const { begin, release } = work();
    begun.length = 0;
    const stopped = loadShared(store, "key", { begin: begin(first.signal), signal: first.signal });
    const waiting = loadShared(store, "key", { begin: begin(second.signal), signal: second.signal });
    first.abort();
    await expect(stopped).rejects.toMatchObject({ code: "aborted" });
    release();
    expect(await waiting).toBe("names");
    expect(begun).toEqual([first.signal, second.signal]);
  });

  it("stops a caller that waits, and does not keep a failure", async () => {
    const store = new Map<string, Loading<string>>();
    const waiting = new AbortController();
    const failing = async (): Promise<string> => {
      throw new VerbatimError("corrupt-segment", "A file is damaged.", { hint: "" });
    };
    await expect(loadShared(store, "key", { begin: failing, signal: undefined })).rejects.toThrow("damaged");
    expect(store.size).toBe(0);
    const { begin, release } = work();
    const { signal } = new AbortController();
    const first = loadShared(store, "key", { begin: begin(signal), signal });
    const second = loadShared(store, "key", { begin: begin(waiting.signal), signal: waiting.signal });
    waiting.abort();
    release();
    await expect(second).rejects.toMatchObject({ code: "aborted" });
    expect(await first).toBe("names");
  });
});
