/** Our dense stage on the rows of an index, and the files from which peers build theirs. */

import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TopRows } from "../../src/kernel/kernel.js";
import { rowBytesOf, unpackNibbles } from "../../src/vectors/nibbles.js";
import { type DenseRows, probing } from "./dense-rows.js";
import { percentile } from "./results.js";

/** Shares of the rows that are scanned, if none are given. */
export const SHARES: readonly number[] = [0.015625, 0.03125, 0.046875, 0.0625, 0.125];

/** Bytes of a row's number in a list. */
const NUMBER_BYTES = 4;

export interface DenseLine {
  engine: string;
  /** Share of the rows that the inverted lists scan. */
  share?: number;
  setting?: string;
  bytesARow: number;
  msP50: number;
  /** Share of the k best rows by an exact scan. */
  recall: number;
}

/** A scan of all rows and of the nearest lists, one thread, after ten questions of warm-up each. */
export function measureDenseRows(opened: DenseRows, k: number, shares = SHARES): DenseLine[] {
  const { parts, dimensions, queries, session, snapshot } = opened;
  const rowBytes = Math.max(...snapshot.segments.map(({ coarseBits }) => rowBytesOf(dimensions, coarseBits)));
  const best = queries.map((query) => new Set(session.kernel.scanTopK(parts, query, k).rows));
  const measure = (share?: number): Pick<DenseLine, "msP50" | "recall"> => {
    const scan = (query: Int16Array): TopRows =>
      session.kernel.scanTopK(share === undefined ? parts : probing(opened, query, share), query, k);
    for (const query of queries.slice(0, 10)) scan(query);
    const times: number[] = [];
    let found = 0;
    for (const [n, query] of queries.entries()) {
      const began = performance.now();
      const top = scan(query);
      times.push(performance.now() - began);
      found += top.rows.filter((row) => best[n]!.has(row)).length;
    }
    times.sort((a, b) => a - b);
    return { msP50: percentile(times, 0.5), recall: found / (queries.length * k) };
  };
  return [
    { engine: "verbatim, all rows", bytesARow: rowBytes, ...measure() },
    ...shares.map((share) => ({
      engine: "verbatim, lists",
      share,
      setting: `${(100 * share).toFixed(1)} % of the rows`,
      bytesARow: rowBytes + NUMBER_BYTES,
      ...measure(share),
    })),
  ];
}

const joined = (lists: ReadonlyArray<Int16Array | Uint32Array>): Buffer =>
  Buffer.concat(lists.map((list) => Buffer.from(list.buffer, list.byteOffset, list.byteLength)));

/** Writes the files that peers read: rows.i8 (decoded), queries.i16, and best.u32 by an exact scan. */
export async function writeDenseRows(folder: string, opened: DenseRows, k: number): Promise<void> {
  const { snapshot, parts, queries, session, dimensions } = opened;
  const file = createWriteStream(join(folder, "rows.i8"));
  for (const segment of snapshot.segments) {
    const write = (some: Uint8Array): boolean =>
      file.write(unpackNibbles(some, dimensions, segment.coarseBits).slice());
    await segment.readCoarse((_, some) => void write(some));
  }
  file.end();
  await once(file, "close");
  const best = queries.map((query) => session.kernel.scanTopK(parts, query, k).rows);
  await writeFile(join(folder, "queries.i16"), joined(queries));
  await writeFile(join(folder, "best.u32"), joined(best));
}
