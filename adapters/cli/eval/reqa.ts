/**
 * `verbatim eval reqa FILE`: sentence retrieval by term weights (SPARTA §4), by BM25 for comparison,
 * and by both together.
 */

import { VerbatimError } from "../../../src/errors.js";
import { Bm25 } from "../../../src/evaluate/bm25.js";
import { draw } from "../../../src/evaluate/draw.js";
import { bestRank, scoreRanks } from "../../../src/evaluate/ranks.js";
import { parseReqa, type ReqaFile } from "../../../src/evaluate/reqa-file.js";
import { reqaFromSquad } from "../../../src/evaluate/reqa-from-squad.js";
import { parseSquad } from "../../../src/evaluate/squad-file.js";
import { parseJsonFile, readText } from "../input-file.js";
import { modelOf } from "../options.js";
import { type CliContext, type Io, printLine } from "../process-io.js";
import { QuestionProgress } from "../render/question-progress.js";
import type { EvalFlags } from "./commands/options.js";
import { printResult } from "./print-result.js";
import { ALL, type Ranks, rankByTerms } from "./sentence-terms.js";

export interface ReqaFlags extends EvalFlags {
  /** Only BM25, without a model. */
  bm25?: boolean;
  context?: string;
  /** Does not encode the sentences alone. */
  contextOnly?: boolean;
  /**
   * Numbers of terms kept per sentence, ascending. With one number all figures use it; with several
   * they use all terms, and `byTerms` has the others.
   */
  terms?: number[];
}

/** Mean reciprocal rank and recall, 0 to 1. */
interface RankFigures {
  mrr: number;
  recallAt1: number;
  recallAt5: number;
  recallAt10: number;
}

function figures(ranks: Ranks): RankFigures {
  const { mrr, recallAt } = scoreRanks(ranks);
  return { mrr, recallAt1: recallAt[1]!, recallAt5: recallAt[5]!, recallAt10: recallAt[10]! };
}

/** A file in SQuAD's layout with this number of its paragraphs, drawn with a fixed seed. */
function fewParagraphs(json: { data: unknown }, limit: number, where: string): object {
  parseSquad(json, where); // fails unless it has this form
  const data = json.data as { paragraphs: object[] }[];
  const kept = new Set(
    draw(
      data.flatMap(({ paragraphs }) => paragraphs),
      limit,
      1,
    ),
  );
  const few = data.map((article) => ({ ...article, paragraphs: article.paragraphs.filter((one) => kept.has(one)) }));
  return { ...json, data: few };
}

/** A ReQA file, or the sentences of a file in SQuAD's layout, which is then the context too. */
async function readTask(
  path: string,
  flags: ReqaFlags,
  io: Io,
): Promise<{ file: ReqaFile & { dropped?: number }; squad: unknown }> {
  const json = parseJsonFile(await readText(path, io), path);
  const isSquad = typeof json === "object" && json !== null && "data" in json;
  const task =
    isSquad && flags.limit !== undefined ? fewParagraphs(json as { data: unknown }, flags.limit, path) : json;
  const file = isSquad ? reqaFromSquad(parseSquad(task, path)) : parseReqa(json, path);
  if (file.questions.length === 0) {
    throw new VerbatimError("unreadable-document", `${path} has no questions.`, {
      hint: "Choose a ReQA file, or a SQuAD file with answers.",
    });
  }
  if (flags.context !== undefined) {
    return { file, squad: parseJsonFile(await readText(flags.context, io), flags.context) };
  }
  return { file, squad: isSquad ? task : undefined };
}

/** BM25's ranks. @param io  where progress is shown */
export function rankByBm25({ candidates, questions, right }: ReqaFile, io?: Io, bm25 = new Bm25(candidates)): Ranks {
  const progress = io === undefined ? undefined : new QuestionProgress(io, "BM25", questions.length);
  return right.map((correct, q) => {
    const rank = bestRank(bm25.scores(questions[q]!), correct);
    progress?.show(q + 1);
    return rank;
  });
}

export async function runReqa(path: string, flags: ReqaFlags, context: CliContext): Promise<void> {
  const { io } = context;
  const { file, squad } = await readTask(path, flags, io);
  const sizes = {
    questions: file.questions.length,
    candidates: file.candidates.length,
    ...(file.dropped === undefined ? {} : { dropped: file.dropped }),
  };
  if (flags.bm25 === true) {
    printResult(context, { bm25: figures(rankByBm25(file, io)), ...sizes }, flags.json ?? false);
    return;
  }
  const { openEncoder } = await import("../../node/models/encoder/encoder.js");
  const encoder = await openEncoder({ ...modelOf(flags.model, io), threads: flags.threads });
  try {
    const asked = flags.terms ?? [];
    const limits = asked.length === 1 ? asked : [ALL, ...asked];
    const within = squad === undefined ? undefined : { json: squad, where: flags.context ?? path };
    const bm25 = new Bm25(file.candidates);
    const { contextOnly } = flags;
    const ranks = await rankByTerms(file, limits, { encoder, io, squad: within, contextOnly, bm25 });
    const alone = ranks.alone?.map(figures);
    const inContext = ranks.inContext?.map(figures);
    const { candidatesInContext, withBm25 } = ranks;
    const at = (n: number) => ({
      ...(inContext ?? alone)![n]!,
      ...(alone === undefined ? {} : { alone: alone[n]! }),
      ...(inContext === undefined ? {} : { inContext: inContext[n]! }),
    });
    const byTerms = limits.length > 1 ? { byTerms: Object.fromEntries(asked.map((n, i) => [n, at(i + 1)])) } : {};
    printResult(
      context,
      {
        ...at(0),
        ...(inContext === undefined ? {} : { candidatesInContext }),
        ...byTerms,
        ...(withBm25 === undefined ? {} : { withBm25: figures(withBm25) }),
        bm25: figures(rankByBm25(file, io, bm25)),
        ...sizes,
        terms: limits[0] === ALL ? "all" : limits[0],
        model: encoder.info.name,
      },
      flags.json ?? false,
    );
    if (squad === undefined && flags.json !== true)
      printLine(io.stderr, "To pool sentences inside their paragraphs, name the SQuAD file with --context.");
  } finally {
    await encoder.close();
  }
}
