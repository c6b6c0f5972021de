/** What the engine answers, as it goes out: the keys of `ask --json` (docs/cli.md), public names in the place of paths. */

import type { AskResult } from "../../../src/ask/ask.js";
import type { Reading } from "../../../src/reader/types.js";
import type { Answer, AnswerPlaceFields } from "../../../src/search/types.js";
import type { PublicNames } from "./path-redaction.js";
import type { AnswerView, ResultView } from "./schemas.js";

export interface ViewOptions {
  names: PublicNames;
  version: number;
  /** Texts of passages, for /v1/explain. */
  passageText?: (answer: Answer) => Promise<string | undefined>;
}

export async function resultView(result: AskResult, options: ViewOptions): Promise<ResultView> {
  const { question, strategy, level, found, encodedPassages, withoutVectors, tookMs, declined, nearest, reading } =
    result;
  return {
    question,
    strategy,
    level,
    found,
    ...(encodedPassages === undefined ? {} : { encodedPassages }),
    ...(withoutVectors === undefined ? {} : { withoutVectors }),
    tookMs: Math.round(tookMs * 1000) / 1000,
    version: options.version,
    answers: await Promise.all(result.answers.map((answer) => answerView(answer, options))),
    ...(reading === undefined ? {} : { reading: readingView(reading) }),
    ...(declined === undefined ? {} : { declined }),
    ...(nearest === undefined ? {} : { nearest: await Promise.all(nearest.map((it) => answerView(it, options))) }),
  };
}

function readingView({ passages, ended, milliseconds }: Reading): ResultView["reading"] {
  return { passages, ...(ended === undefined ? {} : { ended }), milliseconds: Math.round(milliseconds * 1000) / 1000 };
}

async function answerView(answer: Answer, { names, passageText }: ViewOptions): Promise<AnswerView> {
  const { text, context, contextStart, contextEnd, confidence, parts, ngrams, passageStart, passageEnd } = answer;
  const passage = await passageText?.(answer);
  return {
    text,
    ...placeView(answer, names),
    context,
    contextStart,
    contextEnd,
    ...(confidence === undefined ? {} : { confidence }),
    metadata: names.metadata(answer.metadata),
    evidence: answer.evidence.map((other) => placeView(other, names)),
    ...(parts === undefined ? {} : { parts }),
    ...(ngrams === undefined ? {} : { ngrams }),
    ...(passage === undefined ? {} : { passage: { start: passageStart, end: passageEnd, text: passage } }),
  };
}

function placeView(at: AnswerPlaceFields, names: PublicNames): AnswerPlaceFields {
  const { score, title, start, end, startByte, endByte, startCodePoint, endCodePoint, place } = at;
  const documentId = names.of(at.documentId);
  const source = names.of(at.source);
  return { score, documentId, title, source, start, end, startByte, endByte, startCodePoint, endCodePoint, place };
}
