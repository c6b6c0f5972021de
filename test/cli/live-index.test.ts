/** An index whose folder changes: run again, renamed, pruned, deleted, filtered. */

import { cp, mkdir, mkdtemp, readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { FileStorage } from "../../adapters/node/storage/file-storage.js";
import { held } from "./held.js";
import { type CliRun, temporaryFolder, verbatim, withoutProgress } from "./run-cli.js";

const MANUAL = "../documents/fixtures/files/manual.odt";

interface Summary {
  documents: number;
  unchanged: number;
  replaced: number;
  renamed: number;
  fieldsChanged: number;
  pruned: number;
  passages: number;
  notPruned: Array<{ path: string; reason: string; documents: number }>;
  total: { documents: number; version: number };
}

let cwd: string;
const file = (...parts: string[]): string => join(cwd, ...parts);

/** The notes with their index, which tests copy. */
let indexed: string;

beforeAll(async () => {
  indexed = await mkdtemp(join(tmpdir(), "verbatim-notes-"));
  cwd = indexed;
  await writeNotes();
  expect(await index("notes")).toMatchObject({ documents: 3, total: { version: 1 } });
});
afterAll(() => rm(indexed, { recursive: true, force: true }));

beforeEach(async () => {
  cwd = await temporaryFolder();
});

/** The state after `verbatim index notes`. */
function copyIndexed(): Promise<void> {
  return cp(indexed, cwd, { recursive: true, preserveTimestamps: true });
}

async function writeNotes(): Promise<void> {
  await mkdir(file("notes", "old"), { recursive: true });
  await writeFile(
    file("notes", "bell.md"),
    "---\ntitle: The bell\nyear: 1911\ntags: [tower, bronze]\n---\nThe bell rings at noon.\n",
  );
  await writeFile(file("notes", "pump.md"), "---\ntitle: The pump\nyear: 2020\n---\nThe pump stops at four bar.\n");
  await writeFile(file("notes", "old", "mill.txt"), "The mill was sold to Ada Brown.\n");
}

async function index(...args: string[]): Promise<Summary> {
  const run = await verbatim(["index", ...args, "--json"], { cwd });
  expect(withoutProgress(run.stderr)).toBe("");
  return JSON.parse(run.stdout) as Summary;
}

const stored = (): ReturnType<typeof held> => held(file(".verbatim"));

async function sourcesOf(question: string, ...args: string[]): Promise<string[]> {
  const run = await verbatim(["ask", question, "--json", "--top-k", "20", ...args], { cwd });
  const { answers } = JSON.parse(run.stdout) as { answers: Array<{ source: string }> };
  expect(run.status).toBe(answers.length > 0 ? 0 : 1);
  return [...new Set(answers.map(({ source }) => source))].sort();
}

describe("fields", () => {
  it("come from --field, front matter and the file, in that order", async () => {
    await writeNotes();
    await utimes(file("notes", "bell.md"), 0, new Date("2024-02-29T23:59:59Z"));
    await index("notes", "--field", "year=2026", "--field", "owner=ana");
    const all = await stored();
    expect(all["notes/bell.md"]!.metadata).toEqual({
      year: 2026,
      tags: ["tower", "bronze"],
      owner: "ana",
      "file.modified": "2024-02-29",
      "file.extension": "md",
      "file.folder": "notes",
    });
    expect(all["notes/old/mill.txt"]!.metadata).toMatchObject({ "file.folder": "notes/old", "file.extension": "txt" });
  });

  it("have no file properties on standard input", async () => {
    await verbatim(["index", "-", "--format", "jsonl"], { cwd, stdin: '{"id":"x","text":"The bell.","year":3}\n' });
    expect((await stored()).x!.metadata).toEqual({ year: 3 });
  });

  it("are updated without encoding; touching a file changes nothing", async () => {
    await copyIndexed();
    await utimes(file("notes", "pump.md"), 0, new Date("2001-01-01"));
    expect(await index("notes")).toMatchObject({ documents: 0, unchanged: 3, fieldsChanged: 0, total: { version: 1 } });
    const bell = await readFile(file("notes", "bell.md"), "utf8");
    await writeFile(file("notes", "bell.md"), bell.replace("1911", "1912"));
    expect(await index("notes")).toMatchObject({ documents: 0, passages: 0, unchanged: 2, fieldsChanged: 1 });
    expect((await stored())["notes/bell.md"]!.metadata.year).toBe(1912);
    expect(await index("notes", "--field", "owner=ana")).toMatchObject({ documents: 0, fieldsChanged: 3 });
    expect(await index("notes", "--field", "owner=ana")).toMatchObject({ unchanged: 3, fieldsChanged: 0 });
    expect((await verbatim(["check"], { cwd })).status).toBe(0);
  });
});

describe("index again", () => {
  it("keeps renamed and moved files without encoding, and says so", async () => {
    await copyIndexed();
    await rename(file("notes", "bell.md"), file("notes", "clock.md"));
    await mkdir(file("notes", "new"));
    await rename(file("notes", "old", "mill.txt"), file("notes", "new", "mill.txt"));
    const run = await verbatim(["index", "notes"], { cwd });
    expect(run.stdout).toContain("Indexed 0 documents, 0 passages");
    expect(run.stdout).toContain("; 1 document unchanged; 2 documents renamed.");
    const all = await stored();
    expect(Object.keys(all).sort()).toEqual(["notes/clock.md", "notes/new/mill.txt", "notes/pump.md"]);
    expect(all["notes/new/mill.txt"]).toMatchObject({
      source: "notes/new/mill.txt",
      metadata: { "file.folder": "notes/new" },
    });
    expect(await sourcesOf("who bought the mill?", "--where", 'folder = "notes/new"')).toEqual(["notes/new/mill.txt"]);
    expect((await verbatim(["check"], { cwd })).status).toBe(0);
  });

  it("keeps both documents when a file is copied", async () => {
    await copyIndexed();
    await writeFile(file("notes", "copy.md"), await readFile(file("notes", "bell.md")));
    expect(await index("notes")).toMatchObject({ documents: 1, renamed: 0, unchanged: 3, total: { documents: 4 } });
  });

  it("keeps the records of a renamed file", async () => {
    await writeFile(file("r.jsonl"), '{"id":"1","text":"The bell."}\n{"id":"2","text":"The pump."}\n');
    await index("r.jsonl");
    await rename(file("r.jsonl"), file("s.jsonl"));
    expect(await index("s.jsonl", "--prune")).toMatchObject({ renamed: 2, pruned: 0, total: { documents: 2 } });
    expect((await stored())["1"]!.source).toBe("s.jsonl");
  });
});

describe("index --prune", () => {
  it("removes what is gone below the given paths, and nothing else", async () => {
    await writeNotes();
    await mkdir(file("other"));
    await writeFile(file("other", "a.txt"), "The door is green.\n");
    await index("notes", "other");
    await rm(file("notes", "pump.md"));
    await rm(file("other", "a.txt"));
    expect(await index("notes")).toMatchObject({ pruned: 0, total: { documents: 4 } });
    expect(await index("notes", "--prune")).toMatchObject({ pruned: 1, unchanged: 2, notPruned: [] });
    expect(Object.keys(await stored()).sort()).toEqual(["notes/bell.md", "notes/old/mill.txt", "other/a.txt"]);
  });

  it("removes records that a file no longer has, unless the file could not be read to its end", async () => {
    await writeFile(file("r.jsonl"), '{"id":"1","text":"The bell."}\n{"id":"2","text":"The pump."}\n');
    await index("r.jsonl");
    await writeFile(file("r.jsonl"), '{"id":"1","text":"The bell."}\nbroken\n');
    const run = await verbatim(["index", "r.jsonl", "--prune", "--json"], { cwd });
    expect(JSON.parse(run.stdout)).toMatchObject({ pruned: 0, skipped: 1, total: { documents: 2 } });
    await writeFile(file("r.jsonl"), '{"id":"1","text":"The bell."}\n');
    expect(await index("r.jsonl", "--prune")).toMatchObject({ pruned: 1, total: { documents: 1 } });
  });

  it("removes documents whose files are empty or ignored now, and keeps those of files that cannot be read", async () => {
    await writeNotes();
    await mkdir(file("notes", "drafts"));
    await writeFile(file("notes", "drafts", "door.txt"), "The door is green.\n");
    await writeFile(file("notes", "roof.txt"), "The roof is red.\n");
    await writeFile(file("notes", "lamp.odt"), await readFile(new URL(MANUAL, import.meta.url)));
    await index("notes");
    await writeFile(file("notes", ".verbatimignore"), "bell.md\ndrafts/\n");
    await writeFile(file("notes", "pump.md"), "");
    await writeFile(file("notes", "roof.txt"), "\n \n");
    await writeFile(file("notes", "lamp.odt"), "PK damaged");
    const run = await verbatim(["index", "notes", "--prune", "--json"], { cwd });
    expect(JSON.parse(run.stdout)).toMatchObject({ pruned: 4, skipped: 3, notPruned: [], total: { documents: 2 } });
    expect(Object.keys(await stored()).sort()).toEqual(["notes/lamp.odt", "notes/old/mill.txt"]);
    await rm(file("notes", ".verbatimignore"));
    await writeFile(file("notes", "lamp.odt"), "");
    const again = await verbatim(["index", "notes", "--prune", "--json"], { cwd });
    expect(JSON.parse(again.stdout)).toMatchObject({ documents: 2, pruned: 1, total: { documents: 3 } });
  });

  it("removes a document whose file is a folder now", async () => {
    await mkdir(file("notes"));
    await writeFile(file("notes", "guide"), "The lighthouse was built by Ida Marsh.\n");
    await index("notes");
    await rm(file("notes", "guide"));
    await mkdir(file("notes", "guide"));
    await writeFile(file("notes", "guide", "bell.md"), "The bell rings at noon.\n");
    expect(await index("notes", "--prune")).toMatchObject({ pruned: 1, notPruned: [], total: { documents: 1 } });
    expect(Object.keys(await stored())).toEqual(["notes/guide/bell.md"]);
  });

  it("says that it removed documents, with status 0, when it indexes none", async () => {
    await mkdir(file("notes"));
    await writeFile(file("notes", "bell.txt"), "The bell rings at noon.\n");
    await index("notes");
    await writeFile(file("notes", "bell.txt"), "");
    const run = await verbatim(["index", "notes", "--prune"], { cwd });
    expect(run.status).toBe(0);
    expect(run.stdout).toContain("; 1 document removed.");
    expect(run.stderr).toContain("notes/bell.txt: has no text");
  });

  it("removes the only document of a folder if its file is ignored now, and keeps one that is named itself", async () => {
    await mkdir(file("notes"));
    await writeFile(file("notes", "bell.txt"), "The bell rings at noon.\n");
    await index("notes");
    await writeFile(file("notes", ".gitignore"), "*.txt\n");
    expect(await index("notes", "notes/bell.txt", "--prune")).toMatchObject({ pruned: 0, total: { documents: 1 } });
    const run = await verbatim(["index", "notes", "--prune", "--json"], { cwd });
    expect(JSON.parse(run.stdout)).toMatchObject({ pruned: 1, total: { documents: 0 } });
  });

  it("keeps documents whose files are hidden for another reason than an ignore file", async () => {
    await writeNotes();
    await writeFile(file("notes", ".hidden.txt"), "The door is green.\n");
    await index("notes", "notes/.hidden.txt");
    await writeFile(file("notes", ".gitignore"), "other/\n");
    expect(await index("notes", "--prune")).toMatchObject({ pruned: 0, total: { documents: 4 } });
  });

  it("removes nothing below a missing or empty path or a pattern, and says so", async () => {
    await writeNotes();
    await mkdir(file("disk"));
    await mkdir(file("gone"));
    await writeFile(file("disk", "a.txt"), "The door is green.\n");
    await writeFile(file("gone", "b.txt"), "The roof is red.\n");
    await index("notes", "disk", "gone");
    await rm(file("disk", "a.txt"));
    await rm(file("gone"), { recursive: true });
    await rm(file("notes", "pump.md"));
    const run = await verbatim(["index", "notes/*.md", "disk", "gone", "--prune"], { cwd });
    expect(run.status).toBe(0);
    for (const line of [
      "note: disk has no file at all: its document stays in the index.",
      "note: gone does not exist: its document stays in the index.",
      "note: notes/*.md is a pattern, not a folder: its document stays in the index.",
    ])
      expect(run.stderr).toContain(line);
    expect(Object.keys(await stored())).toHaveLength(5);
  });

  it("keeps documents that did not come from a file", async () => {
    await writeNotes();
    await verbatim(["index", "-", "--format", "jsonl"], { cwd, stdin: '{"id":"x","text":"The bell."}\n' });
    expect(await index(".", "--prune")).toMatchObject({ pruned: 0, total: { documents: 4 } });
  });
});

describe("ask --where", () => {
  beforeEach(copyIndexed);

  it("answers only from matching documents, filtered before ranking", async () => {
    expect(await sourcesOf("the bell the pump the mill")).toHaveLength(3);
    for (const strategy of ["hybrid", "sparse-first", "dense-first", "exhaustive"]) {
      const where = ["--strategy", strategy, "--where"];
      expect(await sourcesOf("when does the bell ring?", ...where, "year >= 2020")).toEqual(["notes/pump.md"]);
      expect(await sourcesOf("who?", ...where, 'tags = "bronze" or extension = "txt"')).toEqual([
        "notes/bell.md",
        "notes/old/mill.txt",
      ]);
    }
  });

  it("exits with status 1 and a likely reason if no document matches", async () => {
    const run = await verbatim(["ask", "when?", "--where", 'year = "2020"'], { cwd });
    expect(run.status).toBe(1);
    expect(run.stderr).toContain("note: year is a number, such as");
  });

  it("says so if no document matches", async () => {
    const run = await verbatim(["ask", "when?", "--where", 'nosuch = "ops"'], { cwd });
    expect([run.status, run.stdout]).toEqual([1, "No answer found.\n"]);
    expect(run.stderr).toMatch(/^note: No document matches --where; check .+\.\n$/);
    expect((await verbatim(["ask", "xyzzy?", "--where", "exists id"], { cwd })).stderr).toBe("");
  });

  it("reports a syntax error with its position before anything is loaded", async () => {
    const run = await verbatim(["ask", "when?", "--where", "year >= soon"], {
      cwd,
      env: { VERBATIM_MODEL: "/nowhere" },
    });
    expect(run).toEqual({
      status: 2,
      stdout: "",
      stderr:
        "verbatim: Invalid filter at character 9: expected a value after >=, not soon.\n" +
        '  year >= soon\n          ^\n  hint: Put texts in quotes: "soon".\n',
    });
    const json = await verbatim(["ask", "when?", "--json", "--where", "year >= soon"], { cwd });
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: "invalid-argument", position: 8 } });
  });
});

