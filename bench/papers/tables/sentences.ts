/** Sentence retrieval by terms and by BM25 (SPARTA §5, tables 4, 5 and 7; ReQA). */

import { rankByBm25 } from "../../../adapters/cli/eval/reqa.js";
import { type Ranks, rankByTerms } from "../../../adapters/cli/eval/sentence-terms.js";
import { draw } from "../../../src/evaluate/draw.js";
import { recallAt, reciprocalRank } from "../../../src/evaluate/ranks.js";
import type { ReqaFile } from "../../../src/evaluate/reqa-file.js";
import { encoderName, measuredWith, type PapersContext, type Table } from "../context.js";
import { differenceOf, meanOf, SEED } from "../figures.js";
import { SENTENCE_PEERS } from "../published-figures.js";
import { readSentenceTask, SENTENCE_SETS, type SentenceSet } from "../sentence-sets.js";
import type { Figure, Row } from "../types.js";

/**
 * Drawn questions, their right sentences, and the same share of the other sentences; the whole file
 * without a count.
 */
export function sampleSentences(file: ReqaFile, count: number | undefined): ReqaFile {
  const numbers = draw([...file.questions.keys()], count, SEED);
  if (numbers.length === file.questions.length) return file;
  const right = new Set(numbers.flatMap((question) => file.right[question]!));
  const others = [...file.candidates.keys()].filter((candidate) => !right.has(candidate));
  const share = numbers.length / file.questions.length;
  const kept = [...right, ...draw(others, Math.ceil(share * others.length), SEED)].sort((a, b) => a - b);
  const place = new Map(kept.map((candidate, n) => [candidate, n]));
  return {
    questions: numbers.map((question) => file.questions[question]!),
    candidates: kept.map((candidate) => file.candidates[candidate]!),
    right: numbers.map((question) => file.right[question]!.map((candidate) => place.get(candidate)!)),
  };
}

/** MRR and recall in percent. */
export function rankFigures(ranks: Ranks): Record<string, Figure> {
  const recall = (k: number): Figure =>
    meanOf(
      ranks.map((rank) => recallAt(rank, k)),
      100,
    );
  return { MRR: meanOf(ranks.map(reciprocalRank), 100), "R@1": recall(1), "R@5": recall(5), "R@10": recall(10) };
}

export const sentences: Table = {
  name: "sentences",
  peers: SENTENCE_PEERS,
  async measure(context) {
    const rows: Row[] = [];
    for (const set of SENTENCE_SETS) rows.push(...(await measureSet(set, context)));
    return rows;
  },
};

/** Ranks by terms and by BM25; for each number of terms, in the order of the set. */
interface Ranked {
  inContext: Ranks[];
  alone: Ranks[];
  bm25: Ranks;
}

async function measureSet(set: SentenceSet, context: PapersContext): Promise<Row[]> {
  const { data, models, parts, io, sample } = context;
  const model = await encoderName(models);
  const files = [set.file, ...("context" in set && set.context !== undefined ? [set.context] : [])];
  const inputs = { sample, model, data: files.map((file) => data.hash(file)), terms: set.terms };
  return parts.part(`sentences/${set.key}`, inputs, async () => {
    const { whole, squad } = await readSentenceTask(set, data);
    const task = sampleSentences(whole, sample);
    const within = squad === undefined ? undefined : { json: squad, where: set.name };
    const ranks = await rankByTerms(task, set.terms, { encoder: await models.encoder(), io, squad: within });
    const ranked = { inContext: ranks.inContext ?? [], alone: ranks.alone ?? [], bm25: rankByBm25(task) };
    const about = {
      set: set.name,
      passages: task.candidates.length,
      questions: task.questions.length,
      ofQuestions: whole.questions.length,
    };
    return rowsOf(ranked, { set, about, model, context });
  });
}

interface About {
  set: SentenceSet;
  about: Pick<Row, "set" | "passages" | "questions" | "ofQuestions">;
  model: string;
  context: PapersContext;
}

function rowsOf({ inContext, alone, bm25 }: Ranked, { set, about, model, context }: About): Row[] {
  const byTerms = (lists: readonly Ranks[], corpus: string): Row[] =>
    lists.map((list, n) => ({
      system: Number.isFinite(set.terms[n]!) ? `terms alone, ${set.terms[n]} terms` : "terms alone, all terms",
      ...about,
      corpus,
      figures: {
        ...rankFigures(list),
        "MRR above BM25": differenceOf(list.map(reciprocalRank), bm25.map(reciprocalRank)),
      },
      ...measuredWith(model, context),
    }));
  const sentencesAlone = "sentences alone";
  return [
    ...byTerms(inContext, "sentences within their paragraphs"),
    ...byTerms(alone, sentencesAlone),
    {
      system: "BM25",
      ...about,
      corpus: sentencesAlone,
      figures: rankFigures(bm25),
      ...measuredWith("none", context),
    },
  ];
}
