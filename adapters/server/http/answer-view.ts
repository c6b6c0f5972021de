/** What the engine answers, as it goes out: the keys of `ask --json` (docs/cli.md), public names in the place of paths. */

import type { AskResult } from "../../../src/ask/ask.js";
import type { Reading } from "../../../src/reader/types.js";
import type { Answer, AnswerPlaceFields } from "../../../src/search/types.js";
import type { PathRedactor } from "./path-redactor.js";
import type { AnswerView, ResultView } from "./schemas.js";

export interface ViewOptions {
  redactor: PathRedactor;
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

async function answerView(answer: Answer, { redactor, passageText }: ViewOptions): Promise<AnswerView> {
  const { text, context, contextStart, contextEnd, confidence, parts, ngrams, passageStart, passageEnd } = answer;
  const passage = await passageText?.(answer);
  return {
    text,
    ...placeView(answer, redactor),
    context,
    contextStart,
    contextEnd,
    ...(confidence === undefined ? {} : { confidence }),
    metadata: redactor.redactMetadata(answer.metadata),
    evidence: answer.evidence.map((other) => placeView(other, redactor)),
    ...(parts === undefined ? {} : { parts }),
    ...(ngrams === undefined ? {} : { ngrams }),
    ...(passage === undefined ? {} : { passage: { start: passageStart, end: passageEnd, text: passage } }),
  };
}

function placeView(at: AnswerPlaceFields, redactor: PathRedactor): AnswerPlaceFields {
  const { score, title, start, end, startByte, endByte, startCodePoint, endCodePoint, place } = at;
  const documentId = redactor.redact(at.documentId);
  const source = redactor.redact(at.source);
  return { score, documentId, title, source, start, end, startByte, endByte, startCodePoint, endCodePoint, place };
}
