/** The passage vectors of an index, and questions, for the benches of vector search. */

import { readFile } from "node:fs/promises";
import { openEncoder } from "../../adapters/node/models/encoder/encoder.js";
import { type OpenSearcher, openSearcher } from "../../adapters/node/open-searcher.js";
import { draw } from "../../src/evaluate/draw.js";
import { parseOpenQuestions } from "../../src/evaluate/open-questions.js";
import { prepareQuestion } from "../../src/search/prepare.js";

export interface DenseRows extends OpenSearcher {
  rows: number;
  dimensions: number;
  /** One int16 [dimensions] per question. */
  queries: Int16Array[];
}

/** @param from.count  number of questions drawn from the file with seed 1 */
export async function openDenseRows(from: {
  index: string;
  questions: string;
  count: number;
  model: string | undefined;
}): Promise<DenseRows> {
  const encoder = await openEncoder({ modelFolder: from.model, threads: 1 });
  const { vector: dimensions } = encoder.info;
  if (dimensions === 0) throw new Error("The model has no passage vectors: training/passage_vectors.py");
  const opened = await openSearcher(from.index, encoder);
  const { searcher } = opened;
  await searcher.warmUp();
  const all = parseOpenQuestions(await readFile(from.questions, "utf8"), from.questions);
  const queries: Int16Array[] = [];
  for (const { question } of draw(all, from.count, 1)) {
    queries.push(prepareQuestion(await encoder.encodeQuestion(question), searcher).vector.values.slice());
  }
  await encoder.close();
  return { ...opened, rows: searcher.numbering.firstPassages.at(-1)!, dimensions, queries };
}
