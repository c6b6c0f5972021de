/** Commands on an index as a whole: compact, snapshot, restore, repair. */

import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { RecognitionCache } from "../../adapters/node/documents/formats/scans/recognition-cache.js";
import { FileStorage } from "../../adapters/node/storage/file-storage.js";
import { KeptOriginals } from "../../adapters/node/storage/kept-originals.js";
import { ocrCacheOf, originalsOf } from "../../adapters/node/storage/side-folders.js";
import { held } from "./held.js";
import { type CliRun, temporaryFolder, verbatim, withoutProgress } from "./run-cli.js";

let cwd: string;
const file = (...parts: string[]): string => join(cwd, ...parts);
const run = (...args: string[]): Promise<CliRun> => verbatim(args, { cwd });
const json = (from: CliRun): Record<string, unknown> => JSON.parse(from.stdout) as Record<string, unknown>;
const TEXTS: Record<string, string> = {
  "a.txt": "The bell rings at noon.",
  "b.txt": "The pump stops at four bar.",
  "c.txt": "The mill was sold to Ada Brown.",
};
const texts = async (index: string): Promise<Record<string, string>> =>
  Object.fromEntries(Object.entries(await held(file(index))).map(([id, { text }]) => [id, text]));

let made: string;
beforeAll(async () => {
  made = await mkdtemp(join(tmpdir(), "verbatim-whole-"));
  await mkdir(join(made, "docs"));
  for (const [name, text] of Object.entries(TEXTS)) {
    await writeFile(join(made, name), text);
    const indexed = await verbatim(["index", name, "--index", "i", "--quiet"], { cwd: made }); // a segment each
    expect(indexed.status).toBe(0);
  }
});
afterAll(() => rm(made, { recursive: true, force: true }));

beforeEach(async () => {
  cwd = await temporaryFolder();
  await cp(made, cwd, { recursive: true });
});

/** Flips one bit. */
async function flip(path: string, at: number): Promise<void> {
  const bytes = await readFile(path);
  bytes[at]! ^= 1;
  await writeFile(path, bytes);
}

async function fileOf(component: string): Promise<string> {
  return (await readdir(file("i"))).sort().find((name) => name.endsWith(`.${component}`))!;
}

describe("compact", () => {
  it("merges segments, drops deleted documents, and reclaims their space", async () => {
    await run("index", ...Object.keys(TEXTS), "--index", "one"); // all in a segment
    await run("delete", "b.txt", "--index", "one");
    const before = json(await run("info", "--index", "one", "--json"));
    const compacted = await run("compact", "--full", "--index", "one");
    expect([compacted.status, withoutProgress(compacted.stderr)]).toEqual([0, ""]);
    expect(compacted.stdout).toMatch(
      /^1 segment became 1, .+ became .+; 1 deleted document dropped \(version \d+\)\.\n$/,
    );
    const after = json(await run("info", "--index", "one", "--json"));
    expect(after).toMatchObject({ documents: 2, segments: 1 });
    expect(after.bytes).toBeLessThan(before.bytes as number);
    const { "b.txt": _, ...rest } = TEXTS;
    expect(await texts("one")).toEqual(rest);
    expect((await run("check", "--index", "one")).status).toBe(0);
    expect((await run("compact", "--full", "--index", "one")).stdout).toBe("one is already compact.\n");
  });

  it("removes what was recognised on scans of deleted documents", async () => {
    const cache = new RecognitionCache(ocrCacheOf(file("i")));
    const page = { width: 1, height: 1, lines: [] };
    for (const name of ["a.txt", "b.txt"]) cache.set(RecognitionCache.keyOf([name]), page, name);
    await run("delete", "b.txt", "--index", "i");
    expect((await run("compact", "--index", "i")).status).toBe(0);
    expect(cache.get(RecognitionCache.keyOf(["a.txt"]))).toEqual(page);
    expect(cache.get(RecognitionCache.keyOf(["b.txt"]))).toBeUndefined();
    expect((await run("check", "--index", "i")).status).toBe(0);
  });

  it("removes the files of uploads whose documents are gone", async () => {
    const kept = new KeptOriginals(originalsOf(file("i")));
    const gone = { id: "gone.pdf", contentHash: "0".repeat(32) };
    await kept.keep(gone, file("a.txt"), { maxBytes: 1000 });
    await utimes(kept.pathOf(gone), 1000, 1000);
    expect((await run("compact", "--index", "i")).status).toBe(0);
    expect(await readdir(originalsOf(file("i")))).toEqual([]);
  });

  it("prints all figures with --json", async () => {
    expect(json(await run("compact", "--full", "--index", "i", "--json"))).toMatchObject({
      ...{ index: "i", removedDocuments: 0, segmentsAfter: 1, bytesBefore: expect.any(Number) },
    });
  });
});

