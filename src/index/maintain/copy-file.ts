/** Copies an open file to a new name, piece by piece. */

import { readExactly } from "../format/section.js";
import type { ByteSource, Storage } from "../ports.js";

const COPY_BYTES = 1024 * 1024;

/**
 * The copy is synced when the promise resolves; its name is durable after `syncDirectory`. After an
 * error a part of it may exist.
 */
export async function copyFile(
  from: ByteSource,
  target: Storage,
  options: {
    /** Name of `from`, for errors. */
    name: string;
    as: string;
    size: number;
    signal?: AbortSignal;
    onBytes?: (bytes: number) => void;
  },
): Promise<void> {
  const { name, as, size, signal, onBytes } = options;
  const to = await target.create(as);
  try {
    for (let offset = 0; offset < size; offset += COPY_BYTES) {
      const length = Math.min(COPY_BYTES, size - offset);
      await to.append(await readExactly(from, name, { offset, length }, signal));
      onBytes?.(length);
    }
    await to.sync();
  } finally {
    await to.close();
  }
}
