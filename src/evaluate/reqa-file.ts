import { arrayAt, objectAt, shapeError, stringAt } from "./json-shape.js";

/** A ReQA task: questions, sentences, and which sentences answer which question. */
export interface ReqaFile {
  questions: string[];
  candidates: string[];
  /**
   * Right candidates by question, ascending. A repeated question has the answers of both, and every
   * copy of a right sentence is right, so that the best rank counts.
   */
  right: number[][];
}

/**
 * @param json  `{questions: [text…], candidates: [text…], ground_truths: [[candidate…]…]}`
 * @throws VerbatimError `unreadable-document` naming the place
 */
export function parseReqa(json: unknown, where = "the file"): ReqaFile {
  const file = objectAt(json, where);
  const texts = (key: string): string[] =>
    arrayAt(file[key], `${where} ${key}`).map((text, n) => stringAt(text, `${where} ${key}[${n}]`));
  const questions = texts("questions");
  const candidates = texts("candidates");
  const truths = arrayAt(file.ground_truths, `${where} ground_truths`).map((entry, q) =>
    arrayAt(entry, `${where} ground_truths[${q}]`).map((candidate, n) => {
      if (typeof candidate === "number" && candidates[candidate] !== undefined) return candidate;
      throw shapeError(
        `${where} ground_truths[${q}][${n}]`,
        `the number of one of the ${candidates.length} candidates`,
        candidate,
      );
    }),
  );
  if (truths.length !== questions.length) {
    throw shapeError(
      `${where} ground_truths`,
      `a list of ${questions.length} entries, one per question`,
      truths.length,
    );
  }
  return { questions, candidates, right: mergeRepeats(questions, candidates, truths) };
}

/** Every copy of a right sentence is right, for every copy of its question. */
export function mergeRepeats(questions: string[], candidates: string[], truths: number[][]): number[][] {
  const copies = groupByText(candidates);
  const rightByText = new Map<string, Set<number>>();
  for (const [q, question] of questions.entries()) {
    const right = rightByText.get(question) ?? new Set<number>();
    rightByText.set(question, right);
    for (const candidate of truths[q]!) for (const copy of copies.get(candidates[candidate]!)!) right.add(copy);
  }
  const sorted = new Map(Array.from(rightByText, ([text, right]) => [text, Array.from(right).sort((a, b) => a - b)]));
  return questions.map((question) => sorted.get(question)!);
}

function groupByText(texts: string[]): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const [n, text] of texts.entries()) {
    const group = groups.get(text);
    if (group) group.push(n);
    else groups.set(text, [n]);
  }
  return groups;
}
