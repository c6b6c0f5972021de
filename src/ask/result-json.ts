/** The one JSON form of a result: the command line, the server, the published site and MCP share its keys. */

import type { Reading } from "../reader/types.js";
import type { Shown } from "../search/locate/shown.js";
import type { Answer, AnswerPlaceFields, NgramMatch, Quoted, ScoreParts } from "../search/types.js";
import type { MetadataValue } from "../types.js";
import type { AskResult } from "./result.js";

/** Names of documents and sources as they may be shown, for instance without the folders of a server. */
export interface NameMapping {
  redact(documentId: string): string;
  redactSource(source: string): string;
  redactMetadata(fields: Readonly<Record<string, MetadataValue>>): Record<string, MetadataValue>;
}

export interface AnswerJson extends AnswerPlaceFields {
  text: string;
  confidence?: number;
  lessLikely: boolean;
  alternatives: Quoted[];
  context: string;
  contextStart: number;
  contextEnd: number;
  shown: Shown;
  header?: Quoted;
  metadata: Record<string, MetadataValue>;
  evidence: AnswerPlaceFields[];
  parts?: ScoreParts;
  ngrams?: NgramMatch[];
}

export interface ResultJson {
  question: string;
  searchedFor?: string;
  restriction?: AskResult["restriction"];
  strategy: string;
  level: AskResult["level"];
  kind: AskResult["kind"];
  encodedPassages?: number;
  withoutVectors?: true;
  tookMs: number;
  answers: AnswerJson[];
  noAnswer?: AskResult["noAnswer"];
  nearestPassages?: AnswerJson[];
  reading?: Reading;
}

/** Milliseconds are rounded to microseconds; passages, steps and features are left out. */
export function resultJson(result: AskResult, names?: NameMapping): ResultJson {
  const { question, searchedFor, restriction, strategy, level, kind, encodedPassages, withoutVectors, tookMs } = result;
  const { answers, noAnswer, nearestPassages, reading } = result;
  return {
    question,
    ...(searchedFor === undefined ? {} : { searchedFor }),
    ...(restriction === undefined ? {} : { restriction }),
    strategy,
    level,
    kind,
    ...(encodedPassages === undefined ? {} : { encodedPassages }),
    ...(withoutVectors === undefined ? {} : { withoutVectors }),
    tookMs: roundMs(tookMs),
    answers: answers.map((answer) => answerJson(answer, names)),
    ...(noAnswer === undefined ? {} : { noAnswer }),
    ...(nearestPassages === undefined
      ? {}
      : { nearestPassages: nearestPassages.map((passage) => answerJson(passage, names)) }),
    ...(reading === undefined ? {} : { reading: readingJson(reading) }),
  };
}

export function answerJson(answer: Answer, names?: NameMapping): AnswerJson {
  const {
    text,
    confidence,
    lessLikely,
    alternatives,
    context,
    contextStart,
    contextEnd,
    shown,
    header,
    metadata,
    evidence,
    parts,
    ngrams,
  } = answer;
  return {
    text,
    ...placeJson(answer, names),
    ...(confidence === undefined ? {} : { confidence }),
    lessLikely,
    alternatives,
    context,
    contextStart,
    contextEnd,
    shown,
    ...(header === undefined ? {} : { header }),
    metadata: names === undefined ? metadata : names.redactMetadata(metadata),
    evidence: evidence.map((other) => placeJson(other, names)),
    ...(parts === undefined ? {} : { parts }),
    ...(ngrams === undefined ? {} : { ngrams }),
  };
}

function placeJson(at: AnswerPlaceFields, names: NameMapping | undefined): AnswerPlaceFields {
  const { score, title, start, end, startByte, endByte, startCodePoint, endCodePoint, place } = at;
  const documentId = names === undefined ? at.documentId : names.redact(at.documentId);
  const source = names === undefined ? at.source : names.redactSource(at.source);
  return { score, documentId, title, source, start, end, startByte, endByte, startCodePoint, endCodePoint, place };
}

function readingJson({ passages, ended, milliseconds }: Reading): Reading {
  return { passages, ...(ended === undefined ? {} : { ended }), milliseconds: roundMs(milliseconds) };
}

const roundMs = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000;
