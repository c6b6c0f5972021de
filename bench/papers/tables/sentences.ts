/** Sentence retrieval by terms and by BM25 (SPARTA §5, tables 4, 5 and 7). */

import { rankByBm25 } from "../../../adapters/cli/eval/reqa.js";
import { type Ranks, rankByTerms } from "../../../adapters/cli/eval/sentence-terms.js";
import { draw } from "../../../src/evaluate/draw.js";
import { recallAt, reciprocalRank } from "../../../src/evaluate/ranks.js";
import { parseReqa, type ReqaFile } from "../../../src/evaluate/reqa-file.js";
import { encoderName, measuredWith, type PapersContext, type Table } from "../context.js";
import type { DataFile } from "../data-files.js";
import { meanOf, SEED } from "../figures.js";
import { SENTENCE_PEERS } from "../peers.js";
import type { Figure, Row } from "../types.js";

/** Numbers of terms kept per sentence, as in SPARTA's table 7. */
const TERMS_KEPT = [50, 100, 500, 1000, Number.POSITIVE_INFINITY];

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

interface SentenceSet {
  key: string;
  name: string;
  file: DataFile;
  /** The file of the sentences' paragraphs. */
  paragraphs?: DataFile;
}

const SETS: readonly SentenceSet[] = [
  { key: "reqa-squad", name: "ReQA-SQuAD", file: "reqaSquad", paragraphs: "squad" },
  { key: "bioasq", name: "BioASQ 7b", file: "reqaBioasq" },
];

export const sentences: Table = {
  name: "sentences",
  peers: SENTENCE_PEERS,
  async measure(context) {
    const rows: Row[] = [];
    for (const set of SETS) rows.push(...(await measureSet(set, context)));
    return rows;
  },
};

async function measureSet({ key, name, file, paragraphs }: SentenceSet, context: PapersContext): Promise<Row[]> {
  const { data, models, parts, io, sample } = context;
  const model = await encoderName(models);
  const inputs = { sample, model, data: await data.hash(file), terms: TERMS_KEPT.length };
  return parts.part(`sentences/${key}`, inputs, async () => {
    const whole = parseReqa(await data.json(file), name);
    const task = sampleSentences(whole, sample);
    const squad = paragraphs === undefined ? undefined : { json: await data.json(paragraphs), where: name };
    const ranks = await rankByTerms(task, TERMS_KEPT, { encoder: await models.encoder(), io, squad });
    const about = {
      set: name,
      passages: task.candidates.length,
      questions: task.questions.length,
      ofQuestions: whole.questions.length,
    };
    const row = (system: string, corpus: string, of: { ranks: Ranks; model: string }): Row => ({
      system,
      ...about,
      corpus,
      figures: rankFigures(of.ranks),
      ...measuredWith(of.model, context),
    });
    const byTerms = (lists: readonly Ranks[], corpus: string): Row[] =>
      lists.map((list, n) => {
        const kept = Number.isFinite(TERMS_KEPT[n]!) ? `${TERMS_KEPT[n]} terms` : "all terms";
        return row(`terms alone, ${kept}`, corpus, { ranks: list, model });
      });
    return [
      ...byTerms(ranks.inContext ?? [], "sentences within their paragraphs"),
      ...byTerms(ranks.alone ?? [], "sentences alone"),
      row("BM25", "sentences alone", { ranks: rankByBm25(task), model: "none" }),
    ];
  });
}
