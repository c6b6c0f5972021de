/** The sets of sentence retrieval: ReQA's, and sets made by ReQA's rule. */

import { createHash } from "node:crypto";
import { ALL } from "../../adapters/cli/eval/sentence-terms.js";
import { parseReqa, type ReqaFile } from "../../src/evaluate/reqa-file.js";
import { reqaFromSquad } from "../../src/evaluate/reqa-from-squad.js";
import { parseSquad } from "../../src/evaluate/squad-file.js";
import type { DataFile, DataFiles } from "./data-files.js";
import type { SquadJson } from "./squad-sample.js";

interface ReqaSet {
  /** A file of questions, sentences and which answers which. */
  layout: "reqa";
  /** The SQuAD file of the sentences' paragraphs. */
  context?: DataFile;
}

interface SpanSet {
  /** SQuAD's: the sentences of its paragraphs are the candidates (ReQA's rule). */
  layout: "squad";
  /** Questions that are asked, by article and id. */
  asks: (article: { split?: string }, id: string) => boolean;
}

export type SentenceSet = (ReqaSet | SpanSet) & {
  key: string;
  name: string;
  file: DataFile;
  /** Numbers of largest term weights kept per sentence. */
  terms: readonly number[];
};

/** As in SPARTA's table 7. */
const SPARTA_TERMS = [50, 100, 500, 1000, ALL];

const isTest = ({ split }: { split?: string }): boolean => split === "test";

/** Items that no one may tune on: their id's SHA-256 starts with 0, 1, 2 or 3. */
const isForMeasuring = (id: string): boolean => "0123".includes(createHash("sha256").update(id).digest("hex")[0]!);

/** The questions and sentences of these sets were not in the training of verbatim-en. */
export const SENTENCE_SETS: readonly SentenceSet[] = [
  { key: "reqa-squad", name: "ReQA-SQuAD", layout: "reqa", file: "reqaSquad", context: "squad", terms: SPARTA_TERMS },
  { key: "bioasq", name: "BioASQ 7b", layout: "reqa", file: "reqaBioasq", terms: SPARTA_TERMS },
  { key: "fairytale", name: "FairytaleQA test", layout: "squad", file: "fairytale", asks: isTest, terms: [ALL] },
  { key: "tatqa", name: "TAT-QA test", layout: "squad", file: "tatqa", asks: isTest, terms: [ALL] },
  {
    key: "policyqa",
    name: "PolicyQA, questions for measuring",
    layout: "squad",
    file: "policyqa",
    asks: (_, id) => isForMeasuring(id),
    terms: [ALL],
  },
];

export interface SentenceTask {
  whole: ReqaFile;
  /** SQuAD's layout; undefined if the sentences have no paragraphs. */
  squad: unknown;
}

export async function readSentenceTask(set: SentenceSet, data: DataFiles): Promise<SentenceTask> {
  const json = await data.json(set.file);
  if (set.layout === "squad") {
    const squad = askedOnly(json as SquadJson, set.asks);
    return { whole: reqaFromSquad(parseSquad(squad, set.name)), squad };
  }
  const squad = set.context === undefined ? undefined : await data.json(set.context);
  return { whole: parseReqa(json, set.name), squad };
}

/** The articles with a question that is asked, whole, with only those questions. */
export function askedOnly({ data, ...rest }: SquadJson, asks: SpanSet["asks"]): SquadJson {
  const articles = data.map((article) => ({
    ...article,
    paragraphs: article.paragraphs.map((paragraph) => ({
      ...paragraph,
      qas: paragraph.qas.filter(({ id }) => asks(article, id)),
    })),
  }));
  return { ...rest, data: articles.filter(({ paragraphs }) => paragraphs.some(({ qas }) => qas.length > 0)) };
}
