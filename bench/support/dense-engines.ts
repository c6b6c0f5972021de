/** Our scan of the passage vectors of an index, and the files from which peers build theirs. */

import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { percentile } from "../../src/evaluate/percentile.js";
import { TopK } from "../../src/vectors/topk.js";
import type { DenseRows } from "./dense-rows.js";

export interface DenseLine {
  engine: string;
  setting?: string;
  bytesPerRow: number;
  msP50: number;
  /** Share of the k best rows by an exact scan. */
  recall: number;
}

/** The numbers of the k best vectors, as dense-first chooses them. */
async function best({ searcher }: DenseRows, query: Int16Array, k: number): Promise<Uint32Array> {
  const { kernel, matrices, firstPassages } = await searcher.vectors.loaded();
  const top = new TopK(Math.min(k, firstPassages.at(-1)!));
  let worst = Number.NEGATIVE_INFINITY;
  for (const [segment, matrix] of matrices.entries()) {
    if (matrix === undefined) continue;
    const dots = new Int32Array(matrix.rows);
    kernel.matrixDots(matrix, query, dots);
    for (let row = 0; row < dots.length; row++) {
      if (!(dots[row]! > worst)) continue;
      top.offer(firstPassages[segment]! + row, dots[row]!);
      worst = top.worst;
    }
  }
  return top.sorted().ids;
}

/** The scan of all vectors, one thread, after ten questions of warm-up. It is exact. */
export async function measureDenseRows(opened: DenseRows, k: number): Promise<DenseLine> {
  const { queries, dimensions } = opened;
  for (const query of queries.slice(0, 10)) await best(opened, query, k);
  const times: number[] = [];
  for (const query of queries) {
    const began = performance.now();
    await best(opened, query, k);
    times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  return { engine: "verbatim, all vectors", bytesPerRow: dimensions, msP50: percentile(times, 0.5), recall: 1 };
}

const joined = (lists: ReadonlyArray<Int16Array | Uint32Array>): Buffer =>
  Buffer.concat(lists.map((list) => Buffer.from(list.buffer, list.byteOffset, list.byteLength)));

/** Writes the files that peers read: rows.i8, queries.i16, and best.u32 by an exact scan. */
export async function writeDenseRows(folder: string, opened: DenseRows, k: number): Promise<void> {
  const { snapshot, queries } = opened;
  const file = createWriteStream(join(folder, "rows.i8"));
  for (const segment of snapshot.segments) await segment.readVectors((_, rows) => void file.write(rows.slice()));
  file.end();
  await once(file, "close");
  const lists: Uint32Array[] = [];
  for (const query of queries) lists.push(await best(opened, query, k));
  await writeFile(join(folder, "queries.i16"), joined(queries));
  await writeFile(join(folder, "best.u32"), joined(lists));
}
