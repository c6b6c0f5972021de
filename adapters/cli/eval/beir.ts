/**
 * `verbatim eval beir DIR --index DIR`: document retrieval on a folder in BEIR's layout (Thakur et
 * al. 2021) by term weights (SPARTA), by tf-idf, by all parts together (the best phrase of the best
 * passages), and by BM25 over the same texts in the same run.
 */

import { createReadStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Encoder } from "../../../src/encode/types.js";
import { VerbatimError } from "../../../src/errors.js";
import {
  type BeirQuery,
  parseBeirDocument,
  parseBeirQueries,
  parseQrels,
  type Qrels,
} from "../../../src/evaluate/beir-files.js";
import { Bm25 } from "../../../src/evaluate/bm25.js";
import { percentile } from "../../../src/evaluate/percentile.js";
import { ndcgAt, type Ranked, recallAmong, reciprocalRankAt, runLines } from "../../../src/evaluate/retrieval.js";
import { rankByBestSpan, rankDocuments } from "../../../src/search/rank-documents.js";
import { scoreAllPassages } from "../../../src/search/score/passage-scorer.js";
import type { Searcher } from "../../../src/search/searcher.js";
import { readText } from "../input-file.js";
import type { CliContext, Io } from "../process-io.js";
import { QuestionProgress } from "../render/question-progress.js";
import { withEncoder } from "../with-index.js";
import type { EvalFlags } from "./commands/options.js";
import { printResult } from "./print-result.js";

const RETRIEVERS = ["all", "terms", "tfidf", "vector", "bm25"] as const;
type Retriever = (typeof RETRIEVERS)[number];

export interface BeirFlags extends EvalFlags {
  index: string;
  split: string;
  run?: string;
  method: Retriever;
}

/** Documents per ranking, as is usual in run files; R@100 needs only 100. */
const DEPTH = 1000;
/** Candidates for `all`: enough for a hundred documents of a few passages each. */
const CANDIDATES = { candidates: 400, rankedPassages: 0 };

export async function runBeir(folder: string, flags: BeirFlags, context: CliContext): Promise<void> {
  const { io } = context;
  const qrels = parseQrels(await readText(join(folder, "qrels", `${flags.split}.tsv`), io), `${flags.split}.tsv`);
  const queries = parseBeirQueries(await readText(join(folder, "queries.jsonl"), io), "queries.jsonl")
    .filter(({ id }) => qrels.has(id)) // the file also contains queries of other splits
    .slice(0, flags.limit);
  if (queries.length === 0) {
    throw new VerbatimError("unreadable-document", `No query of ${folder} is judged in qrels/${flags.split}.tsv.`, {
      hint: "Choose another split with --split.",
    });
  }
  const corpus = await readCorpus(resolve(io.cwd, folder, "corpus.jsonl"), io);
  const bm25 = new Bm25(corpus.texts);
  await withEncoder(flags, io, async ({ path, encoder }) => {
    const { openSearcher } = await import("../../node/open-searcher.js");
    const { searcher, close } = await openSearcher(path, encoder);
    try {
      const ranks: Record<Retriever, Rank> = {
        terms: (query) => bySparse(searcher, query, "terms"),
        tfidf: (query) => bySparse(searcher, query, "tfidf"),
        vector: (query) => bySparse(searcher, query, "vector"),
        all: (query) => rankByBestSpan(searcher, query, CANDIDATES),
        bm25: async ({ text }) =>
          bm25.search(text, DEPTH).map(({ document, score }) => ({ id: corpus.ids[document]!, score })),
      };
      const { figures, lines } = await measure(queries, { qrels, ranks, encoder, flags, io });
      if (flags.run !== undefined) await writeFile(resolve(io.cwd, flags.run), `${lines.join("\n")}\n`);
      const result: BeirResult = {
        ...figures,
        queries: queries.length,
        documents: corpus.ids.length,
        passages: searcher.numbering.passageDocuments.length,
        split: flags.split,
        model: encoder.info.name,
      };
      printResult(context, result, flags.json ?? false);
    } finally {
      await close();
    }
  });
}

