/** The papers' tables: draws, finished parts, skipped tables and the page. No model runs. */

import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rankByBm25 } from "../../adapters/cli/eval/reqa.js";
import { Models, type PapersContext, settingsHash, type Table } from "../../bench/papers/context.js";
import { drawArticles, GROWING } from "../../bench/papers/corpora.js";
import { DataFiles } from "../../bench/papers/data-files.js";
import { differenceOf, meanOf, timesOf } from "../../bench/papers/figures.js";
import { PartStore } from "../../bench/papers/part-store.js";
import { runTables } from "../../bench/papers/run.js";
import { askedOnly } from "../../bench/papers/sentence-sets.js";
import { countSquad, type SquadJson, sampleSquad } from "../../bench/papers/squad-sample.js";
import { questionSet } from "../../bench/papers/systems.js";
import { fastestAtRecalls } from "../../bench/papers/tables/engines.js";
import { figuresOf, sampleRanking } from "../../bench/papers/tables/ranking.js";
import { rankFigures, sampleSentences } from "../../bench/papers/tables/sentences.js";
import type { Row } from "../../bench/papers/types.js";
import type { RankingSet } from "../../bench/ranking/ranking-set.js";
import type { ReqaFile } from "../../src/evaluate/reqa-file.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "papers-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

describe("finished parts", () => {
  const measureOnce = (value: number) => {
    let calls = 0;
    return { measure: async () => ({ value, calls: ++calls }), calls: () => calls };
  };

  it("are kept by a resumed run with the same inputs, and measured again with others", async () => {
    const first = measureOnce(1);
    await new PartStore(folder, { resume: false }).part("a/b", { model: "x" }, first.measure);
    const second = measureOnce(2);
    const resumed = new PartStore(folder, { resume: true });
    expect(await resumed.part("a/b", { model: "x" }, second.measure)).toEqual({ value: 1, calls: 1 });
    expect(second.calls()).toBe(0);
    expect(await resumed.part("a/b", { model: "y" }, second.measure)).toEqual({ value: 2, calls: 1 });
  });

  it("of a full run are kept by a resumed sample, and never the other way round", async () => {
    const full = new PartStore(folder, { resume: true });
    const sample = new PartStore(folder, { resume: true, sample: 5 });
    await sample.part("a", { sample: 5 }, async () => "a sample");
    expect(await full.part("a", { sample: undefined }, async () => "in full")).toBe("in full");
    expect(await full.part("b", { sample: undefined, model: "x" }, async () => "in full")).toBe("in full");
    expect(await sample.part("b", { sample: 5, model: "x" }, async () => "a sample")).toBe("in full");
    expect(await sample.part("b", { sample: 5, model: "y" }, async () => "a sample")).toBe("a sample");
  });

  it("are measured again without --resume", async () => {
    const store = new PartStore(folder, { resume: false });
    const twice = measureOnce(1);
    await store.part("a", {}, twice.measure);
    await store.part("a", {}, twice.measure);
    expect(twice.calls()).toBe(2);
  });

  it("of a run with fewer questions are its own, and a full run's stay", async () => {
    const fewer = new PartStore(folder, { resume: true, questions: 7 });
    const full = new PartStore(folder, { resume: true });
    expect(await full.part("a", { ids: [1, 2] }, async () => "in full")).toBe("in full");
    expect(await fewer.part("a", { ids: [1] }, async () => "fewer")).toBe("fewer");
    expect(await full.part("a", { ids: [1, 2] }, async () => "again")).toBe("in full");
  });

  it("are measured again if their file is damaged, and not kept if the measurement fails", async () => {
    await mkdir(join(folder, "full"));
    await writeFile(join(folder, "full", "a.json"), '{"inputs":{},"res');
    const store = new PartStore(folder, { resume: true });
    const fails = async (): Promise<number> => Promise.reject(new Error("no"));
    await expect(store.part("a", {}, fails)).rejects.toThrow("no");
    expect(await store.part("a", {}, async () => 7)).toBe(7);
    expect(await store.part("a", {}, fails)).toBe(7);
  });
});

