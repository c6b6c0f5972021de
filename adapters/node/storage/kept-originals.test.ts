import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type DocumentVersion, KeptOriginals } from "./kept-originals.js";

let parent: string;
let folder: string;
let upload: string;
let kept: KeptOriginals;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "verbatim-kept-"));
  folder = join(parent, "originals");
  upload = join(parent, "upload.pdf");
  writeFileSync(upload, "%PDF-1.4 first");
  kept = new KeptOriginals(folder);
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

const version = (id: string, hash: string): DocumentVersion => ({ id, contentHash: hash.repeat(32) });
const [first, second, other] = [version("a.pdf", "1"), version("a.pdf", "2"), version("b.pdf", "1")];
const room = { maxBytes: 1000 };
const isKept = (document: DocumentVersion): boolean =>
  statSync(kept.pathOf(document), { throwIfNoEntry: false }) !== undefined;
async function* all(...documents: DocumentVersion[]): AsyncGenerator<DocumentVersion> {
  yield* documents;
}

it("copies a file, for its owner only, and leaves nothing unfinished", async () => {
  expect(await kept.keep(first, upload, room)).toBe("kept");
  expect(readFileSync(kept.pathOf(first), "utf8")).toBe("%PDF-1.4 first");
  expect(readdirSync(folder)).toHaveLength(1);
  if (process.platform === "win32") return;
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(kept.pathOf(first)).mode & 0o777).toBe(0o600);
});

it("keeps the first of two files with the same text", async () => {
  await kept.keep(first, upload, room);
  writeFileSync(upload, "%PDF-1.4 again");
  expect(await kept.keep(first, upload, room)).toBe("known");
  expect(readFileSync(kept.pathOf(first), "utf8")).toBe("%PDF-1.4 first");
});

it("keeps no more bytes than allowed", async () => {
  const maxBytes = 20;
  expect(await kept.keep(first, upload, { maxBytes })).toBe("kept");
  expect(await kept.keep(other, upload, { maxBytes })).toBe("full");
  expect(isKept(other)).toBe(false);
});

it("measures a file once, not again with each file that is kept", async () => {
  const third = version("c.pdf", "1");
  await kept.keep(first, upload, room);
  writeFileSync(kept.pathOf(first), "x".repeat(1000)); // no file of ours changes; this shows that it is not read
  expect(await kept.keep(other, upload, { maxBytes: 30 })).toBe("kept");
  expect(await kept.keep(third, upload, { maxBytes: 30 })).toBe("full");
  await kept.discard(other);
  expect(await kept.keep(third, upload, { maxBytes: 30 })).toBe("kept");
});

it("notices what another program adds and removes", async () => {
  const foreign = new KeptOriginals(folder);
  expect(await kept.keep(first, upload, { maxBytes: 30 })).toBe("kept");
  await foreign.keep(second, upload, room);
  expect(await kept.keep(other, upload, { maxBytes: 30 })).toBe("full");
  await foreign.remove(["a.pdf"]);
  expect((await kept.finder())("a.pdf")).toBe(false);
  expect(await kept.keep(other, upload, { maxBytes: 30 })).toBe("kept");
  await kept.remove(["b.pdf"]);
  expect(readdirSync(folder)).toEqual([]);
});

it("reports what went wrong, and leaves nothing", async () => {
  await expect(kept.keep(first, join(parent, "gone.pdf"), room)).rejects.toMatchObject({ code: "io-error" });
  writeFileSync(folder, "a file in its place");
  await expect(kept.keep(first, upload, room)).rejects.toMatchObject({ code: "invalid-argument" });
});

it("removes all versions of a document but those that are in the index", async () => {
  for (const document of [first, second, other]) await kept.keep(document, upload, room);
  await kept.remove(["a.pdf"], [second]);
  expect([first, second, other].map(isKept)).toEqual([false, true, true]);
  await kept.remove(["a.pdf", "unknown"]);
  expect([second, other].map(isKept)).toEqual([false, true]);
});

it("knows which documents may have a file", async () => {
  expect((await kept.finder())("a.pdf")).toBe(false);
  await kept.keep(first, upload, room);
  const mayHave = await kept.finder();
  expect([mayHave("a.pdf"), mayHave("b.pdf")]).toEqual([true, false]);
});

it("removes old files without a document and unfinished ones, and no other file", async () => {
  for (const document of [first, second, other]) await kept.keep(document, upload, room);
  const unfinished = `${kept.pathOf(first)}.123.new`;
  for (const path of [unfinished, join(folder, "notes.txt")]) writeFileSync(path, "");
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), 1000, 1000);
  utimesSync(kept.pathOf(other), new Date(), new Date()); // perhaps not committed yet
  await kept.keepOnly(() => all(second));
  expect([first, second, other].map(isKept)).toEqual([false, true, true]);
  expect(readdirSync(folder)).toHaveLength(3);
  await kept.keepOnly(() => all(second), { olderThanMs: 0 });
  expect(readdirSync(folder).sort()).toEqual([kept.pathOf(second).slice(folder.length + 1), "notes.txt"].sort());
});

it("does not read the documents of an index without files", async () => {
  let reads = 0;
  await kept.keepOnly(() => {
    reads++;
    return all();
  });
  expect(reads).toBe(0);
});

it("copies all files to another folder", async () => {
  for (const document of [first, other]) await kept.keep(document, upload, room);
  const copy = join(parent, "copy");
  await kept.copyTo(copy);
  await kept.copyTo(copy); // what is there stays
  expect(readdirSync(copy).sort()).toEqual(readdirSync(folder).sort());
  await new KeptOriginals(join(parent, "nothing")).copyTo(join(parent, "empty"));
  expect(readdirSync(parent)).not.toContain("empty");
});
