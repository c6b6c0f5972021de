/**
 * `verbatim eval reqa FILE`: sentence retrieval by term weights only (SPARTA §4). Each candidate
 * sentence is encoded alone and, with `--context`, pooled over its own tokens inside its paragraph.
 * BM25 ranks the same sentences for comparison.
 */

import { passageInput, titleTokens } from "../../../src/encode/input.js";
import type { EncodedQuestion, Encoder, PassageInput, TermWeights } from "../../../src/encode/types.js";
import { VerbatimError } from "../../../src/errors.js";
import { Bm25 } from "../../../src/evaluate/bm25.js";
import { bestRank, scoreRanks } from "../../../src/evaluate/ranks.js";
import { parseReqa, type ReqaFile } from "../../../src/evaluate/reqa-file.js";
import { reqaFromSquad } from "../../../src/evaluate/reqa-from-squad.js";
import { parseSquad } from "../../../src/evaluate/squad-file.js";
import { modelOf } from "../options.js";
import { type CliContext, type Io, printLine } from "../process-io.js";
import { type EvalFlags, EvalProgress, parseJsonFile, printResult, readText } from "./shared.js";

const LONGEST_INPUT = 512;

export interface ReqaFlags extends EvalFlags {
  /** Only BM25, without a model. */
  bm25?: boolean;
  context?: string;
  /**
   * Numbers of terms kept per sentence, ascending. With one number all figures use it; with several
   * they use all terms, and `byTerms` has the others.
   */
  terms?: number[];
}

/** One encoder input, with the candidates that its units belong to. */
interface Work {
  input: PassageInput;
  candidates: number[];
}

/** No limit on the weights of a unit. */
const ALL = Number.POSITIVE_INFINITY;

/** Weights of the questions' terms for every candidate: uint8 [terms × candidates], row-major. */
class TermMatrix {
  readonly #row = new Map<number, number>();
  readonly #weights: Uint8Array;
  readonly #candidates: number;
  /** For each limit, the smallest weight that counts per candidate. */
  readonly #borders: ReadonlyMap<number, Uint8Array>;