describe("a model's name", () => {
  const info = { name: "m", weights: { terms: 5 }, metrics: { em: 1 }, training: { data: "a" }, notice: "x" };

  it("stays when figures and descriptions are filled in, and changes with every other key", () => {
    const { notice: _, ...described } = {
      ...info,
      name: "n",
      metrics: { em: 2 },
      training: {},
      tuned: {},
      quantisation: 1,
    };
    expect(settingsHash(described)).toBe(settingsHash(info));
    expect(settingsHash({ ...info, weights: { terms: 6 } })).not.toBe(settingsHash(info));
    expect(settingsHash({ ...info, readBelow: 0.5 })).not.toBe(settingsHash(info));
  });
});

describe("figures", () => {
  it("are means with an interval around them", () => {
    expect(meanOf([1, 1, 1, 1], 100)).toEqual({ value: 100, low: 100, high: 100 });
    const half = meanOf([1, 0, 1, 0, 1, 0, 1, 0], 100);
    expect(half.value).toBe(50);
    expect(half.low).toBeLessThan(50);
    expect(half.high).toBeGreaterThan(50);
  });

  it("compare two systems question by question", () => {
    expect(differenceOf([1, 1, 0, 0], [1, 0, 0, 0]).value).toBe(25);
  });

  it("take the median and the 99th percentile of times", () => {
    expect(timesOf([3, 1, 2])).toEqual({ "ms p50": { value: 2 }, "ms p99": { value: 3 } });
  });
});

const question = (id: string) => ({ id, question: `${id}?`, answers: [] });
const SQUAD: SquadJson = {
  data: Array.from({ length: 5 }, (_, a) => ({
    title: `T${a}`,
    paragraphs: [0, 1].map((p) => ({ context: `${a}${p}`, qas: [question(`${a}${p}x`), question(`${a}${p}y`)] })),
  })),
};

describe("a sample of SQuAD", () => {
  it("has the drawn questions with their paragraphs and nothing else, always the same", () => {
    const sample = sampleSquad(SQUAD, 3);
    expect(countSquad(sample).questions).toBe(3);
    expect(sample.data.every(({ paragraphs }) => paragraphs.every(({ qas }) => qas.length > 0))).toBe(true);
    for (const { context, qas } of sample.data.flatMap(({ paragraphs }) => paragraphs)) {
      for (const { id } of qas) expect(id.slice(0, 2)).toBe(context);
    }
    expect(sampleSquad(SQUAD, 3)).toEqual(sample);
    expect(SQUAD.data[0]!.paragraphs[0]!.qas).toHaveLength(2);
  });

  it("is the whole file without a size", () => {
    expect(sampleSquad(SQUAD, undefined)).toEqual(SQUAD);
    expect(countSquad(SQUAD)).toEqual({ paragraphs: 10, questions: 20 });
  });
});

describe("articles of a corpus", () => {
  const title = (n: number): string => (n === 2 ? "Asked_About" : `A${n}`);
  async function* lines(): AsyncGenerator<string> {
    for (let n = 0; n < 200; n++) yield JSON.stringify({ id: `${n}`, title: title(n), text: `text ${n}` });
  }
  const drawn = async (articles: number, shares: { share: number; shareBefore?: number }): Promise<string[]> => {
    const ids: string[] = [];
    const options = { ...shares, leftOut: new Set(["asked about"]) };
    for await (const { id } of drawArticles(lines(), { file: "zhwiki", articles }, options)) ids.push(id);
    return ids;
  };

  it("are the first ones of the file, without those that questions are about", async () => {
    expect(await drawn(5, { share: 1 })).toEqual(["zhwiki/0", "zhwiki/1", "zhwiki/3", "zhwiki/4"]);
  });

  it("of a sample are some of all, and among those of a larger sample, which has the rest", async () => {
    const half = await drawn(200, { share: 0.5 });
    const fifth = await drawn(200, { share: 0.2 });
    expect(half.length).toBeGreaterThan(70);
    expect(half.length).toBeLessThan(130);
    expect(fifth.length).toBeGreaterThan(15);
    const rest = await drawn(200, { share: 0.5, shareBefore: 0.2 });
    expect([...fifth, ...rest].sort()).toEqual(half.sort());
  });
});

describe("a set of open questions", () => {
  const line = JSON.stringify({ id: "1", question: "谁?", answers: ["卡尔德"] });

  it("compares answers in its language", () => {
    expect(questionSet("a set", line, { language: "zh" }).questions[0]!.language).toBe("zh");
    expect(questionSet("a set", line, {}).questions[0]!.language).toBeUndefined();
  });
});

