import { VerbatimError } from "../errors.js";
import { ANSWER_LANGUAGES } from "./answer-languages.js";
import { arrayAt, idAt, type JsonObject, objectAt, parseJson, shapeError, stringAt } from "./json-shape.js";
import { type AnswerPattern, answerPattern } from "./regex-match.js";
import { paragraphId, parseSquad } from "./squad-file.js";

/**
 * A question for a whole index, with answers, with a pattern, or with neither if it is
 * unanswerable.
 */
export interface OpenQuestion {
  id: string;
  question: string;
  answers: string[];
  /** CuratedTREC: an expression instead of answers. */
  pattern?: AnswerPattern;
  /** Document ids of paragraphs known to hold the answer: `title#index` of a SQuAD file. */
  goldPassages?: string[];
  /** JSON lines: id of the document that holds the answer, or the end of it after a "/". */
  document?: string;
  /** JSON lines: language of the answers, one of ANSWER_LANGUAGES. */
  language?: string;
}

/** Whether a document's id is the one that a question names. */
export function isNamedDocument(id: string, document: string): boolean {
  return id === document || id.endsWith(`/${document}`);
}

/**
 * Questions of a SQuAD file (each with its paragraph as gold passage), or of JSON lines
 * `{id, question, answers: [text…]}` or `{id, question, answer_regex}`, with the `document` that holds
 * the answer and its `language` if they are known. Blank lines are skipped; a line without an id gets its line number.
 * @param unanswerable lines need no answers
 * @param where name of the file, for messages
 * @throws VerbatimError `unreadable-document` naming the place ("nq.jsonl:17.answers"),
 *   `invalid-argument` for a pattern
 */
export function parseOpenQuestions(
  text: string,
  where = "the file",
  { unanswerable = false }: { unanswerable?: boolean } = {},
): OpenQuestion[] {
  const whole = wholeObject(text);
  if (whole !== undefined && Array.isArray(whole.data)) return squadQuestions(whole, where);
  const questions: OpenQuestion[] = [];
  for (const [n, line] of text
    .replace(/^\ufeff/, "")
    .split("\n")
    .entries()) {
    if (line.trim() === "") continue;
    questions.push(parseLine(line, n + 1, { where: `${where}:${n + 1}`, unanswerable }));
  }
  if (questions.length === 0) {
    throw new VerbatimError("unreadable-document", `${where} has no questions.`, {
      where,
      hint: 'Give a SQuAD file, or lines like {"id": "1", "question": "…", "answers": ["…"]}.',
    });
  }
  return questions;
}

/** Parses the text as one JSON object; undefined if it is not one. */
function wholeObject(text: string): JsonObject | undefined {
  try {
    const json: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
    return typeof json === "object" && json !== null ? (json as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

function squadQuestions(json: JsonObject, where: string): OpenQuestion[] {
  return parseSquad(json, where).articles.flatMap(({ title, paragraphs }) =>
    paragraphs.flatMap(({ questions }, index) =>
      questions.map(({ id, question, answers }) => ({
        id,
        question,
        answers: answers.map((answer) => answer.text),
        goldPassages: [paragraphId(title, index)],
      })),
    ),
  );
}

function parseLine(line: string, number: number, how: { where: string; unanswerable: boolean }): OpenQuestion {
  const { where, unanswerable } = how;
  const record = objectAt(parseJson(line, where), where);
  const id = record.id === undefined ? String(number) : idAt(record.id, `${where}.id`);
  const question = stringAt(record.question, `${where}.question`);
  if (unanswerable) return { id, question, answers: [] };
  const known = {
    ...(record.document === undefined ? {} : { document: stringAt(record.document, `${where}.document`) }),
    ...(record.language === undefined ? {} : { language: languageAt(record.language, `${where}.language`) }),
  };
  if (record.answer_regex !== undefined) {
    const place = `${where}.answer_regex`;
    const pattern = answerPattern(stringAt(record.answer_regex, place), place);
    return { id, question, answers: [], pattern, ...known };
  }
  if (record.answers === undefined) throw shapeError(where, "a question with answers or answer_regex", record);
  const answers = typeof record.answers === "string" ? [record.answers] : arrayAt(record.answers, `${where}.answers`);
  return { id, question, answers: answers.map((answer, n) => stringAt(answer, `${where}.answers[${n}]`)), ...known };
}

function languageAt(value: unknown, where: string): string {
  const known: readonly unknown[] = ANSWER_LANGUAGES;
  if (known.includes(value)) return value as string;
  throw shapeError(where, `one of ${ANSWER_LANGUAGES.join(", ")}`, value);
}
