/** Inflating without trusting the bytes: never more memory than was promised. */

import { inflateSync } from "fflate";
import type { Inflate } from "../ports.js";
import { corrupt } from "./corrupt.js";

/** No stretch of DEFLATE grows by more (RFC 1951: 258 bytes from 2 bits); bounds what is allocated for a map. */
export const MOST_INFLATION = 1032;

/** Where there is no runtime's own: slow for the first few. */
const plainInflate: Inflate = (bytes, most) => inflateSync(bytes, { out: new Uint8Array(most) });

/**
 * Raw DEFLATE to exactly `length` bytes; hardly more is ever allocated.
 * @param by  the runtime's, of the file that the bytes are of
 * @throws VerbatimError `corrupt-segment`
 */
export function inflate(
  bytes: Uint8Array,
  length: number,
  { where, by = plainInflate }: { where: string; by?: Inflate | undefined },
): Uint8Array {
  let out: Uint8Array;
  try {
    out = by(bytes, length + 1); // one more: tells "just right" from "too long"
  } catch (cause) {
    throw corrupt(where, `it cannot be inflated (${cause instanceof Error ? cause.message : cause})`);
  }
  if (out.length !== length)
    throw corrupt(where, "it inflates to another length", { found: out.length, expected: length });
  return out;
}