const row = (figures: Row["figures"], questions: number): Row => ({
  system: "phrase search",
  set: "SQuAD v1.1 dev",
  corpus: "gold",
  passages: 1234,
  questions,
  ofQuestions: 10570,
  model: "m 12345678",
  machine: "2 × a processor",
  date: "2026-01-02",
  figures,
});

describe("a run", () => {
  const lines: string[] = [];
  const contextOf = (signal = new AbortController().signal): PapersContext => ({
    data: new DataFiles(join(folder, "data")),
    parts: new PartStore(join(folder, "parts"), { resume: true }),
    models: new Models({}),
    multilingual: new Models({}),
    base: undefined,
    python: "python3",
    lucene: undefined,
    questions: undefined,
    smallest: undefined,
    largest: undefined,
    work: folder,
    sample: 20,
    machine: "",
    io: { stdout: process.stdout, stderr: process.stderr, stdin: process.stdin, cwd: folder, env: {}, signal },
    log: (line) => void lines.push(line),
  });
  const run = (tables: readonly Table[], signal?: AbortSignal) =>
    runTables(tables, contextOf(signal), {
      docs: folder,
      command: (name, isSample) => `papers ${name}${isSample ? " --sample" : ""}`,
    });

  const peers = [
    { system: "peer", set: "s", corpus: "c", figures: { EM: { value: 73.6 } }, source: "a paper, table 1" },
  ];
  const squad: Table = {
    name: "squad",
    peers,
    measure: async () => [row({ EM: { value: 61.24, low: 50, high: 70 }, F1: { value: 71 } }, 20)],
  };

  it("skips a table whose data is missing in one line with the next step, and measures the others", async () => {
    lines.length = 0;
    const missing: Table = { name: "open", peers: [], measure: async ({ data }) => [await data.json("nq")] as never };
    expect(await run([missing, squad])).toEqual(["open"]);
    const skip = lines.filter((line) => line.startsWith("open is skipped"));
    expect(skip).toHaveLength(1);
    expect(skip[0]).toMatch(/nq-open-test\.jsonl is missing\. Put NQ-open test .* there/);
    expect(JSON.parse(await readFile(join(folder, "results", "squad.json"), "utf8"))).toMatchObject({
      table: "squad",
      rows: [
        {
          command: "papers squad --sample",
          passages: 1234,
          model: "m 12345678",
          machine: "2 × a processor",
          date: "2026-01-02",
        },
      ],
    });
  });

  it("writes a page that marks samples, and shows intervals, models and each peer's source", async () => {
    await run([squad]);
    const page = await readFile(join(folder, "results.md"), "utf8");
    expect(page).toContain("| SQuAD, paragraph given | only a sample |");
    expect(page).toContain("| Scaling | not measured yet |");
    expect(page).toContain(
      "| phrase search | SQuAD v1.1 dev: **20 of 10,570** | gold | 1,234 | 61.2 (50.0–70.0) | 71.0 | m 12345678 |",
    );
    expect(page).toContain("| peer | s | c | 73.6 | a paper, table 1 |");
    expect(page).toContain("(2026-01-02, 2 × a processor)");
    expect(await readFile(join(folder, "results", "squad.svg"), "utf8")).toMatch(/^<svg [^>]*viewBox/);
  });

  it("writes rows with other figures as a table of their own, and examples with the model behind them", async () => {
    const measured = { model: "m 12345678", machine: "2 × a processor", date: "2026-01-02" };
    const chinese: Table = {
      name: "chinese",
      peers: [],
      measure: async () => [row({ MRR: { value: 80 } }, 10570), row({ EM: { value: 50 } }, 10570)],
      examples: async () => [
        { ...measured, about: "1 question", columns: ["question", "terms"], lines: [["a | b?", "c"]] },
      ],
    };
    await run([chinese]);
    const page = await readFile(join(folder, "results.md"), "utf8");
    expect(page).toContain("| Chinese | in full |");
    expect(page).toContain("| system | questions | corpus | passages | MRR | model |");
    expect(page).toContain("| system | questions | corpus | passages | EM | model |");
    expect(page).toContain("1 question, m 12345678:\n\n| question | terms |\n|---|---|\n| a \\| b? | c |");
  });

  it("keeps a row that the same model has in full when only a sample is measured", async () => {
    const whole: Table = { name: "squad", peers: [], measure: async () => [row({ EM: { value: 70 } }, 10570)] };
    const other: Table = {
      name: "squad",
      peers: [],
      measure: async () => [{ ...row({ EM: { value: 40 } }, 20), model: "another model" }],
    };
    const emAfter = async (table: Table): Promise<number> => {
      await run([table]);
      return JSON.parse(await readFile(join(folder, "results", "squad.json"), "utf8")).rows[0].figures.EM.value;
    };
    expect(await emAfter(whole)).toBe(70);
    expect(await emAfter(squad)).toBe(70);
    expect(await emAfter(other)).toBe(40);
    expect(await emAfter(whole)).toBe(70);
  });

  it("keeps rows over corpora that are left out, smaller ones first, and says if their models are older", async () => {
    const [small, large] = GROWING.map(({ name }) => name);
    const over = (corpus: string, passages: number, model = "m 12345678"): Row => ({
      ...row({ EM: { value: 1 } }, 10570),
      ...{ corpus, passages, model },
    });
    const written = async (rows: Row[]): Promise<string[]> => {
      const notMeasured = async () => [{ what: "the small one", corpus: small }];
      await run([{ name: "scaling", peers: [], measure: async () => rows, notMeasured }]);
      const { rows: kept } = JSON.parse(await readFile(join(folder, "results", "scaling.json"), "utf8"));
      return kept.map(({ corpus }: Row) => corpus);
    };
    const pageHas = async (text: string): Promise<boolean> =>
      (await readFile(join(folder, "results.md"), "utf8")).includes(text);
    expect(await written([over("no longer measured", 15), over(large!, 20)])).toEqual(["no longer measured", large]);
    expect(await pageHas("Not measured yet: the small one.")).toBe(true);
    expect(await written([over(small!, 10)])).toEqual([small, large]);
    expect(await pageHas("Not measured yet")).toBe(false);
    expect(await pageHas("earlier versions of a model")).toBe(false);
    expect(await written([over(large!, 20, "m 87654321")])).toEqual([small, large]);
    expect(await pageHas("earlier versions of a model")).toBe(true);
  });

  it("names on the page and in one line each what a table leaves out", async () => {
    lines.length = 0;
    const engines: Table = { ...squad, notMeasured: async () => [{ what: "Lucene (install it)" }] };
    await run([engines]);
    expect(lines).toContain("squad: not measured: Lucene (install it)");
    const page = await readFile(join(folder, "results.md"), "utf8");
    expect(page).toContain("| SQuAD, paragraph given | only a sample; 1 part not measured yet |");
    expect(page).toContain("Not measured yet: Lucene (install it).");
    await run([squad]);
    expect(await readFile(join(folder, "results.md"), "utf8")).not.toContain("Lucene");
  });

  it("says on the page if times were taken beside other work", async () => {
    const timed = (load: number): Table => ({
      ...squad,
      measure: async () => [{ ...row({ "ms p50": { value: 9 } }, 10570), load, corpus: `at load ${load}` }],
    });
    await run([timed(14)]);
    expect(await readFile(join(folder, "results.md"), "utf8")).toContain("(load average 14 to 14)");
    await run([timed(2)]);
    expect(await readFile(join(folder, "results.md"), "utf8")).not.toContain("load average");
  });

  it("stops when it is aborted, without writing a table", async () => {
    const controller = new AbortController();
    const stops: Table = {
      name: "squad",
      peers: [],
      measure: async () => {
        controller.abort();
        throw new Error("stopped");
      },
    };
    await expect(run([stops], controller.signal)).rejects.toThrow();
    await expect(readFile(join(folder, "results.md"), "utf8")).rejects.toThrow();
  });
});

