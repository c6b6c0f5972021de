/** docs/results.md, from the JSON of the tables. */

import type { Examples, Figure, Peer, Row, TableResult } from "./types.js";

interface Section {
  title: string;
  /** What the reader of the page needs to know about the table. */
  text: string;
}

export const SECTIONS: Readonly<Record<string, Section>> = {
  squad: {
    title: "SQuAD, paragraph given",
    text: "The system sees the one paragraph that contains the answer.",
  },
  sentences: {
    title: "Sentence retrieval",
    text: "Sentences ranked by learned terms alone, each pooled on its own or within its paragraph. MRR is 0 to 100, with average ranks for ties. BM25 ranks the same sentences in the same run. The sets after BioASQ are made by ReQA's rule: every sentence of the paragraphs is a candidate, and the sentence with the answer is right. The model was trained on SQuAD train, on the training parts of FairytaleQA and TAT-QA, and on other sets (NOTICE); checkpoints and weights were chosen on questions of FairytaleQA test and TAT-QA test. BioASQ and PolicyQA are new to it. PolicyQA asks the same few hundred questions of many policies, and a question's answers in any of them count as right.",
  },
  ranking: {
    title: "Learned sparse retrieval",
    text: "Documents ranked for 698 questions whose ids are reserved for measuring: nDCG@10, 0 to 100. (Six of them also occur under an id that is not, and the passage vectors were fitted on those pairs.) Learned terms, tf-idf and BM25 rank alone; the default ranking adds phrases and passage vectors. The terms were trained on SQuAD train and on sets of other kinds, among them other questions of ContractNLI, and questions about passages of MedQuAD and QMSum that were written for this project. The weights of the default ranking were chosen on other questions of these sets, and its passage vectors were fitted in part on other questions of MedQuAD, QMSum and the FAQs. The published systems were measured on other sets: they show the usual scale and cannot be compared.",
  },
  chinese: {
    title: "Chinese",
    text: "The multilingual encoder and reader. Sentences are encoded within their paragraphs, as in ReQA; BM25 counts pairs of characters. EM and F1 are those of CMRC 2018's script, for answers from the gold paragraph. SPARTA's figures for Chinese were measured over a whole encyclopedia and cannot be compared with these.",
  },
  "chinese-open": {
    title: "Open questions in Chinese",
    text: "The multilingual encoder and reader. The passage has to be found first, among the paragraphs of CMRC 2018 dev and passages of Chinese Wikipedia (50,000 in full; each row says how many). BM25 counts pairs of characters, and the same reader reads its best passages over the same index. EM and F1 are those of CMRC 2018's script. CMRC's questions were written by people who saw the paragraph, so they share its words.",
  },
  interpretability: {
    title: "Interpretability",
    text: "The weights behind single answers: n-grams of the question that have a weight at the first and last token of the answer (question weight × passage weight × λ), the parts of the score, and the terms of the answer's sentence, encoded alone. Pieces that continue a word begin with ##.",
  },
  open: {
    title: "Open questions",
    text: "The passage has to be found first. CuratedTREC counts an answer as right if its expression matches anywhere (EM), and also from the start (DrQA's rule). `BM25 + reader` reads its ten best passages with the same reader over the same index. The ceiling is the share of questions with an answer anywhere in the corpus. Compare figures only for corpora of similar size: the published ones searched about five million articles.",
  },
  scaling: {
    title: "Scaling",
    text: "The same questions over growing corpora, without the reader. The second table ranks the paragraphs by one source of candidates alone: is the question's own paragraph the first, among ten, among a hundred? Bytes are those of the whole index on disk, and memory is that of a process that only answers.",
  },
  strategies: {
    title: "Strategies: time and exact match",
    text: "Every strategy with several numbers of candidates and settings of the reader, over one corpus.",
  },
  engines: {
    title: "Engines: time at equal recall",
    text: "The same weights in several engines, one thread, one question at a time, after a first round that is not timed. For each engine, the table shows the fastest settings that find 99, 98, 95 and 90 % of what an exact search finds. Terms: the learned term weights of all passages. Vectors: those of all passages.",
  },
  sizes: {
    title: "Bytes and exact match",
    text: "What an answer costs on disk. Three levels of our index, and other ways to find ten passages for the same reader, over the same documents. Lucene and MiniSearch store the texts in their index, Lucene compressed and MiniSearch as JSON; faiss keeps our passage vectors, and the texts stored next to them are counted as they are. At the level `thin`, phrases are encoded when a question needs them. The published indexes are of all of English Wikipedia, whose text is counted as 14 GB; compare their sizes, not their exact matches.",
  },
};

const INTRO = `# The papers' tables

Measured with one command, which writes this page and [results/](results/):

\`\`\`sh
npm run papers -- --data DIR
\`\`\`

\`npm run papers -- --help\` describes the files in DIR, \`--sample N\` for a quick look and \`--resume\`
after a stop. EM and F1 are percentages as in the SQuAD scripts; brackets hold 95 % bootstrap
intervals. A model's name is followed by the first digits of its hashes (an encoder's passage network,
question network and settings; a reader's network and settings). A row with "N of M" questions is a
**sample**. If its corpus is also called a sample, the corpus is smaller in the same proportion, and
the row only shows that the measurement works. Over a whole corpus, its interval says how good it is.
Nothing that a table measures was trained or tuned on its questions, unless the table says so.`;

/** @param results in the order of the page @param plots names of tables with a plot */
export function resultsPage(results: readonly TableResult[], plots: ReadonlySet<string>): string {
  const sections = results.map((result) => section(result, plots.has(result.table)));
  return `${[INTRO, state(results), ...sections].join("\n\n")}\n`;
}