describe("snapshot and restore", () => {
  it("refuse a folder with other files, and so does index", async () => {
    await mkdir(file("papers"));
    await writeFile(file("papers", "lease.txt"), "The lease ends in May.\n");
    for (const args of [
      ["snapshot", "papers", "--index", "i"],
      ["restore", "i", "--index", "papers"],
      ["index", "a.txt", "--index", "papers"],
    ]) {
      const { status, stderr } = await run(...args);
      expect([args[0], status, stderr]).toEqual([
        args[0],
        2,
        expect.stringContaining("holds other files, such as lease.txt"),
      ]);
    }
    expect(await readdir(file("papers"))).toEqual(["lease.txt"]);
  });

  it("include the files of uploads; deleting a document removes its file", async () => {
    const kept = new KeptOriginals(originalsOf(file("i")));
    await kept.keep({ id: "a.txt", contentHash: "0".repeat(32) }, file("a.txt"), { maxBytes: 1000 });
    expect((await run("snapshot", "copy", "--index", "i")).status).toBe(0);
    expect((await run("delete", "a.txt", "--index", "i")).status).toBe(0);
    expect(await readdir(originalsOf(file("i")))).toEqual([]);
    expect((await run("restore", "copy", "--index", "i", "--replace")).status).toBe(0);
    expect(await readdir(originalsOf(file("i")))).toHaveLength(1);
  });

  it("can be queried like any index, and does not change", async () => {
    const copied = await run("snapshot", "copy", "--index", "i");
    expect([copied.status, withoutProgress(copied.stderr)]).toEqual([0, ""]);
    expect(copied.stdout).toMatch(/^copy is a snapshot of i: 3 documents, .+, all files shared \(version 3\)\.\n$/);
    await run("delete", "a.txt", "--index", "i");
    await run("compact", "--full", "--index", "i");
    expect(await texts("copy")).toEqual(TEXTS);
    expect((await run("check", "--index", "copy")).status).toBe(0);
    expect((await run("ask", "when does the bell ring?", "--index", "copy", "--where", 'id = "a.txt"')).status).toBe(0);
  });

  it("restores an index in one step, as a new version", async () => {
    await run("snapshot", "copy", "--index", "i");
    await run("delete", "--where", 'id != "a.txt"', "--index", "i");
    const refused = await run("restore", "copy", "--index", "i");
    expect(refused.status).toBe(2);
    expect(refused.stderr).toMatch(/\n {2}hint: .*--replace/);
    const again = await run("snapshot", "copy", "--index", "i"); // which has no --replace
    expect(again.stderr).toMatch(/\n {2}hint: Choose a folder without an index\.\n$/);
    expect(Object.keys(await texts("i"))).toEqual(["a.txt"]);
    const restored = await run("restore", "copy", "--index", "i", "--replace", "--json");
    expect(json(restored)).toMatchObject({ index: "i", snapshot: "copy", documents: 3, version: 5 });
    expect(await texts("i")).toEqual(TEXTS);
    expect((await run("check", "--index", "i")).status).toBe(0);
  });

  it("restore from a folder without a snapshot says so", async () => {
    expect((await run("restore", "nowhere", "--index", "i")).stderr).toBe(
      "verbatim: There is no snapshot in nowhere.\n  hint: Check the path of the snapshot.\n",
    );
  });

  it("restores into an empty folder", async () => {
    await run("snapshot", "copy", "--index", "i");
    await rm(file("i"), { recursive: true });
    const restored = await run("restore", "copy", "--index", "i");
    expect(restored.stdout).toMatch(/^i was restored from copy: 3 documents, /);
    expect(await texts("i")).toEqual(TEXTS);
  });

  it("refuse to copy damage", async () => {
    const path = file("i", await fileOf("phrases"));
    await flip(path, 100);
    const { status, stderr } = await run("snapshot", "copy", "--index", "i");
    expect(status).toBe(3);
    expect(withoutProgress(stderr)).toMatch(/^verbatim: .+\n {2}hint: .*repair/);
    expect((await run("info", "--index", "copy")).status).toBe(3);
  });

  it.each([
    ["snapshot over an index", ["snapshot", "i", "--index", "i"], 2],
    ["snapshot of nothing", ["snapshot", "copy", "--index", "nowhere"], 3],
    ["snapshot onto a file", ["snapshot", "a.txt", "--index", "i"], 2],
    ["restore from nothing", ["restore", "nowhere", "--index", "i"], 3],
    ["restore from a folder of documents", ["restore", "docs", "--index", "i"], 3],
    ["snapshot to nowhere said", ["snapshot", "--index", "i"], 2],
    ["compact of nothing", ["compact", "--index", "nowhere"], 3],
  ])("%s: one clear error", async (_name, args, expected) => {
    const { status, stdout, stderr } = await verbatim(args, { cwd });
    expect([status, stdout]).toEqual([expected, ""]);
    expect(withoutProgress(stderr)).toMatch(/^verbatim: .+\n {2}hint: .+\n$/);
    expect(await texts("i")).toEqual(TEXTS);
  });
});

