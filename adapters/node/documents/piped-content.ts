/** Content that does not come from a file, read so that a signal ends the wait for it. */

import { throwIfAborted } from "../../../src/errors.js";

/** Maximum number of bytes passed on at once. */
const PIECE_BYTES = 256 * 1024;

/**
 * The bytes in pieces of at most 256 KiB.
 * @throws VerbatimError `aborted` as soon as the signal fires, even if the source stays silent
 */
export async function* abortableBytes(
  content: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const iterator = content[Symbol.asyncIterator]();
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
      for (let at = 0; at < next.value.length; at += PIECE_BYTES) yield next.value.subarray(at, at + PIECE_BYTES);
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    if (!signal?.aborted) await iterator.return?.();
  }
}