export function isSampled({ questions, ofQuestions }: Row): boolean {
  return questions < ofQuestions;
}

function state(results: readonly TableResult[]): string {
  const lines = Object.entries(SECTIONS).map(([name, { title }]) => {
    const { rows = [], notMeasured = [], examples = [] } = results.find(({ table }) => table === name) ?? {};
    const sampled = rows.filter(isSampled).length;
    if (rows.length === 0 && examples.length === 0) return `| ${title} | not measured yet |`;
    const some = sampled === rows.length ? "only a sample" : `${rows.length - sampled} of ${rows.length} rows in full`;
    const measured = sampled === 0 ? "in full" : some;
    const missing =
      notMeasured.length === 0
        ? ""
        : `; ${notMeasured.length} ${notMeasured.length === 1 ? "part" : "parts"} not measured yet`;
    return `| ${title} | ${measured}${missing} |`;
  });
  return ["| table | measured |", "|---|---|", ...lines].join("\n");
}

function section({ table, rows, peers, notMeasured = [], examples = [] }: TableResult, hasPlot: boolean): string {
  const { title, text } = SECTIONS[table]!;
  const runs = [
    ...new Set([...rows, ...examples].map(({ command, machine, date }) => `\`${command}\` (${date}, ${machine})`)),
  ];
  return [
    `## ${title}`,
    wrapped(text),
    ...byKind(rows).map(measuredTable),
    ...examples.map(exampleTable),
    `Measured with ${runs.join(" and ")}.`,
    ...busyNote(rows),
    ...versionsNote(rows),
    ...(notMeasured.length === 0 ? [] : [wrapped(`Not measured yet: ${notMeasured.join("; ")}.`)]),
    ...(hasPlot ? [`![${title}](results/${table}.svg)`] : []),
    ...(peers.length === 0 ? [] : ["Published figures:", peerTable(peers)]),
  ].join("\n\n");
}

/** Load average per core from which times say little. */
const BUSY = 1.5;

/** Says if times were taken on a machine that did other work. */
function busyNote(rows: readonly Row[]): string[] {
  const timed = rows.filter(({ figures }) => Object.keys(figures).some((name) => name.startsWith("ms ")));
  const loads = timed.map(({ load = 0, machine }) => ({ load, cores: Number.parseInt(machine, 10) || 1 }));
  if (!loads.some(({ load, cores }) => load > BUSY * cores)) return [];
  const all = loads.map(({ load }) => load);
  return [
    wrapped(
      `**The machine was busy with other work** (load average ${Math.min(...all)} to ${Math.max(...all)}): times are several times those of a quiet machine.`,
    ),
  ];
}

/** Says if rows were measured with several versions of one model. */
function versionsNote(rows: readonly Row[]): string[] {
  const versions = new Map<string, Set<string>>();
  for (const name of rows.flatMap(({ model }) => model.split(", "))) {
    const [model, hash = ""] = name.split(" ");
    versions.set(model!, (versions.get(model!) ?? new Set()).add(hash));
  }
  if (![...versions.values()].some(({ size }) => size > 1)) return [];
  return [wrapped("**Some rows are from earlier versions of a model**: compare rows with the same hashes.")];
}

/** Rows with the same first figure: a table with other figures follows as its own. */
function byKind(rows: readonly Row[]): Row[][] {
  const kinds = new Map<string | undefined, Row[]>();
  for (const row of rows) {
    const [first] = Object.keys(row.figures);
    kinds.set(first, [...(kinds.get(first) ?? []), row]);
  }
  return [...kinds.values()];
}

function exampleTable({ about, model, columns, lines }: Examples): string {
  const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");
  const table = markdownTable(
    columns,
    lines.map((line) => line.map(cell)),
  );
  return `${about}, ${model}:\n\n${table}`;
}

function measuredTable(rows: readonly Row[]): string {
  const columns = figureNames(rows);
  return markdownTable(
    ["system", "questions", "corpus", "passages", ...columns, "model"],
    rows.map((row) => [
      row.system,
      `${row.set}: ${isSampled(row) ? `**${whole(row.questions)} of ${whole(row.ofQuestions)}**` : whole(row.questions)}`,
      row.corpus,
      whole(row.passages),
      ...columns.map((name) => shown(row.figures[name])),
      row.model,
    ]),
  );
}

function peerTable(peers: readonly Peer[]): string {
  const columns = figureNames(peers);
  return markdownTable(
    ["system", "questions", "corpus", ...columns, "source"],
    peers.map((peer) => [
      peer.system,
      peer.set,
      peer.corpus,
      ...columns.map((name) => shown(peer.figures[name])),
      peer.source,
    ]),
  );
}

function figureNames(rows: readonly { figures: Record<string, Figure> }[]): string[] {
  return [...new Set(rows.flatMap(({ figures }) => Object.keys(figures)))];
}

function markdownTable(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [row(head), `|${"---|".repeat(head.length)}`, ...lines.map(row)].join("\n");
}

/** One decimal, two below 1 without an interval, none for large numbers; "" for a figure that was not measured. */
function shown(figure: Figure | undefined): string {
  if (figure === undefined) return "";
  const { value, low, high } = figure;
  const number = (of: number): string => (Math.abs(of) >= 1000 ? whole(of) : of.toFixed(1));
  if (low === undefined && 0 < value && value < 1) return value.toFixed(2);
  return low === undefined || high === undefined ? number(value) : `${number(value)} (${number(low)}–${number(high)})`;
}

const whole = (value: number): string => Math.round(value).toLocaleString("en-US");

/** Wraps at 100 columns. */
function wrapped(text: string): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > 100) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].join("\n");
}
