import { splitSentences } from "../text/sentences.js";
import { mergeRepeats, type ReqaFile } from "./reqa-file.js";
import type { SquadFile } from "./squad-file.js";

interface SquadSentences extends ReqaFile {
  /** Questions without an answer that is within one sentence; they are left out. */
  dropped: number;
}

/**
 * A sentence retrieval task from questions about paragraphs (SPARTA §4, after ReQA): every sentence of every paragraph
 * is a candidate, and a question's right candidates are the sentences that contain one of its answers, at the
 * place where the data set has it.
 */
export function reqaFromSquad({ articles }: SquadFile): SquadSentences {
  const candidates: string[] = [];
  const questions: string[] = [];
  const truths: number[][] = [];
  let dropped = 0;
  for (const { context, questions: asked } of articles.flatMap(({ paragraphs }) => paragraphs)) {
    const sentences = splitSentences(context);
    const first = candidates.length;
    for (const { start, end } of sentences) candidates.push(context.slice(start, end));
    for (const { question, answers } of asked) {
      const right = new Set<number>();
      for (const { text, start } of answers) {
        const at =
          start === undefined ? -1 : sentences.findIndex((s) => s.start <= start && start + text.length <= s.end);
        if (at >= 0) right.add(first + at);
      }
      if (right.size === 0) dropped++;
      else {
        questions.push(question);
        truths.push([...right].sort((a, b) => a - b));
      }
    }
  }
  return { questions, candidates, right: mergeRepeats(questions, candidates, truths), dropped };
}
