import { OffsetIndex } from "../text/offsets.js";
import { arrayAt, idAt, type JsonObject, objectAt, stringAt } from "./json-shape.js";

interface SquadAnswer {
  text: string;
  /** UTF-16 offset of the text in the context; undefined if the context does not contain it. */
  start: number | undefined;
}

export interface SquadQuestion {
  id: string;
  question: string;
  /** Empty for a question without an answer (v2.0). */
  answers: SquadAnswer[];
}

export interface SquadParagraph {
  context: string;
  questions: SquadQuestion[];
}

interface SquadArticle {
  title: string;
  paragraphs: SquadParagraph[];
}

export interface SquadFile {
  /**
   * "2.0" if the file says so or marks a question as impossible; the versions are scored
   * differently.
   */
  version: "1.1" | "2.0";
  articles: SquadArticle[];
}

/**
 * A SQuAD file, v1.1 or v2.0, or one in its layout (CMRC, DRCD). `answer_start` counts code points
 * in the file and UTF-16 units here. If it is missing or wrong (about 2 % of CMRC), the nearest
 * occurrence of the text is used.
 * @param json the parsed file
 * @param where name of the file, for messages
 * @throws VerbatimError `unreadable-document` naming the place: "dev.json
 *   data[3].paragraphs[0].qas[1].id"
 */
export function parseSquad(json: unknown, where = "the file"): SquadFile {
  const file = objectAt(json, where);
  let impossible = /^v?2/.test(String(file.version ?? ""));
  const articles = arrayAt(file.data, `${where} data`).map((entry, a): SquadArticle => {
    const place = `${where} data[${a}]`;
    const article = objectAt(entry, place);
    return {
      title: article.title === undefined ? String(a) : stringAt(article.title, `${place}.title`),
      paragraphs: arrayAt(article.paragraphs, `${place}.paragraphs`).map((paragraph, p) =>
        parseParagraph(objectAt(paragraph, `${place}.paragraphs[${p}]`), `${place}.paragraphs[${p}]`),
      ),
    };
  });
  impossible ||= hasImpossible(file);
  return { version: impossible ? "2.0" : "1.1", articles };
}

/** Document id of a paragraph: the article's title and the paragraph's number, from 0. */
export function paragraphId(title: string, index: number): string {
  return `${title}#${index}`;
}

function parseParagraph(paragraph: JsonObject, place: string): SquadParagraph {
  const context = stringAt(paragraph.context, `${place}.context`);
  const offsets = new OffsetIndex(context);
  const questions = arrayAt(paragraph.qas ?? [], `${place}.qas`).map((entry, q): SquadQuestion => {
    const at = `${place}.qas[${q}]`;
    const question = objectAt(entry, at);
    const answers = question.is_impossible === true ? [] : arrayAt(question.answers ?? [], `${at}.answers`);
    return {
      id: idAt(question.id, `${at}.id`),
      question: stringAt(question.question, `${at}.question`),
      answers: answers.map((item, n) => {
        const answer = objectAt(item, `${at}.answers[${n}]`);
        const text = stringAt(answer.text, `${at}.answers[${n}].text`);
        return { text, start: placeOf(text, answer.answer_start, offsets) };
      }),
    };
  });
  return { context, questions };
}

function placeOf(text: string, answerStart: unknown, offsets: OffsetIndex): number | undefined {
  const context = offsets.text;
  const claimed = typeof answerStart === "number" && Number.isInteger(answerStart) ? answerStart : 0;
  const codePoint = Math.min(Math.max(claimed, 0), offsets.codePointLength);
  const expected = offsets.fromCodePoint(codePoint);
  if (context.startsWith(text, expected)) return expected;
  const before = context.lastIndexOf(text, expected);
  const after = context.indexOf(text, expected);
  if (before < 0 && after < 0) return undefined;
  if (before < 0 || after < 0) return Math.max(before, after);
  return expected - before <= after - expected ? before : after;
}

/** True if a question has `is_impossible: true`; the shape is already validated. */
function hasImpossible(file: JsonObject): boolean {
  for (const article of file.data as JsonObject[]) {
    for (const paragraph of article.paragraphs as JsonObject[]) {
      if (((paragraph.qas ?? []) as JsonObject[]).some((question) => question.is_impossible === true)) return true;
    }
  }
  return false;
}