describe("ask --at-least", () => {
  it("answers from that version or a newer one, and fails for a future one", async () => {
    await copyIndexed();
    const question = ["ask", "when does the bell ring?", "--json", "--at-least"];
    expect((await verbatim([...question, "1"], { cwd })).status).toBe(0);
    const early = await verbatim([...question, "2"], { cwd });
    expect(early.status).toBe(2);
    expect(early.stderr).toContain("version 1");
  });
});

describe("index --durability relaxed", () => {
  it("gives the same index", async () => {
    await writeNotes();
    expect(await index("notes", "--durability", "relaxed")).toMatchObject({ documents: 3 });
    expect((await verbatim(["check"], { cwd })).status).toBe(0);
  });
});

describe("delete", () => {
  beforeEach(copyIndexed);
  const deleted = (run: CliRun): Record<string, unknown> => JSON.parse(run.stdout) as Record<string, unknown>;

  it("deletes by id; the file stays, and indexing it again brings it back", async () => {
    const run = await verbatim(["delete", "notes/bell.md"], { cwd });
    expect([run.status, run.stderr]).toEqual([0, ""]);
    expect(run.stdout).toBe("Deleted 1 document:\n  notes/bell.md\n./.verbatim now holds 2 documents (version 2).\n");
    expect(await sourcesOf("when does the bell ring?")).toEqual(["notes/old/mill.txt", "notes/pump.md"]);
    expect(await index("notes")).toMatchObject({ documents: 1, unchanged: 2 });
  });

  it("reports unknown ids, and exits with status 1 if none exists", async () => {
    const some = await verbatim(["delete", "nobody", "notes/bell.md"], { cwd });
    expect(some.status).toBe(0);
    expect(some.stderr).toBe("No document nobody in ./.verbatim.\n");
    const none = await verbatim(["delete", "nobody", "--json"], { cwd });
    expect(none.status).toBe(1);
    expect(deleted(none)).toEqual({
      ...{ index: "./.verbatim", deleted: 0, dryRun: false, ids: [], unknown: ["nobody"] },
      ...{ version: 2, documents: 2 },
    });
  });

  it("deletes by filter, first as a dry run", async () => {
    const where = ["delete", "--where", "year < 2000 or not exists year"];
    const dry = await verbatim([...where, "--dry-run"], { cwd });
    expect(dry.stdout).toBe("Would delete 2 documents:\n  notes/bell.md\n  notes/old/mill.txt\n");
    expect(Object.keys(await stored())).toHaveLength(3);
    expect(deleted(await verbatim([...where, "--json"], { cwd }))).toMatchObject({
      deleted: 2,
      documents: 1,
      version: 2,
    });
    expect(Object.keys(await stored())).toEqual(["notes/pump.md"]);
    const again = await verbatim(where, { cwd });
    expect([again.status, again.stdout]).toEqual([1, "No document matches the filter.\n"]);
  });

  it("lists what it would delete while another program writes", async () => {
    const lock = await new FileStorage(join(cwd, ".verbatim")).lock();
    try {
      expect(deleted(await verbatim(["delete", "notes/bell.md", "nobody", "--dry-run", "--json"], { cwd }))).toEqual({
        ...{ index: "./.verbatim", deleted: 0, dryRun: true, ids: ["notes/bell.md"], unknown: ["nobody"] },
        ...{ version: 1, documents: 3 },
      });
    } finally {
      await lock.release();
    }
  });

  it("deletes all documents; the empty index can be asked and filled again", async () => {
    expect((await verbatim(["delete", "--where", "exists id"], { cwd })).status).toBe(0);
    expect(await sourcesOf("when?")).toEqual([]);
    expect((await verbatim(["check"], { cwd })).status).toBe(0);
    expect(await index("notes")).toMatchObject({ documents: 3 });
  });

  it.each([
    [[], "No document was selected."],
    [["a", "--where", "exists id"], "Ids and --where cannot be combined."],
    [["--where", ""], "Invalid filter at character 1: it is empty."],
    [["a", "--index", "nowhere"], "There is no index in nowhere."],
  ])("wrong use: %j", async (args, message) => {
    const run = await verbatim(["delete", ...args], { cwd });
    expect(run.status).toBe(args.includes("nowhere") ? 3 : 2);
    expect(run.stderr).toContain(message);
    expect(run.stderr).toMatch(/\n {2}hint: .+\n$/);
  });
});
