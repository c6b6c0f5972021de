/** Inflating without trusting the bytes: never more memory than was promised. */

import { inflateSync } from "fflate";
import { corrupt } from "./corrupt.js";

/** No stretch of DEFLATE grows by more (RFC 1951: 258 bytes from 2 bits); bounds what is allocated for a map. */
export const MOST_INFLATION = 1032;

/**
 * Raw DEFLATE to exactly `length` bytes; no more is ever allocated.
 * @throws VerbatimError `corrupt-segment`
 */
export function inflate(bytes: Uint8Array, length: number, where: string): Uint8Array {
  let out: Uint8Array;
  try {
    out = inflateSync(bytes, { out: new Uint8Array(length + 1) }); // one more: tells "just right" from "too long"
  } catch (cause) {
    throw corrupt(where, `it cannot be inflated (${cause instanceof Error ? cause.message : cause})`);
  }
  if (out.length !== length)
    throw corrupt(where, "it inflates to another length", { found: out.length, expected: length });
  return out;
}
