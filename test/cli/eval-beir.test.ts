/** `eval beir` through the program, with the tiny model: rankings, run files and errors. */

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { verbatim as run, temporaryFolder } from "./run-cli.js";

const DOCUMENTS = {
  mill: "Calder built the old mill at the river in spring.",
  tower: "The tower of the harbour was painted by Brandt.",
  bridge: "A bridge crosses the river below the mill.",
  lamp: "Lamps are lit at dusk.",
};
const QUERIES = { q1: "who built the old mill?", q2: "who painted the harbour tower?", other: "never judged" };

/** A folder with a small test set and its index. */
async function prepared(): Promise<{ cwd: string; verbatim: (args: string[]) => ReturnType<typeof run> }> {
  const cwd = await temporaryFolder();
  await mkdir(join(cwd, "set", "qrels"), { recursive: true });
  const lines = (records: object[]): string => records.map((one) => `${JSON.stringify(one)}\n`).join("");
  await writeFile(
    join(cwd, "set", "corpus.jsonl"),
    lines(Object.entries(DOCUMENTS).map(([_id, text]) => ({ _id, title: "", text }))),
  );
  await writeFile(
    join(cwd, "set", "queries.jsonl"),
    lines(Object.entries(QUERIES).map(([_id, text]) => ({ _id, text }))),
  );
  await writeFile(
    join(cwd, "set", "qrels", "test.tsv"),
    "query-id\tcorpus-id\tscore\nq1\tmill\t2\nq1\tbridge\t1\nq2\ttower\t1\n",
  );
  const verbatim = (args: string[]): ReturnType<typeof run> => run(args, { cwd });
  expect((await verbatim(["index", "set/corpus.jsonl", "--quiet"])).status).toBe(0);
  return { cwd, verbatim };
}

describe("eval beir", () => {
  it("ranks by each method and writes a run file for one", async () => {
    const { cwd, verbatim } = await prepared();
    const { status, stdout } = await verbatim([
      "eval",
      "beir",
      "set",
      "--run",
      "out.run",
      "--method",
      "bm25",
      "--json",
    ]);
    expect(status).toBe(0);
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({ queries: 2, documents: 4, passages: 4, split: "test" });
    // keywords alone rank the judged documents first
    expect(result.bm25).toMatchObject({ ndcgAt10: 1, recallAt100: 1, mrrAt10: 1 });
    expect(result.tfidf.mrrAt10).toBe(1);
    for (const method of ["all", "terms"]) {
      expect(result[method].ndcgAt10).toBeGreaterThanOrEqual(0);
      expect(result[method].ndcgAt10).toBeLessThanOrEqual(1);
    }
    const rows = (await readFile(join(cwd, "out.run"), "utf8")).trimEnd().split("\n");
    expect(rows[0]).toMatch(/^q1 Q0 mill 1 \d+\.\d{6} verbatim-bm25$/);
    expect(rows.some((line) => line.startsWith("q2 Q0 tower 1 "))).toBe(true);
    expect(rows.some((line) => line.startsWith("other"))).toBe(false);
  });

  it("finds every document with all parts, but no deleted ones", async () => {
    const { cwd, verbatim } = await prepared();
    expect((await verbatim(["delete", "mill"])).status).toBe(0);
    for (const method of ["all", "terms", "tfidf"]) {
      expect((await verbatim(["eval", "beir", "set", "--run", "less.run", "--method", method])).status).toBe(0);
      const written = await readFile(join(cwd, "less.run"), "utf8");
      expect(written).not.toContain(" mill ");
      expect(written).toContain("q2 Q0 tower ");
    }
  });

  it("says what is missing", async () => {
    const { cwd, verbatim } = await prepared();
    const split = await verbatim(["eval", "beir", "set", "--split", "dev"]);
    expect(split.status).not.toBe(0);
    expect(split.stderr).toContain("dev.tsv");
    await writeFile(join(cwd, "set", "qrels", "none.tsv"), "query-id\tcorpus-id\tscore\nzz\tmill\t1\n");
    expect((await verbatim(["eval", "beir", "set", "--split", "none"])).stderr).toContain("--split");
    expect((await verbatim(["eval", "beir", "set", "--index", "nowhere"])).status).not.toBe(0);
  });
});
