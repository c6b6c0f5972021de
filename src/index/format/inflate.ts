/** Inflates untrusted bytes without ever allocating more than the caller allows. */

import { inflateSync } from "fflate";
import type { Inflate } from "../ports.js";
import { corrupt } from "./corrupt.js";

/**
 * The largest expansion of DEFLATE (RFC 1951: 258 bytes from 2 bits); bounds what is allocated for
 * a map.
 */
export const MAX_INFLATION = 1032;

/** Used if the runtime has no inflate of its own; slow for the first calls. */
const plainInflate: Inflate = (bytes, most) => inflateSync(bytes, { out: new Uint8Array(most) });

/**
 * Raw DEFLATE to exactly `length` bytes; allocates hardly more.
 * @param by  the runtime's inflate, from the source of the bytes
 * @throws VerbatimError `corrupt-segment`
 */
export function inflate(
  bytes: Uint8Array,
  length: number,
  { where, by = plainInflate }: { where: string; by?: Inflate | undefined },
): Uint8Array {
  let out: Uint8Array;
  try {
    out = by(bytes, length + 1); // one more byte shows that the data is too long
  } catch (cause) {
    throw corrupt(where, `it cannot be inflated (${cause instanceof Error ? cause.message : cause})`);
  }
  if (out.length !== length)
    throw corrupt(where, "it inflates to another length", { found: out.length, expected: length });
  return out;
}
