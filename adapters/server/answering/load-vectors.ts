/** Passage vectors in memory that all answering threads share. */

import type { OpenSnapshot } from "../../../src/index/open-snapshot.js";
import type { OpenSegment } from "../../../src/index/segment/segment-reader.js";
import { createSharedRows, type SharedRows, setSharedRows } from "../../../src/kernel/shared-rows.js";
import type { SharedVectors } from "./answering-service.js";

/**
 * The vectors of a version's segments. One that cannot be loaded is left out: the threads then load it themselves,
 * and questions report what is wrong with it.
 * @param known  of the version before; its segments are not read again
 */
export async function loadVectors(snapshot: OpenSnapshot, known: SharedVectors): Promise<SharedVectors> {
  const all = new Map<string, SharedRows>();
  for (const segment of snapshot.segments) {
    const key = segment.files.vectorsKey;
    if (key === undefined) continue;
    const rows = known.get(key) ?? (await read(segment, snapshot.vector));
    if (rows !== undefined) all.set(key, rows);
  }
  return all;
}

async function read(segment: OpenSegment, dim: number): Promise<SharedRows | undefined> {
  const shared = dim > 0 ? createSharedRows(segment.passageCount, dim) : undefined;
  if (shared === undefined) return undefined;
  try {
    await segment.readVectors((firstPassage, rows) => setSharedRows(shared, firstPassage, rows));
    return shared;
  } catch {
    return undefined;
  }
}