type Encoded = Awaited<ReturnType<Encoder["encodeQuestion"]>>;
type Rank = (query: Encoded) => Promise<Ranked[]>;

async function bySparse(searcher: Searcher, query: Encoded, part: "terms" | "tfidf" | "vector"): Promise<Ranked[]> {
  const scores = await scoreAllPassages(searcher, query);
  const ranked = await rankDocuments(searcher, scores[part], { count: DEPTH });
  searcher.scratch.give(...Object.values(scores));
  return ranked;
}

interface Figures {
  ndcgAt10: number;
  recallAt100: number;
  mrrAt10: number;
  msP50: number;
}

/** What `eval beir --json` prints. */
interface BeirResult extends Record<Retriever, Figures> {
  queries: number;
  documents: number;
  passages: number;
  split: string;
  model: string;
}

async function measure(
  queries: readonly BeirQuery[],
  parts: { qrels: Qrels; ranks: Record<Retriever, Rank>; encoder: Encoder; flags: BeirFlags; io: Io },
): Promise<{ figures: Record<Retriever, Figures>; lines: string[] }> {
  const { qrels, ranks, encoder, flags, io } = parts;
  const sums = new Map<Retriever, { ndcg: number; recall: number; mrr: number; times: number[] }>();
  for (const name of RETRIEVERS) sums.set(name, { ndcg: 0, recall: 0, mrr: 0, times: [] });
  const lines: string[] = [];
  const progress = new QuestionProgress(io, "queries", queries.length);
  for (const [n, { id, text }] of queries.entries()) {
    const encoded = await encoder.encodeQuestion(text, { signal: io.signal });
    for (const name of RETRIEVERS) {
      const begun = performance.now();
      const ranking = await ranks[name](encoded);
      const sum = sums.get(name)!;
      sum.times.push(performance.now() - begun);
      sum.ndcg += ndcgAt(ranking, qrels.get(id)!, 10);
      sum.recall += recallAmong(ranking, qrels.get(id)!, 100);
      sum.mrr += reciprocalRankAt(ranking, qrels.get(id)!, 10);
      if (flags.run !== undefined && name === flags.method) lines.push(...runLines(id, ranking, `verbatim-${name}`));
    }
    progress.show(n + 1);
  }
  const mean = (sum: number): number => sum / queries.length;
  const figures = RETRIEVERS.map((name): [Retriever, Figures] => {
    const { ndcg, recall, mrr, times } = sums.get(name)!;
    const msP50 = percentile(
      times.sort((a, b) => a - b),
      0.5,
    );
    return [name, { ndcgAt10: mean(ndcg), recallAt100: mean(recall), mrrAt10: mean(mrr), msP50 }];
  });
  return { figures: Object.fromEntries(figures) as Record<Retriever, Figures>, lines };
}

async function readCorpus(path: string, io: Io): Promise<{ ids: string[]; texts: string[] }> {
  const ids: string[] = [];
  const texts: string[] = [];
  let number = 0;
  const stream = createReadStream(path, { signal: io.signal });
  try {
    for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
      number++;
      if (line.trim() === "") continue;
      const { id, title, text } = parseBeirDocument(line, `corpus.jsonl, line ${number}`);
      ids.push(id);
      texts.push(title === "" ? text : `${title} ${text}`);
    }
  } catch (cause) {
    if (cause instanceof VerbatimError || io.signal.aborted) throw cause;
    throw new VerbatimError("unreadable-document", "Cannot read corpus.jsonl of the folder.", {
      cause,
      hint: "Choose a folder in BEIR's layout: corpus.jsonl, queries.jsonl, qrels/test.tsv.",
    });
  }
  return { ids, texts };
}
