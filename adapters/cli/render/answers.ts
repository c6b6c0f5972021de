/** Prints answers as text. */

import { restrictionText } from "../../../src/ask/restriction-text.js";
import type { AskResult } from "../../../src/ask/result.js";
import type { Answer, AnswerPlaceFields } from "../../../src/search/types.js";
import { firstCut, lastCut } from "../../../src/text/one-line.js";
import { isWithinPart } from "../../../src/text/place.js";
import type { Place } from "../../../src/types.js";
import type { Hyperlink } from "./hyperlinks.js";
import { counted, padded, plain, type Style } from "./terminal.js";

/** Characters of the sentence shown on each side of an answer. */
const CONTEXT_SIDE = 60;
const ANSWER_COLUMN = 40;
const SOURCE_COLUMN = 40;
const EVIDENCE_SHOWN = 3;
const NGRAMS_SHOWN = 8;
/** Characters of a passage shown instead of an answer. */
const PASSAGE_SHOWN = 200;

/** "history.md:12", "paper.pdf, page 3", "book.epub (chapter-2.xhtml)", "offer.eml (attachment terms.txt:3)" */
export function placeLabel(source: string, place: Place): string {
  const name = plain(source);
  if (isWithinPart(place)) return `${name} (${placeLabel(place.path!, { line: place.line, page: place.page })})`;
  if (place.page !== undefined) return `${name}, page ${place.page}`;
  if (place.line !== undefined) return `${name}:${place.line}`;
  return place.path === undefined ? name : `${name} (${plain(place.path)})`;
}

/** The sentence around an answer, cut to one line, with the answer in bold, after what announces its list. */
export function contextLine(answer: Answer, style: Style): string {
  const announced = answer.header === undefined ? "" : `${plain(answer.header.text)} … `;
  const from = answer.start - answer.contextStart;
  const to = answer.end - answer.contextStart;
  const fits = from >= 0 && to <= answer.context.length && answer.context.slice(from, to) === answer.text;
  if (!fits) return `“${announced}${plain(answer.context)}”`;
  const before = answer.context.slice(0, from);
  const after = answer.context.slice(to);
  if (answer.shown === "sentence") {
    const gap = (text: string, at: RegExp): string => (at.test(text) ? " " : "");
    const [left, right] = [plain(before) + gap(before, /\s$/), gap(after, /^\s/) + plain(after)];
    return `“${announced}${left}${style.bold(plain(answer.text))}${right}”`;
  }
  const left = tail(before);
  const right = head(after);
  return `“${announced}${left}${style.bold(plain(answer.text))}${right}”`;
}

/** The lines of a list, or a row below the header of its table, with the answer in bold. */
function blockLines({ context, contextStart, start, end, header }: Answer, style: Style): string[] {
  const lines = header === undefined ? [] : [`     ${style.dim(plain(header.text))}`];
  let at = contextStart;
  for (const line of context.split("\n")) {
    const [from, to] = [Math.max(start - at, 0), Math.min(end - at, line.length)];
    const marked = from < to ? [line.slice(0, from), line.slice(from, to), line.slice(to)] : [line];
    const [before = "", words = "", after = ""] = marked.map((part) => part.replace(/\s+/g, " ")).map(plainPart);
    if (line.trim() !== "") lines.push(`     ${`${before}${style.bold(words)}${after}`.trim()}`);
    at += line.length + 1;
  }
  return lines;
}

/** As `plain`, keeping one space at each end. */
function plainPart(text: string): string {
  return `${/^\s/.test(text) ? " " : ""}${plain(text)}${/\S\s$/.test(text) ? " " : ""}`;
}

/** The last words of a text, keeping the space before what follows. */
function tail(text: string): string {
  const line = plain(text);
  const gap = /\s$/.test(text) && line !== "" ? " " : "";
  if (line.length <= CONTEXT_SIDE) return line + gap;
  const cut = firstCut(line, line.length - CONTEXT_SIDE);
  return `… ${cut === -1 ? "" : line.slice(cut) + gap}`;
}

