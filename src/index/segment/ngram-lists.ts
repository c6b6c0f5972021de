/**
 * Decodes one list of a passage's n-grams (docs/index-format.md §7): completely, or without weights
 * into reused arrays.
 */

import type { NgramRows } from "../../encode/types.js";
import type { ByteReader } from "../format/bytes.js";
import { unpackBits } from "../format/packing.js";

/** The arrays may be longer than the rows need. */
export type NgramPlaces = Pick<NgramRows, "offsets" | "positions">;

/** An input has at most 256 tokens, so a row has no more entries. */
const MAX_COUNT_BITS = 9;

/** Bits of a position in an input of this many tokens. */
export const positionBits = (tokens: number): number => 32 - Math.clz32(Math.max(0, tokens - 1));

/** Arrays that are reused for one list after the other. */
export class PlacesScratch {
  counts = new Uint16Array(256);
  offsets = new Uint32Array(257);
  positions = new Uint8Array(4096);

  forRows(rows: number): { counts: Uint16Array; offsets: Uint32Array } {
    if (this.offsets.length <= rows) {
      this.counts = new Uint16Array(rows);
      this.offsets = new Uint32Array(rows + 1);
    }
    return { counts: this.counts.subarray(0, rows), offsets: this.offsets };
  }

  forPositions(count: number): Uint8Array {
    if (this.positions.length < count) this.positions = new Uint8Array(count);
    return this.positions.subarray(0, count);
  }
}

/** Allocates new arrays for each list. */
const fresh = {
  forRows: (rows: number) => ({ counts: new Uint16Array(rows), offsets: new Uint32Array(rows + 1) }),
  forPositions: (count: number) => new Uint8Array(count),
};

export function unpackNgrams(
  reader: ByteReader,
  rows: number,
  { tokens, step }: { tokens: number; step: number },
): NgramRows {
  const { offsets, positions, weightBits } = unpackPlaces(reader, rows, { tokens, scratch: fresh });
  const weights = new Uint8Array(positions.length);
  unpackBits(reader, weights, weightBits);
  if (step > 1) for (let i = 0; i < weights.length; i++) weights[i] = Math.min(255, weights[i]! * step);
  return { offsets, positions, weights };
}

export function unpackOutline(
  reader: ByteReader,
  rows: number,
  options: { tokens: number; scratch: PlacesScratch },
): NgramPlaces {
  const { offsets, positions, weightBits } = unpackPlaces(reader, rows, options);
  reader.raw(Math.ceil((positions.length * weightBits) / 8));
  return { offsets, positions };
}

function unpackPlaces(
  reader: ByteReader,
  rows: number,
  { tokens, scratch }: { tokens: number; scratch: Pick<PlacesScratch, "forRows" | "forPositions"> },
): NgramPlaces & { weightBits: number } {
  const header = reader.u8();
  const countBits = header & 15;
  const weightBits = header >> 4;
  if (countBits > MAX_COUNT_BITS || weightBits > 8) throw reader.damaged("a list with invalid widths");
  const { counts, offsets } = scratch.forRows(rows);
  unpackBits(reader, counts, countBits);
  for (let row = 0; row < rows; row++) offsets[row + 1] = offsets[row]! + counts[row]!;
  const total = offsets[rows]!;
  const width = positionBits(tokens);
  if ((total * width) / 8 > reader.left) throw reader.damaged(`${total} entries`); // before anything is allocated
  const positions = scratch.forPositions(total);
  unpackBits(reader, positions, width);
  return { offsets, positions, weightBits };
}
