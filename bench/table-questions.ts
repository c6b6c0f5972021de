/**
 * How well are questions about long tables answered, if a table is rows of cells, and if each row is a record with the
 * names of the columns?
 *
 *     npm run bench -- table-questions --data DATA/other/wikitablequestions.json.xz [--tables 150] [--seed 1] [--reader on]
 *
 * The tables are from the part `unseen` of WikiTableQuestions: at least 12 rows and 3 columns. Each becomes a
 * Markdown file, once as a table (`rows`) and once with a paragraph "name: cell; name: cell" for each row
 * (`records`). A question is asked of its table alone. Needs xz.
 */

import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { indexPaths, openIndex } from "../adapters/node/index.js";
import { draw } from "../src/evaluate/draw.js";
import { exactMatch } from "../src/evaluate/exact-match.js";
import { READER_MODES, type ReaderMode } from "../src/reader/types.js";
import { record } from "./support/results.js";

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    tables: { type: "string", default: "150" },
    seed: { type: "string", default: "1" },
    reader: { type: "string", default: "on" },
  },
});
const count = Number(values.tables);
if (values.data === undefined || !(count > 0) || !READER_MODES.some((mode) => mode === values.reader)) {
  console.error(
    "usage: npm run bench -- table-questions --data FILE.json.xz [--tables N] [--seed N] [--reader off|on]",
  );
  process.exit(2);
}
const reader = values.reader as ReaderMode;
const TOP = 5;

interface Article {
  title: string;
  split: string;
  paragraphs: { context: string; qas: { id: string; question: string; answers: { text: string }[] }[] }[];
}

interface Table {
  title: string;
  columns: string[];
  rows: Map<string, string>[];
  records: string[];
  questions: { question: string; answers: string[] }[];
}

/** Undefined for a table that is too small, or whose rows cannot be read back. */
function tableOf({ title, paragraphs }: Article): Table | undefined {
  const [paragraph, ...more] = paragraphs;
  if (paragraph === undefined || more.length > 0) return undefined;
  const records = paragraph.context.split("\n");
  const rows = records.map(
    (line) => new Map(line.split("; ").map((cell) => cell.split(/: (.*)/s, 2) as [string, string])),
  );
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const isBroken = rows.some((row) =>
    [...row].some(([name, cell]) => cell === undefined || `${name}${cell}`.includes("|")),
  );
  if (isBroken || rows.length < 12 || columns.length < 3) return undefined;
  const questions = paragraph.qas.map(({ question, answers }) => ({
    question,
    answers: answers.map(({ text }) => text),
  }));
  return { title, columns, rows, records, questions };
}

const markdown = {
  rows: ({ title, columns, rows }: Table): string => {
    const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
    const body = rows.map((row) => line(columns.map((name) => row.get(name) ?? "")));
    return [`# ${title}\n`, line(columns), line(columns.map(() => "---")), ...body, ""].join("\n");
  },
  records: ({ title, records }: Table): string => `# ${title}\n\n${records.join("\n\n")}\n`,
};

const json = execFileSync("xz", ["-dc", values.data], { encoding: "utf8", maxBuffer: 2 ** 30 });
const { data } = JSON.parse(json) as { data: Article[] };
const usable = data.filter(({ split }) => split !== "train").flatMap((article) => tableOf(article) ?? []);
const tables = draw(usable, count, Number(values.seed));

for (const form of ["rows", "records"] as const) {
  const folder = await mkdtemp(join(tmpdir(), "verbatim-tables-"));
  try {
    const files = join(folder, "tables");
    await mkdir(files);
    for (const [n, table] of tables.entries()) await writeFile(join(files, `${n}.md`), markdown[form](table));
    const { total } = await indexPaths([files], { index: join(folder, "index"), cwd: files });
    const index = await openIndex({ path: join(folder, "index") });
    let [questions, first, among] = [0, 0, 0];
    for (const [n, table] of tables.entries()) {
      const filter = ({ id }: { id: string }): boolean => id.endsWith(`/${n}.md`) || id === `${n}.md`;
      for (const { question, answers: golds } of table.questions) {
        const { answers } = await index.ask(question, { topK: TOP, minConfidence: 0, reader, filter });
        const right = answers.map(({ text }) => exactMatch(text, golds) === 1);
        questions++;
        if (right[0]) first++;
        if (right.includes(true)) among++;
      }
    }
    await index.close();
    const percent = (n: number): number => Math.round((1000 * n) / questions) / 10;
    const figures = {
      tables: tables.length,
      questions,
      passages: total?.passages,
      em: percent(first),
      amongFive: percent(among),
    };
    await record("table-questions", { form, reader, seed: Number(values.seed), ...figures });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