function head(text: string): string {
  const line = plain(text);
  const gap = /^\s/.test(text) && line !== "" ? " " : "";
  if (line.length <= CONTEXT_SIDE) return gap + line;
  const cut = lastCut(line, CONTEXT_SIDE);
  return cut === -1 ? " …" : `${gap}${line.slice(0, cut)} …`;
}

/**
 * One line per answer: rank, exact words, score, source and sentence; then lines for evidence and
 * explanation.
 * @param options.all  less likely answers too; default: only their number
 * @param options.readerIsOff  there is a reader, which the question did not use; default false
 */
export function answerLines(
  result: AskResult,
  options: { style: Style; link?: Hyperlink; explain: boolean; all?: boolean; readerIsOff?: boolean },
): string[] {
  const { style, link = (label) => label, explain, all = false, readerIsOff = false } = options;
  const answers = result.answers.filter(({ lessLikely }) => all || !lessLikely);
  const lines = searchLines(result, style);
  if (result.noAnswer !== undefined) return [...lines, ...noAnswerLines(result, style, link)];
  if (answers.length === 0) return result.restriction?.missing === undefined ? [...lines, "No answer found."] : lines;
  const answerWidth = widest(
    answers.map((answer) => plain(answer.text)),
    ANSWER_COLUMN,
  );
  const sourceWidth = widest(
    answers.map((answer) => placeLabel(answer.source, answer.place)),
    SOURCE_COLUMN,
  );
  for (const [i, answer] of answers.entries()) {
    const rank = String(i + 1).padStart(3);
    const words = plain(answer.text);
    const text = style.bold(words) + padded(words, answerWidth).slice(words.length);
    const score = `score ${answer.score.toFixed(1).padStart(5)}${confidenceLabel(answer.confidence)}`;
    const label = placeLabel(answer.source, answer.place);
    const place = link(label, answer.source, answer.place);
    const isBlock = answer.shown === "list" || answer.shown === "row" || answer.shown === "item";
    const context = isBlock ? "" : `${padded(label, sourceWidth).slice(label.length)}  ${contextLine(answer, style)}`;
    lines.push(`${rank}  ${text}  ${score}  ${place}${context}`);
    if (isBlock) lines.push(...blockLines(answer, style));
    if (answer.alternatives.length > 0) {
      const others = answer.alternatives.map((other) => `“${plain(other.text)}”`);
      lines.push(style.dim(`     or ${others.join(", ")}`));
    }
    if (answer.evidence.length > 0) lines.push(style.dim(`     also in ${evidenceLabel(answer.evidence, link)}`));
    if (explain) lines.push(...explainLines(answer).map((line) => style.dim(`     ${line}`)));
  }
  const folded = result.answers.length - answers.length;
  if (folded > 0) lines.push(style.dim(`     ${counted(folded, "less likely answer")} hidden (show with --all)`));
  const how = howFound(result, readerIsOff);
  if (how !== undefined) lines.push(style.dim(how));
  return lines;
}

/** What was searched for, where it is not only the question. */
function searchLines({ searchedFor, restriction }: AskResult, style: Style): string[] {
  const lines: string[] = [];
  if (searchedFor !== undefined) lines.push(style.dim(`Searched for: ${plain(searchedFor)}`));
  if (restriction !== undefined) {
    const text = restrictionText(restriction, (phrase) => `“${plain(phrase)}”`);
    lines.push(restriction.missing === undefined ? style.dim(text) : text);
  }
  return lines;
}

