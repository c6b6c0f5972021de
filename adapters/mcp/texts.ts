/** What tools say in words, for assistants that read only those; everything in it is in the structured output too. */

import type { Place } from "../../src/types.js";
import type { AskOutput, ListOutput, PassagesOutput, PassageView, QuoteOutput } from "./schemas.js";

interface Stretch {
  documentId: string;
  source: string;
  start: number;
  end: number;
  place: Place;
}

/** "history.md:11 (document history.md, 437–448)" */
function at({ documentId, source, start, end, place: { line, page, path } }: Stretch): string {
  const where = [
    page === undefined ? "" : `, page ${page}`,
    line === undefined ? "" : `:${line}`,
    path === undefined ? "" : `, ${path}`,
  ];
  return `${source}${where.join("")} (document ${documentId}, ${start}–${end})`;
}

const sure = (confidence: number | undefined): string =>
  confidence === undefined ? "" : `, ${Math.round(100 * confidence)} % sure`;

export function answersText(question: string, { answers, declined, nearest = [] }: AskOutput): string {
  if (answers.length > 0) {
    const lines = answers.map((answer, n) => {
      const more = answer.otherPlaces === 0 ? "" : `, also in ${answer.otherPlaces} other places`;
      return `${n + 1}. "${answer.text}" — ${at(answer)}${sure(answer.confidence)}${more}\n   ${oneLine(answer.context)}`;
    });
    return lines.join("\n");
  }
  const why = declined === undefined ? "" : ` (the best guess is only ${Math.round(100 * declined.confidence)} % sure)`;
  return `The documents do not answer "${oneLine(question)}"${why}.${passagesBelow("The passages that come nearest:", nearest)}`;
}

export function quoteText({ match, places, documentsSearched, complete, nearest }: QuoteOutput): string {
  const list = places.map((place) => `- ${at(place)}`).join("\n");
  if (match === "exact") return `The quotation stands in the documents, word for word:\n${list}`;
  if (match === "same-words") {
    const own = places[0] === undefined ? "" : `\nThe document writes it: "${places[0].text}"`;
    return `The same words stand in the documents, but white space, case or marks differ:\n${list}${own}`;
  }
  const searched = complete
    ? `It does not stand in the documents (${documentsSearched} looked through).`
    : `It was not found in the ${documentsSearched} documents that there was time to look through.`;
  if (nearest === undefined) return searched;
  const share = Math.round(100 * nearest.sharedWords);
  return `${searched}\nNearest passage, NOT the quotation (it has ${share} % of its words): ${at(nearest)}\n${nearest.text}`;
}

export function passagesText({ passages }: PassagesOutput): string {
  return passages.length === 0 ? "No passage was found." : passagesBelow("", passages).trimStart();
}

function passagesBelow(title: string, passages: readonly PassageView[]): string {
  if (passages.length === 0) return "";
  return [`\n${title}`, ...passages.map((passage, n) => `${n + 1}. ${at(passage)}\n${passage.text}`)].join("\n\n");
}

export function listText({ documents, total, next }: ListOutput): string {
  const lines = documents.map(({ id, title }) => (title === id ? `- ${id}` : `- ${id}: ${oneLine(title)}`));
  const more = next === undefined ? "" : `\nMore after "${next}".`;
  return `${total} documents.\n${lines.join("\n")}${more}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
