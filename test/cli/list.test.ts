/** `verbatim list` and `verbatim show`. */

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { openClusterWriter } from "../../adapters/opensearch/open.js";
import { makeCorpus } from "../opensearch/corpus.js";
import { startFakeCluster } from "../opensearch-client/fake-cluster.js";
import { type CliRun, temporaryFolder, verbatim } from "./run-cli.js";

const BELL = "---\ntitle: The bell\nyear: 1911\n---\nThe bell rings at noon.\n";
let cwd: string;
const run = (...args: string[]): Promise<CliRun> => verbatim(args, { cwd });

beforeEach(async () => {
  cwd = await temporaryFolder();
  await mkdir(join(cwd, "notes"));
  await writeFile(join(cwd, "notes", "bell.md"), BELL);
  await writeFile(join(cwd, "notes", "mill.txt"), "The mill was sold to Ada Brown.\n");
  await run("index", "notes");
});

describe("list", () => {
  it("prints ids, and with --long passages and titles", async () => {
    expect(await run("list")).toEqual({ status: 0, stdout: "notes/bell.md\nnotes/mill.txt\n", stderr: "" });
    expect((await run("list", "--long")).stdout).toBe("notes/bell.md\t1\tThe bell\nnotes/mill.txt\t1\tmill\n");
  });

  it("prints an object per line, of the documents that match and were not deleted", async () => {
    const listed = await run("list", "--json", "--where", "year > 1900");
    const documents = listed.stdout.trim().split("\n");
    expect(documents.map((line) => JSON.parse(line))).toEqual([
      {
        ...{ id: "notes/bell.md", title: "The bell", source: "notes/bell.md", passages: 1 },
        contentHash: expect.stringMatching(/^[0-9a-f]{32}$/),
        metadata: expect.objectContaining({ year: 1911 }),
      },
    ]);
    await run("delete", "notes/bell.md");
    expect((await run("list")).stdout).toBe("notes/mill.txt\n");
    const none = await run("list", "--where", 'id = "notes/bell.md"');
    expect(none).toMatchObject({ status: 1, stdout: "", stderr: expect.stringContaining("No document matches") });
  });
});

describe("show", () => {
  it("prints the text that offsets refer to", async () => {
    expect(await run("show", "notes/bell.md")).toEqual({ status: 0, stdout: "The bell rings at noon.\n", stderr: "" });
    const shown = JSON.parse((await run("show", "notes/bell.md", "--json")).stdout);
    expect(shown).toMatchObject({ id: "notes/bell.md", title: "The bell", metadata: { year: 1911 } });
    const asked = JSON.parse((await run("ask", "when does the bell ring?", "--json", "--min-confidence", "0")).stdout);
    const { start, end, text } = asked.answers[0];
    expect(shown.text.slice(start, end)).toBe(text);
  });

  it("sends no control characters to a terminal, and the exact text to a pipe", async () => {
    const text = "The bell\u001b]0;x\u0007 rings\u009b31m.\tAt noon.\nAnd at six.\n";
    await writeFile(join(cwd, "odd.jsonl"), `${JSON.stringify({ id: "odd", text })}\n`);
    await run("index", "odd.jsonl");
    expect((await run("show", "odd")).stdout).toBe(text);
    expect((await verbatim(["show", "odd"], { cwd, isTerminal: true })).stdout).toBe(
      "The bell ]0;x  rings 31m.\tAt noon.\nAnd at six.\n",
    );
  });

  it("says that there is no such document", async () => {
    const { status, stdout, stderr } = await run("show", "notes/none.md");
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toBe("No document notes/none.md in ./.verbatim. verbatim list prints the ids.\n");
  });
});

it("show reads an index in a cluster", async () => {
  const corpus = makeCorpus({ documents: 12, questions: 1, seed: 5 });
  const cluster = await startFakeCluster("docs");
  try {
    const writer = await openClusterWriter({ address: cluster.address, encoder: corpus.encoder });
    await writer.add(corpus.documents);
    await writer.commit();
    await writer.close();
    const shown = await run("show", "doc-3", "--json", "--index", cluster.address);
    expect(JSON.parse(shown.stdout).text).toBe(corpus.documents.find(({ id }) => id === "doc-3")!.text);
    expect((await run("show", "nowhere", "--index", cluster.address)).status).toBe(1);
  } finally {
    await cluster.close();
  }
});
