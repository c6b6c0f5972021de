/** Bytes of one input, in order, read once: peeked at, held whole, or streamed; and the check that the file stood still. */

import { type FileHandle, open, stat } from "node:fs/promises";
import { throwIfAborted } from "../../../src/errors.js";
import type { InputFile } from "./input.js";
import { formatBytes, unreadable } from "./skip.js";

const READ_BYTES = 256 * 1024;

/** A stream whose first bytes are known before it is read. `bytes()` gives all of it, the head included, once. */
export interface PeekedStream {
  head: Uint8Array;
  bytes(): AsyncGenerator<Uint8Array>;
  /** Lets go of the stream when `bytes()` was not read to its end. */
  close(): Promise<void>;
}

/** Reads at least `headBytes` (or all) of a stream ahead. A fault of the stream comes where it belongs, after the bytes before it. */
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
      // What came before the fault can still be read; the fault follows it.
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
 * @param options.expectedBytes  a guess of the length that saves copying when right
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

export interface OpenInput {
  /** Bytes when opened; undefined for standard input. */
  size: number | undefined;
  stream: AsyncGenerator<Uint8Array>;
  /** @throws VerbatimError `unreadable-document` when the file is another one, or has another size or time, than when opened */
  assertUnchanged(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a file or standard input.
 * @param options.onProgress  bytes read so far, after each read
 */
export async function openInput(
  input: InputFile,
  options: { signal?: AbortSignal; stdin?: AsyncIterable<Uint8Array>; onProgress?: (bytesRead: number) => void },
): Promise<OpenInput> {
  if (input.absolutePath === "-") {
    const stream = standardInput(options.stdin ?? process.stdin, options);
    return {
      size: undefined,
      stream,
      assertUnchanged: async () => {},
      close: async () => void (await stream.return(undefined)),
    };
  }
  const file = await open(input.absolutePath, "r");
  try {
    const before = await file.stat();
    if (!before.isFile()) throw unreadable("is not a regular file", "Pipe its content in: … | verbatim index -");
    const assertUnchanged = async () => {
      const after = await stat(input.absolutePath).catch(() => undefined);
      if (after === undefined) {
        throw unreadable("vanished while it was read", "Run again when the folder is at rest.");
      }
      if (after.ino !== before.ino || after.size !== before.size || after.mtimeMs !== before.mtimeMs) {
        throw unreadable("changed while it was read", "Run again.");
      }
    };
    return { size: before.size, stream: fileBytes(file, options), assertUnchanged, close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function* fileBytes(
  file: FileHandle,
  options: { signal?: AbortSignal; onProgress?: (bytesRead: number) => void },
): AsyncGenerator<Uint8Array> {
  let position = 0;
  for (;;) {
    throwIfAborted(options.signal);
    const { bytesRead, buffer } = await file.read(new Uint8Array(READ_BYTES), 0, READ_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    options.onProgress?.(position);
    yield bytesRead === READ_BYTES ? buffer : buffer.slice(0, bytesRead);
  }
}

async function* standardInput(
  stream: AsyncIterable<Uint8Array>,
  options: { signal?: AbortSignal; onProgress?: (bytesRead: number) => void },
): AsyncGenerator<Uint8Array> {
  const { signal } = options;
  const iterator = stream[Symbol.asyncIterator]();
  let bytesRead = 0;
  // A pipe may stay silent for ever: the signal must win over a read that never comes.
  let stop = () => {};
  const stopped = new Promise<undefined>((resolve) => {
    stop = () => resolve(undefined);
  });
  signal?.addEventListener("abort", stop, { once: true });
  try {
    for (;;) {
      throwIfAborted(signal);
      const next = await Promise.race([iterator.next(), stopped]);
      if (next === undefined) continue;
      if (next.done) return;
      bytesRead += next.value.length;
      options.onProgress?.(bytesRead);
      yield next.value;
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    if (!signal?.aborted) await iterator.return?.();
  }
}
