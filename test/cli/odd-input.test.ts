/** Unusual documents and questions, and unusable indexes: one clear line each, and no damage. */

import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FileStorage } from "../../adapters/node/storage/file-storage.js";
import { FORMAT_VERSION } from "../../src/index/format/container-layout.js";
import { type CliRun, temporaryFolder, verbatim } from "./run-cli.js";

interface Asked {
  answers: Array<{
    text: string;
    start: number;
    end: number;
    startByte: number;
    endByte: number;
    startCodePoint: number;
    documentId: string;
  }>;
}
const json = <T>(run: CliRun): T => JSON.parse(run.stdout) as T;
const isRoot = process.getuid?.() === 0;

const ODD_TEXTS: Record<string, string> = {
  "emoji.txt": "🙂🙃😀 🚀🚀 👩‍👩‍👧‍👦 🇫🇷",
  "long-word.txt": `before ${"a".repeat(10_000)} after`,
  "hebrew.txt": "המצפה נוסד בשנת 1911 על ידי אינס קלדר. הוא נסגר בשנת 1968.",
  "arabic.txt": "تأسس المرصد عام 1911 على يد إينيس كالدر.",
  "chinese.txt": "天文台由伊内斯·卡尔德于1911年创立。它在1968年关闭。",
  "mixed.txt": "The 天文台 🙂 was founded in 1911 by Ines Calder — naïve café, Ünïcödé.",
  "one-letter.txt": "x",
  "punctuation.txt": "?!... --- ((( ))) ;;;",
};

async function oddIndex(): Promise<string> {
  const cwd = await temporaryFolder();
  await mkdir(join(cwd, "odd"));
  for (const [name, text] of Object.entries(ODD_TEXTS)) await writeFile(join(cwd, "odd", name), text);
  const indexed = await verbatim(["index", "odd", "--json"], { cwd });
  expect(indexed.status, indexed.stderr).toBe(0);
  expect(json<{ documents: number }>(indexed).documents).toBe(Object.keys(ODD_TEXTS).length);
  return cwd;
}

async function small(cwd: string): Promise<void> {
  await writeFile(join(cwd, "a.txt"), "The observatory was founded by Ines Calder in 1911.");
  const indexed = await verbatim(["index", "a.txt", "--quiet"], { cwd });
  expect(indexed.status, indexed.stderr).toBe(0);
}

describe("odd documents", () => {
  it("are indexed, pass check, and every answer matches in all three kinds of offsets", async () => {
    const cwd = await oddIndex();
    expect((await verbatim(["check"], { cwd })).status).toBe(0);
    for (const question of ["who founded it in 1911?", "🙂", "天文台", "המצפה", "before after", "?"]) {
      const asked = await verbatim(["ask", question, "--json", "--top-k", "20", "--strategy", "exhaustive"], { cwd });
      expect(asked.status, asked.stderr).toBe(0);
      for (const answer of json<Asked>(asked).answers) {
        const text = ODD_TEXTS[answer.documentId.replace("odd/", "")]!;
        expect(text.slice(answer.start, answer.end)).toBe(answer.text);
        expect(Buffer.from(text).subarray(answer.startByte, answer.endByte).toString()).toBe(answer.text);
        expect([...text].slice(answer.startCodePoint).join("").startsWith(answer.text)).toBe(true);
      }
    }
  });
});

it("empty standard input is an error with a hint", async () => {
  expect(await verbatim(["index", "-"], { cwd: await temporaryFolder() })).toMatchObject({
    status: 3,
    stderr: "verbatim: Standard input is empty.\n  hint: Pipe text into it.\n",
  });
});

describe("an unusable index: status 3, a reason and a hint", () => {
  it("has another format version", async () => {
    const cwd = await temporaryFolder();
    await small(cwd);
    const name = (await readdir(join(cwd, ".verbatim"))).find((file) => file.startsWith("manifest-"))!;
    const path = join(cwd, ".verbatim", name);
    const text = await readFile(path, "utf8");
    await writeFile(
      path,
      text
        .replace(`"formatVersion": ${FORMAT_VERSION}`, '"formatVersion": 99')
        .replace(`"minimumReaderVersion": ${FORMAT_VERSION}`, '"minimumReaderVersion": 99'),
    );
    const { status, stderr } = await verbatim(["ask", "who?"], { cwd });
    expect(status).toBe(3);
    expect(stderr).toMatch(/^verbatim: .+\n {2}hint: .+\n$/);
  });

  it("was made with another model", async () => {
    const cwd = await temporaryFolder();
    await small(cwd);
    const { status, stderr } = await verbatim(["ask", "who?"], { cwd, env: { VERBATIM_MODEL: "" } });
    expect(status).toBe(3);
    expect(stderr).toMatch(/another model/);
  });

  it("is locked by another run, but can still be asked", async () => {
    const cwd = await temporaryFolder();
    await small(cwd);
    const lock = await new FileStorage(join(cwd, ".verbatim")).lock();
    try {
      await writeFile(join(cwd, "b.txt"), "Another document.");
      const { status, stderr } = await verbatim(["index", "b.txt"], { cwd });
      expect(status).toBe(3);
      expect(stderr).toMatch(/^verbatim: .+\n {2}hint: .+\n$/m);
      expect((await verbatim(["ask", "who founded the observatory?"], { cwd })).status).toBe(0);
    } finally {
      await lock.release();
    }
    expect((await verbatim(["index", "b.txt", "--quiet"], { cwd })).status).toBe(0);
  });

  it.skipIf(isRoot)("is in a read-only folder", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "a.txt"), "The observatory was founded by Ines Calder in 1911.");
    await mkdir(join(cwd, "closed"));
    await chmod(join(cwd, "closed"), 0o500);
    const { status, stderr } = await verbatim(["index", "a.txt", "--index", "closed/i"], { cwd });
    expect(status).toBe(3);
    expect(stderr).toMatch(/permission/i);
  });
});
