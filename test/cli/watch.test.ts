/** `verbatim watch` in this process. The tests wait for states, never for a time. */

import { appendFile, cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { FileStorage } from "../../adapters/node/storage/file-storage.js";
import { hasCode } from "../../src/errors.js";
import { held } from "./held.js";
import { type CliRun, temporaryFolder, tinyModel, verbatim, withoutProgress } from "./run-cli.js";

/** Generous: the machine may be busy with something else. */
const PATIENCE_MS = 120_000;

let cwd: string;
const file = (...parts: string[]): string => join(cwd, ...parts);
beforeEach(async () => {
  cwd = await temporaryFolder();
  await mkdir(file("notes"));
  await writeFile(file("notes", "bell.txt"), "The bell rings at noon.\n");
});

async function until(what: string, reached: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!(await reached())) {
    if (performance.now() > end) throw new Error(`Timed out waiting for ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

function noIndexYet(error: unknown): Awaited<ReturnType<typeof held>> {
  if (hasCode(error, "index-missing")) return {};
  throw error;
}

interface Watching {
  /** Everything printed so far. */
  output(): string;
  /** Waits for a line. */
  line(text: string): Promise<void>;
  /** Waits until the index contains these texts by id. */
  holds(texts: Record<string, string>): Promise<void>;
  stop(): Promise<CliRun>;
  /** When it ends on its own. */
  ended: Promise<CliRun>;
}

async function watching(...args: string[]): Promise<Watching> {
  const controller = new AbortController();
  let output = "";
  const run = verbatim(["watch", ...args], {
    cwd,
    signal: controller.signal,
    onOutput: (text) => {
      output += text;
    },
  });
  const stop = (): Promise<CliRun> => {
    controller.abort();
    return run;
  };
  onTestFinished(async () => void (await stop()));
  const watch: Watching = {
    output: () => output,
    line: (text) => until(`a line ${text}, after ${output}`, () => output.split("\n").includes(text)),
    holds: (texts) =>
      until(JSON.stringify(texts), async () => {
        const all = await held(file(".verbatim")).catch(noIndexYet);
        const now = Object.fromEntries(Object.entries(all).map(([id, { text }]) => [id, text.trim()]));
        return JSON.stringify(Object.entries(now).sort()) === JSON.stringify(Object.entries(texts).sort());
      }),
    stop,
    ended: run,
  };
  await until(`being ready, after ${output}`, () => /ready/.test(output));
  return watch;
}

describe("watch", () => {
  it("catches up, then follows new, changed, renamed and removed files, and new folders", async () => {
    await verbatim(["index", "notes"], { cwd });
    await writeFile(file("notes", "pump.txt"), "The pump stops at four bar.\n");
    await rm(file("notes", "bell.txt"));
    const watch = await watching("notes", "--field", "owner=ana");
    expect(withoutProgress(watch.output())).toBe(
      "ready    1 new, 1 removed; ./.verbatim is at version 2. Ctrl-C to stop.\n",
    );
    await mkdir(file("notes", "deep", "er"), { recursive: true });
    await writeFile(file("notes", "deep", "er", "mill.md"), "# The mill\n\nIt was sold to Ada Brown.\n");
    await watch.line("new      notes/deep/er/mill.md");
    await writeFile(file("notes", "pump.txt"), "The pump stops at five bar.\n");
    await watch.line("changed  notes/pump.txt");
    await rename(file("notes", "deep"), file("notes", "flat"));
    await watch.line("renamed  notes/deep/er/mill.md → notes/flat/er/mill.md");
    await rm(file("notes", "flat"), { recursive: true });
    await watch.line("removed  notes/flat/er/mill.md");
    await watch.holds({ "notes/pump.txt": "The pump stops at five bar." });
    expect((await held(file(".verbatim")))["notes/pump.txt"]!.metadata.owner).toBe("ana");
    const { status, stderr } = await watch.stop();
    expect(status).toBe(0);
    expect(withoutProgress(stderr)).toMatch(
      /^Stopped\. \.\/\.verbatim is at version \d+; run the same command again to resume\.\n$/,
    );
    expect((await verbatim(["check"], { cwd })).status).toBe(0);
  });

  it("indexes a burst of files, except ignored and hidden ones and those of an index", async () => {
    await writeFile(file("notes", ".gitignore"), "*.tmp.txt\n");
    const watch = await watching("notes", "--index", "notes/index", "--json");
    const texts: Record<string, string> = { "notes/bell.txt": "The bell rings at noon." };
    for (let i = 0; i < 40; i++) {
      texts[`notes/${i}.txt`] = `Bell number ${i} is made of bronze.`;
      await writeFile(file("notes", `${i}.txt`), texts[`notes/${i}.txt`]!);
      await writeFile(file("notes", `${i}.tmp.txt`), "no");
      await writeFile(file("notes", `.${i}.txt`), "no");
    }
    const index = file("notes", "index");
    await until("all files", async () => Object.keys(await held(index)).length >= 41);
    const all = await held(index);
    expect(Object.fromEntries(Object.entries(all).map(([id, { text }]) => [id, text.trim()]))).toEqual(texts);
    const { stdout } = await watch.stop();
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { change: string; id?: string });
    expect(lines[0]).toEqual({
      ...{ change: "ready", new: 1, changed: 0, renamed: 0, fields: 0, removed: 0, unchanged: 0, version: 1 },
    });
    const reported = lines.slice(1).map(({ change, id }) => `${change} ${id}`);
    const expected = Object.keys(texts).filter((id) => id !== "notes/bell.txt");
    expect(reported.sort()).toEqual(expected.map((id) => `new ${id}`).sort());
  });

  it("removes documents whose files become empty or ignored, and indexes them again", async () => {
    await writeFile(file("notes", "pump.txt"), "The pump stops at four bar.\n");
    await writeFile(file("notes", "roof.txt"), "The roof is red.\n");
    const watch = await watching("notes");
    await writeFile(file("notes", ".verbatimignore"), "bell.txt\n");
    await watch.line("removed  notes/bell.txt");
    await writeFile(file("notes", "pump.txt"), "");
    await watch.line("removed  notes/pump.txt");
    await watch.holds({ "notes/roof.txt": "The roof is red." });
    await rm(file("notes", ".verbatimignore"));
    await watch.line("new      notes/bell.txt");
  });

  it("indexes the whole file if it is written in pieces", async () => {
    const watch = await watching("notes");
    let text = "";
    for (let i = 0; i < 30; i++) {
      const line = `Line ${i} is about the bell.\n`;
      text += line;
      await appendFile(file("notes", "log.txt"), line);
      await new Promise((done) => setTimeout(done, 20));
    }
    await watch.holds({ "notes/bell.txt": "The bell rings at noon.", "notes/log.txt": text.trim() });
    await watch.stop();
    expect((await verbatim(["check"], { cwd })).status).toBe(0);
  });

  it("keeps the documents of a folder that disappears, and follows it again when it returns", async () => {
    await mkdir(file("disk"));
    await writeFile(file("disk", "a.txt"), "The door is green.\n");
    const watch = await watching("notes", "disk");
    await rename(file("disk"), file("away"));
    await until("the note", () =>
      watch.output().includes("note: disk does not exist: its document stays in the index."),
    );
    await writeFile(file("notes", "roof.txt"), "The roof is red.\n");
    await watch.line("new      notes/roof.txt");
    expect(Object.keys(await held(file(".verbatim"))).sort()).toEqual([
      "disk/a.txt",
      "notes/bell.txt",
      "notes/roof.txt",
    ]);
    await writeFile(file("away", "a.txt"), "The door is blue.\n");
    await rename(file("away"), file("disk"));
    await watch.line("changed  disk/a.txt");
  });

  it("reports an unreadable file once, and waits for another writer", async () => {
    const watch = await watching("notes");
    const lock = await new FileStorage(file(".verbatim")).lock();
    await writeFile(file("notes", "broken.pdf"), "%PDF-1.4 broken");
    await writeFile(file("notes", "roof.txt"), "The roof is red.\n");
    await until("the note", () => watch.output().includes("Waiting for the lock."));
    await lock.release();
    await watch.line("new      notes/roof.txt");
    await writeFile(file("notes", "door.txt"), "The door is green.\n");
    await watch.line("new      notes/door.txt");
    expect(watch.output().match(/skipped notes\/broken\.pdf: /g)).toHaveLength(1);
    await watch.stop();
  });

  it.each([
    [["nowhere"], 3, "There is nothing to watch: nowhere cannot be found."],
    [["-"], 2, "Only files and folders can be watched."],
    [[], 2, "Missing required argument 'path'."],
    [["notes", "--durability", "none"], 2, "is invalid"],
  ])("wrong use: %j", async (args, expected, message) => {
    const { status, stderr } = await verbatim(["watch", ...args], { cwd });
    expect(status).toBe(expected);
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/\n {2}hint: .+\n$/);
  });

  it("ends at the next change after the index got another model, and says why and what to do", async () => {
    const model = JSON.parse(await readFile(join(tinyModel, "model.json"), "utf8")) as object;
    await cp(tinyModel, file("other"), { recursive: true });
    const changed = { ...model, name: "other", passageModelHash: "b".repeat(64) };
    await writeFile(file("other", "model.json"), JSON.stringify(changed));
    const watch = await watching("notes");
    const rebuilt = await verbatim(["index", "--rebuild", "--model", file("other")], { cwd });
    expect(rebuilt.stderr).toBe("");
    await writeFile(file("notes", "mill.txt"), "The mill was sold.\n");
    const { status, stderr } = await watch.ended;
    expect(status).toBe(3);
    expect(stderr).toMatch(/^verbatim: Meanwhile, the index was encoded again with another model/m);
    expect(stderr).toMatch(/\n {2}hint: Start this program again/);
    expect(Object.keys(await held(file(".verbatim")))).toEqual(["notes/bell.txt"]);
  });

  it("indexes every file again after its index was deleted", async () => {
    await writeFile(file("notes", "pump.txt"), "The pump stops at four bar.\n");
    const watch = await watching("notes");
    await rm(file(".verbatim"), { recursive: true });
    await writeFile(file("notes", "mill.txt"), "The mill was sold.\n");
    await watch.holds({
      "notes/bell.txt": "The bell rings at noon.",
      "notes/mill.txt": "The mill was sold.",
      "notes/pump.txt": "The pump stops at four bar.",
    });
  });
});
