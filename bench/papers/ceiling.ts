/** How many questions have an answer anywhere in a corpus: no system over it can answer more. */

import { answerWords } from "../../src/evaluate/exact-match.js";
import type { OpenQuestion } from "../../src/evaluate/open-questions.js";

interface Wanted {
  question: number;
  /** Normalised as for exact match. */
  words: string[];
}

/** Looks for the answers of questions in paragraphs of text that are added one by one. */
export class AnswerCeiling {
  readonly found: boolean[];
  readonly #byFirstWord = new Map<string, Wanted[]>();
  readonly #patterns = new Map<number, (text: string) => boolean>();

  constructor(questions: readonly OpenQuestion[]) {
    this.found = questions.map(() => false);
    for (const [question, { answers, pattern }] of questions.entries()) {
      if (pattern !== undefined) this.#patterns.set(question, (text) => pattern.matchesAnywhere(text));
      for (const words of answers.map(answerWords)) {
        const [first] = words;
        if (first === undefined) continue;
        const wanted = this.#byFirstWord.get(first);
        if (wanted === undefined) this.#byFirstWord.set(first, [{ question, words }]);
        else wanted.push({ question, words });
      }
    }
  }

  /** An answer counts if it is within one paragraph (a line) of the text. O(words) */
  add(text: string): void {
    for (const line of text.split("\n")) {
      this.#addWords(answerWords(line));
      for (const [question, matches] of this.#patterns) {
        if (!matches(line)) continue;
        this.found[question] = true;
        this.#patterns.delete(question);
      }
    }
  }

  #addWords(words: readonly string[]): void {
    for (let at = 0; at < words.length; at++) {
      const wanted = this.#byFirstWord.get(words[at]!);
      if (wanted === undefined) continue;
      for (const { question, words: answer } of wanted) {
        if (answer.every((word, n) => words[at + n] === word)) this.found[question] = true;
      }
    }
  }
}
