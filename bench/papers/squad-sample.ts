/** A part of a SQuAD file in its official layout. */

import { draw } from "../../src/evaluate/draw.js";
import { SEED } from "./figures.js";

interface Question {
  id: string;
}
/** The official layout, of which only the questions are touched. */
export interface SquadJson {
  data: { title: string; split?: string; paragraphs: { context: string; qas: Question[] }[] }[];
}

/** The paragraphs of drawn questions, each with only those questions. */
export function sampleSquad(json: SquadJson, count: number | undefined): SquadJson {
  const all = json.data.flatMap(({ paragraphs }) => paragraphs.flatMap(({ qas }) => qas));
  const kept = new Set(draw(all, count, SEED));
  const data = json.data
    .map(({ paragraphs, ...article }) => ({
      ...article,
      paragraphs: paragraphs
        .map(({ qas, ...paragraph }) => ({ ...paragraph, qas: qas.filter((question) => kept.has(question)) }))
        .filter(({ qas }) => qas.length > 0),
    }))
    .filter(({ paragraphs }) => paragraphs.length > 0);
  return { ...json, data };
}

export function countSquad({ data }: SquadJson): { paragraphs: number; questions: number } {
  const paragraphs = data.flatMap((article) => article.paragraphs);
  return { paragraphs: paragraphs.length, questions: paragraphs.flatMap(({ qas }) => qas).length };
}
