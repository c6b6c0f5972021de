/**
 * The three files of a BEIR folder (Thakur et al. 2021): corpus.jsonl `{_id, title, text}`,
 * queries.jsonl `{_id, text}` and qrels/<split>.tsv `query-id  corpus-id  score`, with a header
 * line.
 */

import { idAt, objectAt, parseJson, shapeError, stringAt } from "./json-shape.js";

export interface BeirDocument {
  id: string;
  title: string;
  text: string;
}

export interface BeirQuery {
  id: string;
  text: string;
}

/** Grade of each judged document, by query: 0 means judged not relevant. */
export type Qrels = Map<string, Map<string, number>>;

/** One line of corpus.jsonl. @throws VerbatimError `unreadable-document` naming the line */
export function parseBeirDocument(line: string, where: string): BeirDocument {
  const record = objectAt(parseJson(line, where), where);
  const title = record.title === undefined || record.title === null ? "" : stringAt(record.title, `${where}.title`);
  return { id: idAt(record._id, `${where}._id`), title, text: stringAt(record.text, `${where}.text`) };
}

/** @throws VerbatimError `unreadable-document` naming the line */
export function parseBeirQueries(text: string, path: string): BeirQuery[] {
  return linesOf(text).map(({ line, number }) => {
    const where = `${path}, line ${number}`;
    const record = objectAt(parseJson(line, where), where);
    return { id: idAt(record._id, `${where}._id`), text: stringAt(record.text, `${where}.text`) };
  });
}

/** @throws VerbatimError `unreadable-document` naming the line */
export function parseQrels(text: string, path: string): Qrels {
  const qrels: Qrels = new Map();
  for (const { line, number } of linesOf(text)) {
    const [query, document, grade, ...rest] = line.split("\t");
    const value = Number(grade);
    if (number === 1 && !Number.isFinite(value)) continue; // the heading
    const where = `${path}, line ${number}`;
    if (
      query === undefined ||
      document === undefined ||
      grade === undefined ||
      rest.length > 0 ||
      !Number.isInteger(value)
    ) {
      throw shapeError(where, '"query-id<tab>corpus-id<tab>score"', line);
    }
    const grades = qrels.get(query) ?? new Map<string, number>();
    qrels.set(query, grades.set(document, value));
  }
  return qrels;
}

function linesOf(text: string): Array<{ line: string; number: number }> {
  return text
    .replace(/^\ufeff/, "")
    .split(/\r?\n/)
    .map((line, n) => ({ line, number: n + 1 }))
    .filter(({ line }) => line.trim() !== "");
}
