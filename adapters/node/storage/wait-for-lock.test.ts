import { expect, it } from "vitest";
import { VerbatimError } from "../../../src/errors.js";
import { waitForLock } from "./wait-for-lock.js";

const locked = new VerbatimError("index-locked", "Another process writes to the index.");

/** Fails with `error` the first `times` times. */
function failing(times: number, error: Error): { attempts: number; work: () => Promise<string> } {
  const state = {
    attempts: 0,
    work: async () => {
      if (state.attempts++ < times) throw error;
      return "done";
    },
  };
  return state;
}

it("repeats the work until the lock is free, and reports the wait once", async () => {
  const reported: VerbatimError[] = [];
  const { work } = failing(3, locked);
  expect(await waitForLock(work, { retryMs: 1, onLocked: (error) => reported.push(error) })).toBe("done");
  expect(reported).toEqual([locked]);
});

it("gives up after the last attempt, and at once on any other error", async () => {
  const still = failing(9, locked);
  await expect(waitForLock(still.work, { retryMs: 1, maxAttempts: 3 })).rejects.toBe(locked);
  expect(still.attempts).toBe(3);
  const other = failing(9, new VerbatimError("io-error", "The disk failed."));
  await expect(waitForLock(other.work, { retryMs: 1 })).rejects.toMatchObject({ code: "io-error" });
  expect(other.attempts).toBe(1);
});

it("ends the pause when its signal fires", async () => {
  const stop = new AbortController();
  const { work } = failing(9, locked);
  const waiting = waitForLock(work, { retryMs: 60_000, signal: stop.signal, onLocked: () => stop.abort() });
  await expect(waiting).rejects.toMatchObject({ code: "aborted" });
});
