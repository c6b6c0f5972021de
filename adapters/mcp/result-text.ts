/**
 * The results of tools as text, for assistants that read only text. The structured output contains
 * all of it too.
 */

import type { Place } from "../../src/types.js";
import type { AskOutput, ListOutput, PassagesOutput, PassageView, QuoteOutput } from "./schemas.js";
import { quoteLines, quoteName } from "./untrusted-text.js";

interface Excerpt {
  documentId: string;
  source: string;
  start: number;
  end: number;
  place: Place;
}

/** `"history.md", line 11 (document "history.md", characters 437–448)` */
function sourceOf({ documentId, source, start, end, place: { line, page, path } }: Excerpt): string {
  const where = [
    quoteName(source),
    ...(page === undefined ? [] : [`page ${page}`]),
    ...(line === undefined ? [] : [`line ${line}`]),
    ...(path === undefined ? [] : [`part ${quoteName(path)}`]),
  ];
  return `${where.join(", ")} (document ${quoteName(documentId)}, characters ${start}–${end})`;
}

const percent = (share: number): string => `${Math.round(100 * share)} %`;

export function answersText(question: string, { answers, noAnswer, nearestPassages = [] }: AskOutput): string {
  if (answers.length === 0) {
    const why = noAnswer === undefined ? "" : ` The best guess is only ${percent(noAnswer.confidence)} sure.`;
    const passages = nearestPassages.length === 0 ? "" : `\nThe nearest passages:\n\n${passageList(nearestPassages)}`;
    return `The documents do not answer ${quoteName(question)}.${why}${passages}`;
  }
  const entries = answers.map((answer, n) => {
    const sure = answer.confidence === undefined ? "" : `, ${percent(answer.confidence)} sure`;
    const others = answer.otherPlaces === 1 ? "1 other place" : `${answer.otherPlaces} other places`;
    const more = answer.otherPlaces === 0 ? "" : `, also in ${others}`;
    const head = `Answer ${n + 1} of ${answers.length}${sure}${more}`;
    return `${head}\nSource: ${sourceOf(answer)}\n${quoteLines(answer.text)}\nContext:\n${quoteLines(answer.context)}`;
  });
  return entries.join("\n\n");
}

export function quoteText({ match, places, documentsSearched, complete, nearest }: QuoteOutput): string {
  const list = places.map((place) => `- ${sourceOf(place)}`).join("\n");
  if (match === "exact") return `The quotation is in the documents, word for word:\n${list}`;
  if (match === "same-words") {
    const own = places[0] === undefined ? "" : `\nThe document has it as:\n${quoteLines(places[0].text)}`;
    return `The same words are in the documents, but white space, case or punctuation differ:\n${list}${own}`;
  }
  const searched = complete
    ? `The quotation is not in the documents (${documentsSearched} searched).`
    : `The quotation was not found in the ${documentsSearched} documents that could be searched in time.`;
  if (nearest === undefined) return searched;
  const heading = `Nearest passage, NOT the quotation (it has ${percent(nearest.sharedWords)} of its words):`;
  return `${searched}\n${heading} ${sourceOf(nearest)}\n${quoteLines(nearest.text)}`;
}

export function passagesText({ passages }: PassagesOutput): string {
  return passages.length === 0 ? "No passage was found." : passageList(passages);
}

function passageList(passages: readonly PassageView[]): string {
  const entries = passages.map((passage, n) => {
    const head = `Passage ${n + 1} of ${passages.length}`;
    return `${head}\nSource: ${sourceOf(passage)}\n${quoteLines(passage.text)}`;
  });
  return entries.join("\n\n");
}

export function listText({ documents, total, next }: ListOutput): string {
  const lines = documents.map(
    ({ id, title }) => `- ${quoteName(id)}${title === id ? "" : `, title ${quoteName(title)}`}`,
  );
  const more = next === undefined ? [] : [`The next page is after ${quoteName(next)}.`];
  return [total === 1 ? "1 document" : `${total} documents`, ...lines, ...more].join("\n");
}
