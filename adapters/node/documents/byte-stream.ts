/** Bytes of one input, in order, read once: peeked at, held whole, or streamed. */

import { open } from "node:fs/promises";
import { formatBytes, unreadable } from "./skip.js";

const READ_BYTES = 256 * 1024;
const FILE_HEAD_BYTES = 4096;

/** The first 4 KiB of a file as Latin-1, to look for words in ASCII. */
export async function fileHead(path: string): Promise<string> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(FILE_HEAD_BYTES), 0, FILE_HEAD_BYTES, 0);
    return buffer.toString("latin1", 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** A stream whose first bytes are known before it is read. `bytes()` gives all of it, the head included, once. */
export interface PeekedStream {
  head: Uint8Array;
  bytes(): AsyncGenerator<Uint8Array>;
  /** Closes the stream if `bytes()` was not read to its end. */
  close(): Promise<void>;
}

/**
 * Reads at least `headBytes` (or all) of a stream ahead. An error of the stream is thrown after the bytes before it.
 */
export async function peek(stream: AsyncIterable<Uint8Array>, headBytes: number): Promise<PeekedStream> {
  const iterator = stream[Symbol.asyncIterator]();
  const ahead: Uint8Array[] = [];
  let length = 0;
  let ended = false;
  let failure: { error: unknown } | undefined;
  while (length < headBytes && !ended) {
    try {
      const next = await iterator.next();
      if (next.done) ended = true;
      else {
        ahead.push(next.value);
        length += next.value.length;
      }
    } catch (error) {
      if (length === 0) throw error;
      failure = { error };
      ended = true;
    }
  }
  const head = ahead.length === 1 ? ahead[0]! : Buffer.concat(ahead, length);
  const close = async () => {
    if (!ended) await iterator.return?.();
    ended = true;
  };
  async function* bytes(): AsyncGenerator<Uint8Array> {
    try {
      if (head.length > 0) yield head;
      ahead.length = 0;
      if (failure !== undefined) throw failure.error;
      while (!ended) {
        const next = await iterator.next();
        if (next.done) ended = true;
        else yield next.value;
      }
    } finally {
      await close();
    }
  }
  return { head: head.subarray(0, Math.max(headBytes, 0)), bytes, close };
}

/**
 * All bytes of a stream in a buffer of their own.
 * @param options.expectedBytes  the probable length; a correct one saves copying
 * @throws VerbatimError `unreadable-document` as soon as there are more than `maxBytes`
 */
export async function collect(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
  options: { expectedBytes?: number } = {},
): Promise<Uint8Array> {
  let whole = new Uint8Array(Math.min(options.expectedBytes ?? READ_BYTES, maxBytes));
  let length = 0;
  for await (const part of stream) {
    const end = length + part.length;
    if (end > maxBytes) throw tooLarge(maxBytes);
    if (end > whole.length) {
      const larger = new Uint8Array(Math.min(Math.max(end, whole.length * 2), maxBytes));
      larger.set(whole.subarray(0, length));
      whole = larger;
    }
    whole.set(part, length);
    length = end;
  }
  return length === whole.length ? whole : whole.slice(0, length);
}

export function tooLarge(maxBytes: number): Error {
  return unreadable(`is larger than ${formatBytes(maxBytes)}`, "Split it, or raise the limit.");
}
