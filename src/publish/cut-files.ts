/**
 * Cuts files into chunks of one size, with a checksum for every block. Browsers read them by Range
 * or by chunk (docs/browser.md).
 */

import { throwIfAborted } from "../errors.js";
import { ByteWriter } from "../index/format/bytes.js";
import { crc32c } from "../index/format/crc32c.js";
import { readExactly } from "../index/format/section.js";
import type { ByteSource } from "../index/ports.js";
import { type PutBlob, packJson } from "./blob.js";
import type { FileTable, SiteFile } from "./site-manifest.js";

/** The record of a passage takes one or two blocks; each has a checksum of 4 bytes. */
const BLOCK_BYTES = 8192;

export interface FileToCut {
  name: string;
  /** A multiple of BLOCK_BYTES. */
  chunkBytes: number;
  open(): Promise<ByteSource>;
}

interface CutFiles {
  /** Name of the file table's blob. */
  name: string;
  /** Size of all chunks, the checksums and the table. */
  bytes: number;
  /** @returns the size of the files whose names start with `prefix` */
  bytesBelow(prefix: string): number;
}

export async function cutFiles(
  files: readonly FileToCut[],
  { put, signal }: { put: PutBlob; signal?: AbortSignal },
): Promise<CutFiles> {
  const crcs = new ByteWriter(1 << 16);
  const table: SiteFile[] = [];
  for (const { name, chunkBytes, open } of files) {
    const source = await open();
    try {
      const bytes = await source.size();
      const chunks: string[] = [];
      for (let at = 0; at < bytes; at += chunkBytes) {
        throwIfAborted(signal);
        const length = Math.min(chunkBytes, bytes - at);
        const chunk = await readExactly(source, name, { offset: at, length }, signal);
        for (let block = 0; block < length; block += BLOCK_BYTES) {
          crcs.u32(crc32c(chunk, block, Math.min(length, block + BLOCK_BYTES)));
        }
        chunks.push(await put(chunk));
      }
      table.push({ name, bytes, chunkBytes, chunks });
    } finally {
      await source.close();
    }
  }
  const checksums = crcs.bytes().slice();
  const packed = packJson({ blockBytes: BLOCK_BYTES, crcs: await put(checksums), files: table } satisfies FileTable);
  const bytesBelow = (prefix: string): number =>
    table.reduce((sum, { name, bytes }) => sum + (name.startsWith(prefix) ? bytes : 0), 0);
  return { name: await put(packed), bytes: bytesBelow("") + checksums.length + packed.length, bytesBelow };
}
