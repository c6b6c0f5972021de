import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Document } from "../../../src/types.js";
import { TimedCommits } from "./timed-commits.js";

const document = (id: string, units = 10): Document => ({ id, text: "x".repeat(units) }) as Document;

describe("TimedCommits", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("commits within 50 seconds of a change, and not without one", async () => {
    const commit = vi.fn(async () => 1);
    const commits = new TimedCommits(commit);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(commit).not.toHaveBeenCalled();
    commits.read(document("a"));
    commits.added(document("a"));
    await vi.advanceTimersByTimeAsync(50_000);
    expect(commit).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(commit).toHaveBeenCalledTimes(1);
    await commits.stop();
  });

  it("commits what is complete before a long document begins", async () => {
    const commit = vi.fn(async () => 1);
    const commits = new TimedCommits(commit);
    await vi.advanceTimersByTimeAsync(1000);
    commits.read(document("a"));
    commits.read(document("long", 300_000));
    expect(commit).not.toHaveBeenCalled();
    commits.added(document("a"));
    expect(commit).toHaveBeenCalledTimes(1);
    await commits.stop();
  });

  it("throws at its end what a commit threw", async () => {
    const fault = new Error("disk");
    const commits = new TimedCommits(() => Promise.reject(fault));
    commits.added(document("a"));
    await vi.advanceTimersByTimeAsync(50_000);
    await expect(commits.stop()).rejects.toBe(fault);
  });
});