/** A note on answers that differ from those of an index of level full. */
function howFound({ kind, level, strategy, reading }: AskResult, readerIsOff: boolean): string | undefined {
  if (strategy !== "lexical") return undefined;
  const isLevel = level === "lexical";
  const reason = `keywords only (${isLevel ? "level" : "strategy"} lexical)`;
  if (kind === "sentences") {
    const first = readerIsOff ? "omit --reader off" : "install a reader";
    return `Whole sentences, found by ${reason}. For exact answers, ${isLevel ? `${first} or run verbatim upgrade` : "omit --strategy lexical"}.`;
  }
  return reading && `Passages found by ${reason}, answers by the reader, without a confidence.`;
}

/** "  87 % sure"; empty if the model is not calibrated. */
function confidenceLabel(confidence: number | undefined): string {
  return confidence === undefined ? "" : `  ${percent(confidence).padStart(4)} sure`;
}

/** "< 1 %", "87 %", "> 99 %": never 0 % or 100 %. */
function percent(probability: number): string {
  if (probability < 0.01) return "< 1 %";
  return probability > 0.99 ? "> 99 %" : `${Math.round(100 * probability)} %`;
}

/** The message for no answer, with the best passages and their sources. */
function noAnswerLines({ noAnswer, nearestPassages = [] }: AskResult, style: Style, link: Hyperlink): string[] {
  const { confidence, minConfidence } = noAnswer!;
  const [sure, least] = [percent(confidence), percent(minConfidence)];
  const below = sure === least ? "just below the minimum" : `${sure} sure, below the minimum of ${least}`;
  const lines = [`No answer: the best candidate is ${below}.`];
  if (nearestPassages.length > 0) lines.push("Closest passages:");
  for (const passage of nearestPassages) {
    const text = plain(passage.text);
    const cut = text.length <= PASSAGE_SHOWN ? text.length : lastCut(text, PASSAGE_SHOWN);
    const shown = cut === text.length ? text : `${text.slice(0, cut === -1 ? PASSAGE_SHOWN : cut)} …`;
    const label = link(placeLabel(passage.source, passage.place), passage.source, passage.place);
    lines.push(`     ${label}  ${style.dim(`“${shown}”`)}`);
  }
  return lines;
}

function evidenceLabel(evidence: readonly AnswerPlaceFields[], link: Hyperlink): string {
  const shown = evidence
    .slice(0, EVIDENCE_SHOWN)
    .map(({ source, place }) => link(placeLabel(source, place), source, place));
  const rest = evidence.length - shown.length;
  return rest > 0 ? `${shown.join(", ")} and ${rest} more` : shown.join(", ");
}

/** The parts that sum to the score, and the n-grams that contributed. */
function explainLines(answer: Answer): string[] {
  const lines: string[] = [];
  if (answer.parts !== undefined) {
    const { dense, ngram, terms, tfidf, vector, reader, bm25, sentence } = answer.parts;
    if (bm25 !== undefined && sentence !== undefined) {
      lines.push(`BM25 ${bm25.toFixed(2)} + sentence ${sentence.toFixed(2)} = ${answer.score.toFixed(2)}`);
      return lines;
    }
    const first = dense < 0 ? `dense −${Math.abs(dense).toFixed(2)}` : `dense ${dense.toFixed(2)}`;
    const sum = [first, part("n-grams", ngram), part("terms", terms), part("tf-idf", tfidf), part("vector", vector)];
    if (reader !== undefined) sum.push(part("reader", reader));
    lines.push(`${sum.join(" ")} = ${answer.score.toFixed(2)}`);
  }
  if (answer.ngrams !== undefined && answer.ngrams.length > 0) {
    const shown = answer.ngrams.slice(0, NGRAMS_SHOWN);
    lines.push(`n-grams: ${shown.map((n) => `${plain(n.text)} ${n.weight.toFixed(2)} (${n.side})`).join(", ")}`);
  }
  return lines;
}

function part(name: string, value: number): string {
  return `${value < 0 ? "−" : "+"} ${name} ${Math.abs(value).toFixed(2)}`;
}

function widest(texts: readonly string[], limit: number): number {
  return Math.min(limit, Math.max(...texts.map((text) => [...text].length)));
}
