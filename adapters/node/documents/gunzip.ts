/** Gzip as a stream, with a limit on the inflated bytes. */

import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { ReadLimits } from "./limits.js";
import { formatBytes, unreadable } from "./skip.js";

const NO_ERROR = () => {};

/**
 * Inflates gzip data (one member or several, one after another).
 * @throws VerbatimError `unreadable-document` for data that is cut off, damaged, or a bomb (see ReadLimits)
 */
export async function* gunzip(packed: AsyncIterable<Uint8Array>, limits: ReadLimits): AsyncGenerator<Uint8Array> {
  let bytesIn = 0;
  let bytesOut = 0;
  let sourceError: unknown;
  async function* counted() {
    try {
      for await (const part of packed) {
        bytesIn += part.length;
        yield part;
      }
    } catch (error) {
      sourceError = error;
      throw error;
    }
  }
  const inflated = createGunzip();
  // The loop below throws the error; without a callback, pipeline would not destroy both ends.
  pipeline(Readable.from(counted(), { objectMode: true, highWaterMark: 1 }), inflated, NO_ERROR);
  try {
    for await (const part of inflated as AsyncIterable<Uint8Array>) {
      bytesOut += part.length;
      if (bytesOut > limits.inflateRatioFromBytes && bytesOut > bytesIn * limits.maxInflateRatio) {
        throw unreadable(
          `looks like a gzip bomb (more than ${limits.maxInflateRatio} times its size)`,
          "Leave it out, or unpack it yourself and index the result.",
        );
      }
      if (bytesOut > limits.maxInflatedBytes) {
        throw unreadable(
          `unpacks to more than ${formatBytes(limits.maxInflatedBytes)}`,
          "Split it, or raise the limit.",
        );
      }
      yield part;
    }
  } catch (error) {
    if (sourceError !== undefined) throw sourceError;
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "Z_BUF_ERROR") {
      throw unreadable("is a gzip file that was cut off", "Fetch or pack it again.", error);
    }
    if (code?.startsWith("Z_")) throw unreadable("is a damaged gzip file", "Fetch or pack it again.", error);
    throw error;
  }
}
