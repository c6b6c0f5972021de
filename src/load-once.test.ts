import { describe, expect, it } from "vitest";
import { LoadOnce } from "./load-once.js";

/** Fails the given number of times, then returns how often it was called. */
function failing(failures: number): () => Promise<number> {
  let calls = 0;
  return async () => {
    if (++calls <= failures) throw new Error(`failure ${calls}`);
    return calls;
  };
}

describe("LoadOnce", () => {
  it("loads once for all callers", async () => {
    const once = new LoadOnce(failing(0));
    expect(await Promise.all([once.get(), once.get()])).toEqual([1, 1]);
    expect(await once.get()).toBe(1);
  });

  it("loads again after a failure, which all callers that waited receive", async () => {
    const once = new LoadOnce(failing(1));
    const both = await Promise.allSettled([once.get(), once.get()]);
    expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await once.get()).toBe(2);
  });

  it("returns no value to close if there is none or it failed", async () => {
    const failed = new LoadOnce(failing(1));
    expect(await failed.take()).toBeUndefined();
    const loading = failed.get();
    expect(await failed.take()).toBeUndefined();
    await expect(loading).rejects.toThrow("failure 1");
    const loaded = new LoadOnce(failing(0));
    await loaded.get();
    expect(await loaded.take()).toBe(1);
    expect(await loaded.take()).toBeUndefined();
  });
});