describe("engines", () => {
  it("are shown with their fastest setting at each recall, or with their best one", () => {
    const line = (engine: string, setting: string, msP50: number, recall: number) => ({
      engine,
      setting,
      msP50,
      recall,
    });
    const exact = line("ours", "all", 1.5, 1);
    const fast = line("peer", "fast", 0.5, 0.92);
    const slow = line("peer", "slow", 3, 0.985);
    const useless = line("peer", "useless", 4, 0.97);
    const poor = [line("poor", "a", 0.1, 0.4), line("poor", "b", 0.2, 0.8)];
    expect(fastestAtRecalls([exact, slow, useless, fast, ...poor])).toEqual([poor[1], fast, exact, slow]);
  });
});

describe("data files", () => {
  it("that are truncated or of another version are refused with where to get them", async () => {
    await mkdir(join(folder, "squad"));
    await writeFile(join(folder, "squad/dev-v1.1.json"), '{"data": [');
    await expect(new DataFiles(folder).json("squad")).rejects.toMatchObject({
      code: "unreadable-document",
      message: expect.stringMatching(/is truncated or another version \(SHA-256 \w{12}… instead of 23cd95a5eaa9…\)/),
      hint: expect.stringContaining("SQuAD v1.1 dev"),
    });
  });
});

describe("a set made by ReQA's rule", () => {
  it("keeps whole articles with a question that is asked, and only those questions", () => {
    const asked = askedOnly(SQUAD, ({ split }, id) => split === undefined && id === "21y");
    expect(asked.data).toHaveLength(1);
    expect(asked.data[0]!.paragraphs.map(({ qas }) => qas.map(({ id }) => id))).toEqual([[], ["21y"]]);
  });
});

