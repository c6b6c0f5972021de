import { describe, expect, it } from "vitest";
import type { InputFile } from "../documents/input.js";
import { IdOwners, type IdOwnersOptions } from "./id-owners.js";

const file = (id: string): InputFile => ({ path: `./${id}`, absolutePath: `/w/${id}`, id, size: 1, mtimeMs: 1 });
const stored = (source: string) => ({ source, metadata: { "file.folder": "." } });

function owners(options: Partial<IdOwnersOptions> = {}): IdOwners {
  return new IdOwners({
    cwd: "/w",
    listed: new Set(["/w/a.jsonl", "/w/b.jsonl", "/w/contracts/nda.txt"]),
    stored: () => undefined,
    isGone: async () => false,
    readWhole: new Set(),
    ...options,
  });
}

describe("IdOwners", () => {
  it("keeps the id of a listed file for that file, whichever is read first", async () => {
    const ids = owners();
    expect(await ids.claim("contracts/nda.txt", file("a.jsonl"))).toBe("contracts/nda.txt");
    expect(await ids.claim("contracts/nda.txt", file("contracts/nda.txt"))).toBeUndefined();
  });

  it("keeps an id for the first file of a run that claims it", async () => {
    const ids = owners();
    const first = file("a.jsonl");
    expect(await ids.claim("7", first)).toBeUndefined();
    expect(await ids.claim("7", first)).toBeUndefined();
    expect(await ids.claim("7", file("b.jsonl"))).toBe("./a.jsonl");
  });

  it("has a set of the claimed ids that were added to it, which changes no claim", async () => {
    const ids = owners();
    const second = file("b.jsonl");
    await ids.claim("1", file("a.jsonl"));
    await ids.claim("2", second);
    await ids.claim("3", second);
    ids.seen.add("2");
    expect(["1", "2", "3", "4"].map((id) => ids.seen.has(id))).toEqual([false, true, false, false]);
    await ids.claim("2", second);
    expect(ids.seen.has("2")).toBe(true);
    expect(await ids.claim("2", file("c.jsonl"))).toBe("./b.jsonl");
  });

  it("keeps an id for the file that the index has it from, while that file exists", async () => {
    const options = { stored: () => stored("old.jsonl") };
    expect(await owners(options).claim("7", file("a.jsonl"))).toBe("old.jsonl");
    expect(await owners({ ...options, isGone: async () => true }).claim("7", file("a.jsonl"))).toBeUndefined();
  });

  it("gives an id up when its file was read without giving it", async () => {
    const ids = owners({ stored: () => stored("a.jsonl"), readWhole: new Set(["/w/a.jsonl"]) });
    expect(await ids.claim("7", file("b.jsonl"))).toBeUndefined();
  });

  it("lets a file replace its own documents, and those that came from no file", async () => {
    expect(await owners({ stored: () => stored("a.jsonl") }).claim("7", file("a.jsonl"))).toBeUndefined();
    const sent = { source: "sent", metadata: {} };
    expect(await owners({ stored: () => sent }).claim("7", file("a.jsonl"))).toBeUndefined();
  });
});
