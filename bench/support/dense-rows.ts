/** The rows that the dense stage scans, and questions, for its benches. */

import { readFile } from "node:fs/promises";
import { openEncoder } from "../../adapters/node/models/encoder/encoder.js";
import { type OpenSession, openSession } from "../../adapters/node/open-session.js";
import { draw } from "../../src/evaluate/draw.js";
import { parseOpenQuestions } from "../../src/evaluate/open-questions.js";
import type { ScanPart } from "../../src/kernel/kernel.js";
import { listsToProbe } from "../../src/kernel/nprobe.js";
import { prepareQuestion } from "../../src/search/prepare.js";
import { type Centroids, centroidsFrom } from "../../src/vectors/centroids.js";

export interface DenseRows extends OpenSession {
  /** All rows, in the inverted lists of the files. */
  parts: ScanPart[];
  rows: number;
  dimensions: number;
  centroids: Centroids;
  /** One int16 [dimensions] per question. */
  queries: Int16Array[];
  loadMs: number;
}

/** @param from.count  number of questions drawn from the file with seed 1 */
export async function openDenseRows(from: {
  index: string;
  questions: string;
  count: number;
  model: string | undefined;
}): Promise<DenseRows> {
  const encoder = await openEncoder({ modelFolder: from.model, threads: 1 });
  const { coarse: dimensions, coarseCentroids } = encoder.info;
  if (coarseCentroids === undefined) throw new Error("The model has no centroids: scripts/learn-centroids.ts");
  const opened = await openSession(from.index, encoder, { probedRows: 0 });
  const { session, snapshot } = opened;
  const { firstRows } = session.numbering;
  const parts: ScanPart[] = [];
  const began = performance.now();
  await session.warmUp();
  for (const [number] of snapshot.segments.entries()) {
    const { matrix } = await session.coarseRows(number);
    parts.push({ matrix, firstRow: firstRows[number]! });
  }
  const loadMs = performance.now() - began;
  const all = parseOpenQuestions(await readFile(from.questions, "utf8"), from.questions);
  const queries: Int16Array[] = [];
  for (const { question } of draw(all, from.count, 1)) {
    queries.push(prepareQuestion(await encoder.encodeQuestion(question), session).coarse.slice());
  }
  await encoder.close();
  const centroids = centroidsFrom(coarseCentroids, dimensions);
  return { ...opened, parts, rows: firstRows.at(-1)!, dimensions, centroids, queries, loadMs };
}

/** The lists nearest to the query that together have a share of the rows; a segment without lists is scanned whole. */
export function probing({ session, parts, centroids }: DenseRows, query: Int16Array, share: number): ScanPart[] {
  const order = session.kernel.probeOrder(centroids, query);
  const listed = parts.filter(({ matrix }) => matrix.firsts !== undefined);
  const lists = order.subarray(0, listsToProbe(listed, order, share));
  return parts.map((part) => (part.matrix.firsts === undefined ? part : { ...part, lists }));
}
