/** The systems that answer open questions, and their judged answers. */

import { readFile } from "node:fs/promises";
import { askOne, type QuestionOptions } from "../../adapters/cli/eval/open.js";
import { openIndex } from "../../adapters/node/index.js";
import type { Encoder } from "../../src/encode/types.js";
import { draw } from "../../src/evaluate/draw.js";
import { type OpenQuestion, parseOpenQuestions } from "../../src/evaluate/open-questions.js";
import { encoderName, measuredWith, type PapersContext, readerName } from "./context.js";
import type { BuiltCorpus } from "./corpora.js";
import { meanOf, SEED, timesOf } from "./figures.js";
import type { Figure, Measured, Row } from "./types.js";

export interface AskedSystem {
  name: string;
  options: QuestionOptions;
  /** A part of the score that is left out. */
  without?: "ngrams" | "terms" | "tfidf" | "vector";
}

/** BM25's ten best passages, the reader on each: the peer of the same run. */
export const BM25_READER: AskedSystem = {
  name: "BM25 + reader, ten passages",
  options: { strategy: "lexical", reader: "on", advanced: { readerPassages: 10 } },
};

export const DEFAULT_SYSTEM: AskedSystem = {
  name: "default (hybrid, reader auto)",
  options: { strategy: "hybrid", reader: "auto" },
};

/** Per question: 0 or 1, 0 to 1, milliseconds. */
export interface Judgements {
  em: number[];
  /** Only CuratedTREC: the expression matches from the start of the answer. */
  anchored: number[];
  /** Empty for expressions. */
  f1: number[];
  ms: number[];
  measured: Measured;
}

export interface QuestionSet {
  name: string;
  questions: OpenQuestion[];
  /** Questions of the full run. */
  ofQuestions: number;
}

interface Limits {
  /** Questions that a full run draws; default: all. */
  most?: number;
  /** Questions that a sample draws from these; default: all. */
  sample?: number;
  /** Most questions that are asked over a whole corpus; default: all. */
  questions?: number;
}

/**
 * Reads a set of questions.
 * @param language  in which answers are compared; default: English
 */
export function questionSet(
  name: string,
  text: string,
  { most, sample, questions, language }: Limits & { language?: string },
): QuestionSet {
  const parsed = parseOpenQuestions(text, name);
  const all = language === undefined ? parsed : parsed.map((question) => ({ ...question, language }));
  const drawn = draw(draw(all, most, SEED), sample, SEED);
  return { name, questions: draw(drawn, questions, SEED), ofQuestions: most ?? all.length };
}

/** Questions about the SQuAD paragraphs in a corpus, of which a sample has fewer than `most`. */
export async function squadSet(corpus: BuiltCorpus, limits: Limits): Promise<QuestionSet> {
  return questionSet("SQuAD dev", await readFile(corpus.squad, "utf8"), limits);
}

/** Questions asked before times are taken. */
const WARM_UP = 5;

/** Asks every question in one way; a finished part is not asked again. */
export async function judge(
  way: AskedSystem,
  given: { part: string; set: QuestionSet; corpus: BuiltCorpus; context: PapersContext },
): Promise<Judgements> {
  const { part, set, corpus, context } = given;
  const { models, parts, io, log } = context;
  const reads = way.options.reader !== "off";
  const encodes = way.options.strategy !== "lexical";
  const names = [...(encodes ? [await encoderName(models)] : []), ...(reads ? [await readerName(models)] : [])];
  const model = names.join(", ");
  const inputs = {
    model,
    how: way.options,
    without: way.without,
    ids: set.questions.map(({ id }) => id),
    corpus: corpus.index,
  };
  return parts.part(part, inputs, async () => {
    log(`${corpus.name}, ${set.name}: ${way.name}`);
    const reader = reads ? await models.reader() : undefined;
    const encoder = without(await models.encoder(), way.without);
    const index = await openIndex({ path: corpus.index, encoder, reader, signal: io.signal });
    try {
      const judgements: Judgements = { em: [], anchored: [], f1: [], ms: [], measured: measuredWith(model, context) };
      const ask = (question: OpenQuestion) =>
        askOne(index, question, { how: way.options, topK: 5, texts: undefined, io });
      for (const question of set.questions.slice(0, WARM_UP)) await ask(question);
      for (const question of set.questions) {
        const outcome = await ask(question);
        judgements.em.push(outcome.exactMatch);
        judgements.ms.push(outcome.ms);
        if (question.pattern === undefined) judgements.f1.push(outcome.f1);
        else judgements.anchored.push(outcome.startAnchored ?? 0);
      }
      return judgements;
    } finally {
      await index.close();
    }
  });
}

/** The encoder with a weight of 0 for one part of the score. */
function without(encoder: Encoder, part: AskedSystem["without"]): Encoder {
  if (part === undefined) return encoder;
  const { info, tokenizer } = encoder;
  return {
    info: { ...info, weights: { ...info.weights, [part]: 0 } },
    tokenizer,
    encodePassages: (inputs, options) => encoder.encodePassages(inputs, options),
    encodeQuestion: (text, options) => encoder.encodeQuestion(text, options),
    close: async () => {},
  };
}

/** Figures of judged answers, percentages and milliseconds. */
export function figuresOf({ em, anchored, f1, ms }: Judgements): Record<string, Figure> {
  return {
    EM: meanOf(em, 100),
    ...(anchored.length > 0 ? { "EM, from the start": meanOf(anchored, 100) } : {}),
    ...(f1.length > 0 ? { F1: meanOf(f1, 100) } : {}),
    ...timesOf(ms),
  };
}

/** What all rows of a set of questions over a corpus have in common. */
export function rowOver(
  corpus: BuiltCorpus,
  set: QuestionSet,
): (system: string, measured: Measured, figures: Row["figures"]) => Row {
  return (system, measured, figures) => ({
    system,
    set: set.name,
    corpus: corpus.name,
    documents: corpus.documents,
    passages: corpus.passages,
    questions: set.questions.length,
    ofQuestions: set.ofQuestions,
    figures,
    ...measured,
  });
}
