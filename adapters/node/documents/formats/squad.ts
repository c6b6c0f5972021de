/** SQuAD JSON (1.1 and 2.0): each paragraph is one document, its context unchanged. */

import type { Document } from "../../../../src/types.js";
import { decodeText, wellFormed } from "../decode.js";
import type { ReadContext } from "../input.js";
import type { ReadLimits } from "../limits.js";
import { unreadable, unsupported } from "../skip.js";
import { jsonProblem, parseJson } from "./json-problem.js";
import { RecordSkips, SeenIds } from "./records.js";

/**
 * @throws VerbatimError `unreadable-document` for broken JSON, `unsupported-document` for JSON of another form
 */
export function readSquad(bytes: Uint8Array, context: ReadContext): Document[] {
  const { text } = decodeText(bytes);
  assertWithinLimits(text, context.limits);
  let root: unknown;
  try {
    root = parseJson(text);
  } catch (error) {
    throw unreadable("is not valid JSON", "If it has one object per line, use --format jsonl.", error);
  }
  const articles = articlesOf(root);
  if (articles === undefined) {
    throw unsupported("is JSON, but not in the form of SQuAD", "Read it as other JSON with --format json.");
  }
  return documentsOf(articles, context);
}

/**
 * The documents of a text in the form of SQuAD, or undefined for any other text, valid JSON or not.
 * @throws VerbatimError `unreadable-document` beyond the limits
 */
export function squadDocuments(text: string, context: ReadContext): Document[] | undefined {
  if (!text.includes('"paragraphs"')) return undefined;
  assertWithinLimits(text, context.limits);
  let root: unknown;
  try {
    root = parseJson(text);
  } catch {
    return undefined;
  }
  const articles = articlesOf(root);
  return articles === undefined ? undefined : documentsOf(articles, context);
}

function assertWithinLimits(text: string, limits: ReadLimits): void {
  const problem = jsonProblem(text, limits);
  if (problem !== undefined) throw unreadable(problem, "Split it, or write it as JSON lines.");
}

/** Ids are `<article title>#<number of the paragraph in its article, from 0>`. */
function documentsOf(articles: readonly object[], context: ReadContext): Document[] {
  const documents: Document[] = [];
  const ids = new SeenIds();
  const skips = new RecordSkips(context.skipRecord);
  for (const [articleIndex, article] of articles.entries()) {
    const { title, paragraphs } = article as { title?: unknown; paragraphs?: unknown };
    if (!Array.isArray(paragraphs)) {
      skips.report({ reason: `data[${articleIndex}] has no paragraphs`, code: "unreadable-document" });
      continue;
    }
    const articleTitle = typeof title === "string" ? wellFormed(title) : `${context.name}-${articleIndex}`;
    for (const [index, paragraph] of paragraphs.entries()) {
      const path = `data[${articleIndex}].paragraphs[${index}]`;
      const text = contextOf(paragraph);
      const id = `${articleTitle}#${index}`;
      const problem =
        text === undefined
          ? "has no context"
          : text.trim() === ""
            ? "is empty"
            : ids.add(id)
              ? undefined
              : `repeats the id ${id}`;
      if (text === undefined || problem !== undefined) {
        skips.report({ reason: `${path} ${problem}`, code: "unreadable-document" });
        continue;
      }
      documents.push({
        id,
        title: articleTitle.replaceAll("_", " "),
        text: wellFormed(text),
        source: context.input.path,
        map: { kind: "squad", segments: [{ start: 0, path }] },
      });
    }
  }
  skips.finish();
  return documents;
}

/** The articles of JSON in the form of SQuAD, or undefined. */
function articlesOf(root: unknown): object[] | undefined {
  const data = typeof root === "object" && root !== null ? (root as { data?: unknown }).data : undefined;
  const isArticle = (item: unknown) => typeof item === "object" && item !== null && "paragraphs" in item;
  if (!Array.isArray(data) || !data.some(isArticle)) return undefined;
  return data.map((item: unknown) => (typeof item === "object" && item !== null ? item : {}));
}

function contextOf(paragraph: unknown): string | undefined {
  if (typeof paragraph !== "object" || paragraph === null) return undefined;
  const { context } = paragraph as { context?: unknown };
  return typeof context === "string" ? context : undefined;
}
