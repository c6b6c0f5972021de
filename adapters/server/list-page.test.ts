import { describe, expect, it } from "vitest";
import { listPage } from "./list-page.js";

const entries = new Map(["Alpha.txt", "beta.txt", "alphabet.md", "gamma.txt"].map((id, i) => [id, i]));

describe("listPage", () => {
  it("gives the matching entries after an id, their number, and where the next page begins", async () => {
    expect(await listPage(entries, { limit: 2 })).toEqual({
      page: [
        ["Alpha.txt", 0],
        ["beta.txt", 1],
      ],
      total: 4,
      next: "beta.txt",
    });
    expect(await listPage(entries, { limit: 2, after: "beta.txt" })).toMatchObject({
      total: 4,
      page: [
        ["alphabet.md", 2],
        ["gamma.txt", 3],
      ],
    });
    expect(await listPage(entries, { limit: 1, contains: "ALPHA" })).toEqual({
      page: [["Alpha.txt", 0]],
      total: 2,
      next: "Alpha.txt",
    });
    expect(await listPage(entries, { limit: 5, contains: "x.y" })).toEqual({ page: [], total: 0 });
  });

  it("gives nothing when the id to continue after does not match", async () => {
    expect(await listPage(entries, { limit: 5, after: "gone.txt" })).toBeUndefined();
    expect(await listPage(entries, { limit: 5, after: "beta.txt", contains: "alpha" })).toBeUndefined();
  });

  it("lets other work of the event loop run while a long list is searched", async () => {
    const many = new Map(Array.from({ length: 100_000 }, (_, i) => [`document-${i}.txt`, i]));
    let turns = 0;
    let isDone = false;
    const turn = () => {
      turns++;
      if (!isDone) setImmediate(turn);
    };
    setImmediate(turn);
    const listed = await listPage(many, { limit: 1, contains: "99999" });
    isDone = true;
    expect(listed?.total).toBe(1);
    expect(turns).toBeGreaterThanOrEqual(6);
  });
});