  /**
   * @param limits numbers of largest weights per unit that count, as in an index with that limit
   */
  constructor(terms: Iterable<number>, candidates: number, limits: readonly number[]) {
    for (const term of terms) if (!this.#row.has(term)) this.#row.set(term, this.#row.size);
    this.#candidates = candidates;
    this.#weights = new Uint8Array(this.#row.size * candidates);
    this.#borders = new Map(limits.map((limit) => [limit, new Uint8Array(candidates)]));
  }

  set(candidate: number, unit: TermWeights): void {
    const ascending = Uint8Array.from(unit.weights).sort();
    for (const [limit, borders] of this.#borders)
      if (ascending.length > limit) borders[candidate] = ascending[ascending.length - limit]!;
    for (const [i, term] of unit.terms.entries()) {
      const row = this.#row.get(term);
      if (row !== undefined) this.#weights[row * this.#candidates + candidate] = unit.weights[i]!;
    }
  }

  scores(question: EncodedQuestion, limit: number): Float64Array {
    const scores = new Float64Array(this.#candidates);
    const borders = this.#borders.get(limit)!;
    for (const [i, term] of question.terms.entries()) {
      const base = this.#row.get(term)! * this.#candidates;
      const weight = question.termWeights[i]!;
      for (let c = 0; c < scores.length; c++) {
        const kept = this.#weights[base + c]!;
        if (kept >= borders[c]!) scores[c]! += weight * kept;
      }
    }
    return scores;
  }
}

function aloneWork(candidates: readonly string[], encoder: Encoder): Work[] {
  const { tokenizer } = encoder;
  return candidates.map((text, candidate) => {
    const tokens = tokenizer.tokenize(text, { maxTokens: LONGEST_INPUT - 3 });
    return {
      input: passageInput(tokenizer, [], { passage: { start: 0, end: text.length, tokens } }),
      candidates: [candidate],
    };
  });
}

/**
 * Each paragraph that contains candidates, once. A candidate's unit is its own tokens in the
 * paragraph.
 */
function contextWork(
  candidates: readonly string[],
  squad: unknown,
  options: { encoder: Encoder; where: string },
): Work[] {
  const { tokenizer, info } = options.encoder;
  const left = new Map<string, number[]>();
  for (const [c, text] of candidates.entries()) left.set(text, [...(left.get(text) ?? []), c]);
  const work: Work[] = [];
  for (const { title, paragraphs } of parseSquad(squad, options.where).articles) {
    const titleIds = titleTokens(tokenizer, title.replaceAll("_", " "), info);
    for (const { context } of paragraphs) {
      const found = [...left.keys()].filter((text) => context.includes(text));
      if (found.length === 0) continue;
      const tokens = tokenizer.tokenize(context, { maxTokens: LONGEST_INPUT - titleIds.length - 3 });
      const input = passageInput(tokenizer, titleIds, { passage: { start: 0, end: context.length, tokens } });
      const one: Work = { input, candidates: [] };
      input.units = [];
      for (const text of found) {
        const start = context.indexOf(text);
        const end = start + text.length;
        let from = 0;
        while (from < tokens.count && tokens.ends[from]! <= start) from++;
        let to = from;
        while (to < tokens.count && tokens.starts[to]! < end) to++;
        if (to === from) continue; // beyond the maximum input length, so it is encoded alone
        for (const candidate of left.get(text)!) {
          input.units.push({ from: input.firstToken + from, to: input.firstToken + to });
          one.candidates.push(candidate);
        }
        left.delete(text);
      }
      if (one.candidates.length > 0) work.push(one);
    }
  }
  const alone = [...left.values()].flat();
  const rest = aloneWork(candidates, options.encoder);
  return [...work, ...alone.map((candidate) => rest[candidate]!)];
}

async function encodeAll(
  work: Work[],
  matrix: TermMatrix,
  options: { encoder: Encoder; io: Io; what: string },
): Promise<void> {
  const { encoder, io, what } = options;
  const progress = new EvalProgress(io, what, work.length);
  let done = 0;
  const waiting = work.values();
  const lane = async (): Promise<void> => {
    for (const { input, candidates } of waiting) {
      const [encoded] = await encoder.encodePassages([input], { keepAll: true, signal: io.signal });
      for (const [u, candidate] of candidates.entries()) matrix.set(candidate, encoded!.units[u]!);
      progress.show(++done);
    }
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
}

function figures(ranks: Ranks): Record<string, number> {
  const { mrr, recallAt } = scoreRanks(ranks);
  return { mrr, recallAt1: recallAt[1]!, recallAt5: recallAt[5]!, recallAt10: recallAt[10]! };
}

/** A ReQA file, or the sentences of a file in SQuAD's layout, which is then the context too. */
async function readTask(
  path: string,
  flags: ReqaFlags,
  io: Io,
): Promise<{ file: ReqaFile & { dropped?: number }; squad: unknown }> {
  const json = parseJsonFile(await readText(path, io), path);
  const isSquad = typeof json === "object" && json !== null && "data" in json;
  const file = isSquad ? reqaFromSquad(parseSquad(json, path)) : parseReqa(json, path);
  if (file.questions.length === 0) {
    throw new VerbatimError("unreadable-document", `${path} has no questions.`, {
      hint: "Choose a ReQA file, or a SQuAD file with answers.",
    });
  }
  if (flags.context !== undefined) {
    return { file, squad: parseJsonFile(await readText(flags.context, io), flags.context) };
  }
  return { file, squad: isSquad ? json : undefined };
}

/** 1-based rank of the best right sentence per question; undefined if there is none. */
export type Ranks = (number | undefined)[];

/** BM25's ranks. @param io  where progress is shown */
export function rankByBm25({ candidates, questions, right }: ReqaFile, io?: Io): Ranks {
  const bm25 = new Bm25(candidates);
  const progress = io === undefined ? undefined : new EvalProgress(io, "BM25", questions.length);
  return right.map((correct, q) => {
    const rank = bestRank(bm25.scores(questions[q]!), correct);
    progress?.show(q + 1);
    return rank;
  });
}

export interface TermRanks {
  /** For each limit. */
  alone: Ranks[];
  /** For each limit; undefined without a SQuAD file. */
  inContext: Ranks[] | undefined;
  candidatesInContext: number;
}

/**
 * Ranks by term weights.
 * @param limits numbers of largest weights per sentence that count; `Infinity` for all
 * @param squad the file in whose paragraphs the sentences are pooled too
 */
export async function rankByTerms(
  file: ReqaFile,
  limits: readonly number[],
  options: { encoder: Encoder; io: Io; squad?: { json: unknown; where: string } },
): Promise<TermRanks> {
  const { encoder, io, squad } = options;
  const questions: EncodedQuestion[] = [];
  for (const text of file.questions) questions.push(await encoder.encodeQuestion(text, { signal: io.signal }));
  const terms = new Set(questions.flatMap((question) => [...question.terms]));
  const measure = async (work: Work[], what: string): Promise<Ranks[]> => {
    const matrix = new TermMatrix(terms, file.candidates.length, limits);
    await encodeAll(work, matrix, { encoder, io, what });
    return limits.map((limit) => file.right.map((right, q) => bestRank(matrix.scores(questions[q]!, limit), right)));
  };
  const alone = await measure(aloneWork(file.candidates, encoder), "sentences alone");
  if (squad === undefined) return { alone, inContext: undefined, candidatesInContext: 0 };
  const work = contextWork(file.candidates, squad.json, { encoder, where: squad.where });
  const candidatesInContext = work
    .filter((one) => one.input.firstToken > 2)
    .reduce((sum, one) => sum + one.candidates.length, 0);
  return { alone, inContext: await measure(work, "sentences in context"), candidatesInContext };
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
    const ranks = await rankByTerms(file, limits, { encoder, io, squad: within });
    const alone = ranks.alone.map(figures);
    const inContext = ranks.inContext?.map(figures);
    const { candidatesInContext } = ranks;
    const at = (n: number) => ({
      ...(inContext ?? alone)[n]!,
      alone: alone[n]!,
      ...(inContext === undefined ? {} : { inContext: inContext[n]! }),
    });
    const byTerms = limits.length > 1 ? { byTerms: Object.fromEntries(asked.map((n, i) => [n, at(i + 1)])) } : {};
    printResult(
      context,
      {
        ...at(0),
        ...(inContext === undefined ? {} : { candidatesInContext }),
        ...byTerms,
        bm25: figures(rankByBm25(file, io)),
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
