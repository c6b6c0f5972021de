/** A set of bench/ranking/sets.py: a folder in BEIR's layout. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type BeirDocument, parseBeirDocument, parseQrels, type Qrels } from "../../src/evaluate/beir-files.js";

/** `measure` is for reporting, `development` for tuning. */
export type RankingPart = "measure" | "development";

export const RANKING_SETS = ["medquad", "qmsum", "faq", "contractnli", "policyqa"] as const;

export interface RankingQuery {
  id: string;
  text: string;
  /** Prefix of the ids that are ranked. */
  scope: string;
}

export interface RankingSet {
  documents: BeirDocument[];
  queries: RankingQuery[];
  qrels: Qrels;
}

/** @throws VerbatimError `unreadable-document` */
export async function readRankingSet(folder: string, part: RankingPart): Promise<RankingSet> {
  const qrels = parseQrels(await readFile(join(folder, "qrels", `${part}.tsv`), "utf8"), `${part}.tsv`);
  const queries = (await linesOf(join(folder, "queries.jsonl")))
    .map((line): RankingQuery => {
      const { _id: id, text, scope = "" } = JSON.parse(line);
      return { id, text, scope };
    })
    .filter(({ id }) => qrels.has(id));
  const corpus = join(folder, "corpus.jsonl");
  const documents = (await linesOf(corpus)).map((line) => parseBeirDocument(line, corpus));
  return { documents, queries, qrels };
}

async function linesOf(path: string): Promise<string[]> {
  return (await readFile(path, "utf8")).split("\n").filter((line) => line !== "");
}
