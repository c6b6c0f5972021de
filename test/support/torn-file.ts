/** What a crash leaves of a file that was not synced. */

import type { Random } from "./random.js";

/** What a sector that was being written may hold after a crash: it is kept or lost as a whole. */
const SECTOR = 512;

/** Bytes and how many of them are safe. */
export interface File {
  bytes: Uint8Array;
  length: number;
  synced: number;
}

/**
 * A file's bytes after a crash: all that was synced; of the rest some prefix, in which any sector may be zeros or
 * rubbish.
 */
export function survives(file: File, random: Random): Uint8Array {
  const length = random.whole(file.synced, file.length);
  const bytes = file.bytes.slice(0, length);
  for (let from = file.synced; from < length; from = (Math.floor(from / SECTOR) + 1) * SECTOR) {
    const fate = random.next();
    const to = Math.min(length, (Math.floor(from / SECTOR) + 1) * SECTOR);
    if (fate < 0.25) bytes.fill(0, from, to);
    else if (fate < 0.35) for (let i = from; i < to; i++) bytes[i] = random.whole(0, 255);
  }
  return bytes;
}
