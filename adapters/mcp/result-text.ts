/**
 * The results of tools as text, for assistants that read only text. The structured output contains
 * all of it too.
 */

import { restrictionText } from "../../src/ask/restriction-text.js";
import type { QuotePlace } from "../../src/quote/types.js";
import type { AskOutput, ListOutput, PassagesOutput, PassageView, QuoteOutput } from "./schemas.js";
import { markLines, quoteName } from "./untrusted-text.js";

type Excerpt = Pick<QuotePlace, "documentId" | "source" | "start" | "end" | "place">;

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

export function answersText(
  asked: string,
  { searchedFor, restriction, answers, noAnswer, nearestPassages = [] }: AskOutput,
): string {
  const question = searchedFor ?? asked;
  if (answers.length === 0) {
    const restricted = restriction === undefined ? "" : ` ${restrictionText(restriction, quoteName)}`;
    const guess = noAnswer === undefined ? "" : ` The best guess is only ${percent(noAnswer.confidence)} sure.`;
    const why = `${restricted}${guess}`;
    const passages = nearestPassages.length === 0 ? "" : `\nThe nearest passages:\n\n${passageList(nearestPassages)}`;
    return `The documents do not answer ${quoteName(question)}.${why}${passages}`;
  }
  const likely = answers.filter(({ lessLikely }) => !lessLikely);
  const entries = likely.map((answer, n) => {
    const sure = answer.confidence === undefined ? "" : `, ${percent(answer.confidence)} sure`;
    const places = answer.otherPlaces === 1 ? "1 other place" : `${answer.otherPlaces} other places`;
    const more = answer.otherPlaces === 0 ? "" : `, also in ${places}`;
    const head = `Answer ${n + 1} of ${likely.length}${sure}${more}`;
    const { text, context, shown, header, alternatives } = answer;
    const others =
      alternatives.length === 0 ? "" : `\nOr, in the same place: ${alternatives.map(quoteName).join(", ")}`;
    const what = shown === "row" ? "Table header" : "Announced by";
    const above = header === undefined ? "" : `\n${what}:\n${markLines(header)}`;
    const around = `${shown === "span" ? "Context" : `The whole ${shown}`}:\n${markLines(context)}`;
    return `${head}\nSource: ${sourceOf(answer)}\n${markLines(text)}${others}${above}\n${around}`;
  });
  if (restriction !== undefined) entries.unshift(restrictionText(restriction, quoteName));
  if (searchedFor !== undefined) entries.unshift(`Searched for ${quoteName(searchedFor)}.`);
  const folded = answers.length - likely.length;
  if (folded > 0) {
    const verb = folded === 1 ? "answer is" : "answers are";
    entries.push(`${folded} less likely ${verb} in the structured output only.`);
  }
  return entries.join("\n\n");
}

/** Units of a draft's quotation that are repeated in its heading. */
const HEADING_UNITS = 100;

export function quoteText({ quotations }: QuoteOutput): string {
  const [only] = quotations;
  if (only === undefined) return "The draft has no quotations.";
  if (quotations.length === 1 && only.line === undefined) return checkText(only);
  const entries = quotations.map((check, n) => {
    const { quotation, line = 0, verdict } = check;
    const words = quoteName(quotation.slice(0, HEADING_UNITS));
    return `Quotation ${n + 1} of ${quotations.length}, line ${line}, ${verdict}: ${words}\n${checkText(check)}`;
  });
  return entries.join("\n\n");
}

function checkText(check: QuoteOutput["quotations"][number]): string {
  const { attribution } = check;
  if (attribution?.documentIds.length !== 0) return verdictText(check);
  return `${verdictText(check)}\nNo document is named ${quoteName(attribution.name)}, so the source was not checked.`;
}

function verdictText({ verdict, places, pieces = [], nearest, complete }: QuoteOutput["quotations"][number]): string {
  const list = places.map((place) => `- ${sourceOf(place)}`).join("\n");
  const own = places[0] === undefined ? "" : `\nIn the document:\n${markLines(places[0].text)}`;
  const piecesText = pieces.map((piece) => `\n${markLines(piece.places[0]!.text)}\n- ${sourceOf(piece.places[0]!)}`);
  switch (verdict) {
    case "exact":
      return `The quotation is in the documents, word for word:\n${list}`;
    case "same-words":
      return `The same words are in the documents, but white space, case or punctuation differ:\n${list}${own}`;
    case "stitched":
      return `The quotation joins separate pieces of the documents:${piecesText.join("")}`;
    case "misattributed":
      return places.length > 0
        ? `The quotation is in the documents, but not in the source that is named:\n${list}${own}`
        : `Its pieces are in the documents, but not in the source that is named:${piecesText.join("")}`;
    case "not-found": {
      const missing =
        complete === false
          ? "The quotation was not found, but it has too few rare words to search every document."
          : "The quotation is not in the documents.";
      if (nearest === undefined) return missing;
      const heading = `Nearest passage, NOT the quotation (it has ${percent(nearest.sharedWords)} of its words):`;
      return `${missing}\n${heading} ${sourceOf(nearest)}\n${markLines(nearest.text)}`;
    }
  }
}

export function passagesText({ passages }: PassagesOutput): string {
  return passages.length === 0 ? "No passage was found." : passageList(passages);
}

function passageList(passages: readonly PassageView[]): string {
  const entries = passages.map((passage, n) => {
    const head = `Passage ${n + 1} of ${passages.length}`;
    return `${head}\nSource: ${sourceOf(passage)}\n${markLines(passage.text)}`;
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