describe("repair", () => {
  it("does not change an undamaged index", async () => {
    const before = await readdir(file("i"));
    expect((await run("repair", "--index", "i")).stdout).toBe("i is undamaged; nothing was changed.\n");
    expect(await readdir(file("i"))).toEqual(before);
  });

  it("drops only what is damaged and lists what to index again", async () => {
    const name = await fileOf("text");
    await flip(file("i", name), 70);
    const checked = await run("check", "--index", "i");
    expect(checked.status).toBe(3);
    expect(checked.stderr).toContain("hint: Run verbatim repair --index i.");
    const repaired = await run("repair", "--index", "i");
    expect([repaired.status, withoutProgress(repaired.stderr)]).toEqual([0, ""]);
    expect(repaired.stdout).toContain(name);
    expect(repaired.stdout).toMatch(/^i is repaired: 2 documents \(version \d+\)\.$/m);
    expect(repaired.stdout).toMatch(/^Lost; index them again with verbatim index PATH --index i:\n {2}a\.txt$/m);
    expect((await run("check", "--index", "i")).status).toBe(0);
    const { "a.txt": _, ...rest } = TEXTS;
    expect(await texts("i")).toEqual(rest);
    const again = json(await run("index", "a.txt", "b.txt", "c.txt", "--index", "i", "--json"));
    expect(again).toMatchObject({ documents: 1, unchanged: 2 });
    expect(await texts("i")).toEqual(TEXTS);
  });

  it("recovers an index with a damaged manifest, and never goes back to an older version silently", async () => {
    const name = (await readdir(file("i")))
      .filter((entry) => entry.startsWith("manifest-"))
      .sort()
      .at(-1)!;
    await flip(file("i", name), 40);
    const asked = await run("ask", "when?", "--index", "i");
    expect(asked.status).toBe(3);
    expect(asked.stderr).toContain("verbatim repair");
    const repaired = json(await run("repair", "--index", "i", "--json"));
    expect(repaired).toMatchObject({ index: "i", repaired: true });
    expect((await run("check", "--index", "i")).status).toBe(0);
    expect(await texts("i")).toEqual(TEXTS);
  });

  it("recovers an index without a manifest, from which no other command deletes anything", async () => {
    for (const name of await readdir(file("i"))) if (name.startsWith("manifest-")) await rm(file("i", name));
    const before = await readdir(file("i"));
    for (const command of [
      ...[["ask", "when?"], ["info"], ["compact"], ["delete", "a.txt"], ["upgrade"], ["snapshot", "copy"]],
      ...[
        ["quote", "The bell"],
        ["index", "a.txt", "--quiet"],
      ],
    ]) {
      const { status, stdout, stderr } = await run(...command, "--index", "i");
      expect([command[0], status, stdout]).toEqual([command[0], 3, ""]);
      expect(stderr).toMatch(
        /^verbatim: The manifest of the index in .+ is missing\.\n {2}hint: Run verbatim repair --/m,
      );
    }
    const checked = await run("check", "--index", "i");
    expect([checked.status, checked.stdout]).toEqual([3, "manifest: missing\n"]);
    expect(checked.stderr).toContain("hint: Run verbatim repair --index i.");
    expect(await readdir(file("i"))).toEqual(before);
    const repaired = await run("repair", "--index", "i");
    expect(repaired.status).toBe(0);
    expect(repaired.stdout).toBe(
      "manifest: missing\n" +
        "Deleted documents may have reappeared, because the record of deletions was damaged.\n" +
        "i is repaired: 3 documents (version 1).\n",
    );
    expect((await run("check", "--index", "i")).status).toBe(0);
    expect(await texts("i")).toEqual(TEXTS);
  });

  it("reports a missing or locked index with one clear error", async () => {
    const none = await run("repair", "--index", "nowhere");
    expect([none.status, none.stderr]).toEqual([
      3,
      expect.stringMatching(/^verbatim: There is no index in .+\n {2}hint: /),
    ]);
    await expect(stat(file("nowhere"))).rejects.toThrow("ENOENT");
    const lock = await new FileStorage(file("i")).lock();
    try {
      for (const command of [["repair"], ["compact"], ["delete", "a.txt"], ["restore", "i", "--replace"]]) {
        const locked = await run(...command, "--index", "i");
        expect(locked.status).toBe(3);
        expect(locked.stderr).toMatch(/^verbatim: The index in .+ is being written to by process .+\n {2}hint: /);
      }
    } finally {
      await lock.release();
    }
  });
});