describe("a sample of sentences", () => {
  const file: ReqaFile = {
    questions: Array.from({ length: 10 }, (_, q) => `question ${q}`),
    candidates: Array.from({ length: 40 }, (_, c) => `sentence ${c}`),
    right: Array.from({ length: 10 }, (_, q) => [q, 39 - q]),
  };

  it("keeps every right sentence of the drawn questions and the same share of the others", () => {
    const sample = sampleSentences(file, 2);
    expect(sample.questions).toHaveLength(2);
    expect(sample.candidates).toHaveLength(4 + Math.ceil(0.2 * 36));
    for (const [n, text] of sample.questions.entries()) {
      const q = Number(text.split(" ")[1]);
      expect(sample.right[n]!.map((c) => sample.candidates[c])).toEqual([`sentence ${q}`, `sentence ${39 - q}`]);
    }
    expect(sampleSentences(file, undefined)).toBe(file);
  });

  it("is scored by reciprocal rank and recall in percent; a question without a rank counts as 0", () => {
    const { MRR, "R@1": first, "R@5": five } = rankFigures([1, 2, undefined, 4]);
    expect(MRR!.value).toBe(43.75);
    expect(first!.value).toBe(25);
    expect(five!.value).toBe(75);
  });

  it("ranks ties by their mean rank", () => {
    const tied: ReqaFile = { questions: ["blue whale"], candidates: ["blue", "blue", "red"], right: [[0, 1]] };
    expect(rankByBm25(tied)).toEqual([1.5]);
  });
});

describe("a ranking", () => {
  it("is compared with BM25, and with the base model's vectors where those were measured", () => {
    const gains = { default: [1, 0.5], bm25: [0.5, 0.5] };
    const shown = (key: "default" | "bm25", of: object): [string, number][] =>
      Object.entries(figuresOf(key, of)).map(([name, { value }]) => [name, value]);
    expect(shown("default", gains)).toEqual([
      ["nDCG@10", 75],
      ["above BM25", 25],
    ]);
    expect(shown("bm25", { ...gains, baseVector: [1, 1] })).toEqual([
      ["nDCG@10", 50],
      ["above all-MiniLM-L6-v2", -50],
    ]);
  });
});

describe("a sample of a ranking set", () => {
  const document = (id: string) => ({ id, title: "", text: id });
  const set: RankingSet = {
    documents: ["a#0", "a#1", "b#0", ...Array.from({ length: 20 }, (_, n) => `c#${n}`)].map(document),
    queries: [
      { id: "qa", text: "a", scope: "a#" },
      { id: "qb", text: "b", scope: "" },
    ],
    qrels: new Map([
      ["qa", new Map([["a#1", 1]])],
      ["qb", new Map([["b#0", 1]])],
    ]),
  };

  it("keeps what is relevant, everything in a query's scope, and the same share of the rest", () => {
    const drawn = sampleRanking(set, 1);
    expect(drawn.queries).toHaveLength(1);
    const ids = drawn.documents.map(({ id }) => id);
    const [query] = drawn.queries;
    expect(ids).toEqual(expect.arrayContaining(query!.id === "qa" ? ["a#0", "a#1"] : ["b#0"]));
    expect(ids).toHaveLength(query!.id === "qa" ? 2 + 11 : 1 + 11);
    expect(sampleRanking(set, 2).documents).toEqual(set.documents);
  });
});
