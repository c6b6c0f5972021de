/**
 * An index file on a static host, read block by block: by Range within its chunks, or by whole
 * chunks where the host does not support Range or breaks it (compression). The CRC32C of every
 * block is checked. One set of chunks serves both kinds of hosts.
 */

import { throwIfAborted, VerbatimError } from "../../src/errors.js";
import { crc32c } from "../../src/index/format/crc32c.js";
import type { ByteSource } from "../../src/index/ports.js";
import type { SiteFile } from "../../src/publish/site-manifest.js";
import type { Lru } from "../../src/search/lru.js";
import type { SiteBlobs } from "./site-blobs.js";

/**
 * Gaps of at most this many blocks between two wanted ones are fetched too: that costs less than
 * another request.
 */
const GAP_BLOCKS = 4;

/** Shared by all files of a site. */
export interface BlockReading {
  blobs: SiteBlobs;
  blockBytes: number;
  /** Recently used blocks of all files. */
  memory: Lru<string, Uint8Array>;
  /**
   * Set once the host has shown that it does not support Range: from then on whole chunks are
   * fetched.
   */
  wholeChunks: boolean;
}

export class BlockSource implements ByteSource {
  readonly #file: SiteFile;
  readonly #crcs: Uint32Array;
  readonly #reading: BlockReading;
  /** Blocks that are being fetched. */
  readonly #underWay = new Map<number, Promise<Uint8Array>>();
  /** Blocks requested in this turn of the event loop, to be fetched together. */
  #wanted = new Map<number, (bytes: Promise<Uint8Array>) => void>();

  /** @param crcs  CRC32C of each block of this file */
  constructor(file: SiteFile, crcs: Uint32Array, reading: BlockReading) {
    this.#file = file;
    this.#crcs = crcs;
    this.#reading = reading;
  }

  async size(): Promise<number> {
    return this.#file.bytes;
  }

  /** @throws VerbatimError `io-error`, `corrupt-segment`, `aborted` */
  async read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array> {
    throwIfAborted(signal);
    const { name, bytes } = this.#file;
    if (!(offset >= 0 && length >= 0 && offset + length <= bytes)) {
      throw new VerbatimError("io-error", `${name} has ${bytes} bytes, not ${offset + length}.`, { where: name });
    }
    const { blockBytes } = this.#reading;
    const first = Math.floor(offset / blockBytes);
    const last = Math.max(first, Math.ceil((offset + length) / blockBytes) - 1);
    if (length === 0) return new Uint8Array(0);
    const blocks = await Promise.all(Array.from({ length: last - first + 1 }, (_, n) => this.#block(first + n)));
    throwIfAborted(signal);
    const from = offset - first * blockBytes;
    if (blocks.length === 1) return blocks[0]!.subarray(from, from + length);
    const joined = new Uint8Array(length);
    let at = -from;
    for (const block of blocks) {
      const skipped = Math.max(0, -at);
      joined.set(block.subarray(skipped, Math.min(block.length, length - at)), at + skipped);
      at += block.length;
    }
    return joined;
  }

  async close(): Promise<void> {}

  /**
   * The whole file, without caching its blocks: for files that are read once.
   * @param onBytes  receives the length of every chunk that arrives
   */
  async readAll(onBytes: (bytes: number) => void = () => {}): Promise<Uint8Array> {
    const { bytes, chunkBytes, chunks } = this.#file;
    const out = new Uint8Array(bytes);
    await Promise.all(
      chunks.map(async (name, chunk) => {
        const part = await this.#reading.blobs.blob(name, { verify: this.#isChunk(chunk) });
        out.set(part, chunk * chunkBytes);
        onBytes(part.length);
      }),
    );
    return out;
  }

  #isChunk(chunk: number): (bytes: Uint8Array) => boolean {
    const { bytes, chunkBytes } = this.#file;
    const length = Math.min(chunkBytes, bytes - chunk * chunkBytes);
    const firstBlock = (chunk * chunkBytes) / this.#reading.blockBytes;
    return (all) => all.length === length && this.#areRight(all, firstBlock);
  }

  #key(block: number): string {
    return `${this.#file.name} ${block}`;
  }

  async #block(block: number): Promise<Uint8Array> {
    const known = this.#reading.memory.get(this.#key(block));
    if (known !== undefined) return known;
    let loading = this.#underWay.get(block);
    if (loading === undefined) {
      loading = new Promise<Uint8Array>((done) => {
        if (this.#wanted.size === 0) queueMicrotask(() => this.#fetchWanted());
        this.#wanted.set(block, done);
      }).finally(() => this.#underWay.delete(block));
      this.#underWay.set(block, loading);
    }
    return loading;
  }

  /** Fetches runs of blocks of one chunk together. */
  #fetchWanted(): void {
    const wanted = this.#wanted;
    this.#wanted = new Map();
    const perChunk = this.#file.chunkBytes / this.#reading.blockBytes;
    const byChunk = new Map<number, number[]>();
    for (const block of [...wanted.keys()].sort((a, b) => a - b)) {
      const chunk = Math.floor(block / perChunk);
      byChunk.set(chunk, [...(byChunk.get(chunk) ?? []), block]);
    }
    for (const [chunk, blocks] of byChunk) {
      for (const run of this.#runs(blocks)) {
        const fetched = this.#fetchRun(chunk, run);
        for (const block of run) wanted.get(block)!(fetched.then((all) => all.get(block)!));
      }
    }
  }

  #runs(blocks: readonly number[]): number[][] {
    if (this.#reading.wholeChunks) return [[...blocks]];
    const runs: number[][] = [];
    for (const block of blocks) {
      const run = runs.at(-1);
      if (run !== undefined && block - run.at(-1)! <= GAP_BLOCKS + 1) run.push(block);
      else runs.push([block]);
    }
    return runs;
  }

  /** @returns blocks of one chunk by number, at least those of the run */
  async #fetchRun(chunk: number, run: readonly number[]): Promise<Map<number, Uint8Array>> {
    const { blobs, blockBytes, wholeChunks } = this.#reading;
    const { chunkBytes, chunks, bytes } = this.#file;
    const name = chunks[chunk]!;
    const firstOfChunk = (chunk * chunkBytes) / blockBytes;
    const chunkLength = Math.min(chunkBytes, bytes - chunk * chunkBytes);
    const whole = this.#isChunk(chunk);
    const kept = await blobs.cached(name);
    if (kept !== undefined && whole(kept)) return this.#take(kept, firstOfChunk);
    const from = (run[0]! - firstOfChunk) * blockBytes;
    const to = Math.min((run.at(-1)! + 1 - firstOfChunk) * blockBytes, chunkLength);
    if (!wholeChunks && to - from < chunkLength) {
      const found = await blobs.range(name, from, to);
      if (found?.length === to - from && this.#areRight(found, run[0]!)) return this.#take(found, run[0]!);
      if (found !== undefined && found.length !== to - from) this.#reading.wholeChunks = true;
      if (found !== undefined && whole(found)) return this.#take(found, firstOfChunk);
    }
    return this.#take(await blobs.blob(name, { verify: whole }), firstOfChunk);
  }

  #areRight(bytes: Uint8Array, firstBlock: number): boolean {
    const { blockBytes } = this.#reading;
    for (let at = 0, block = firstBlock; at < bytes.length; at += blockBytes, block++) {
      if (crc32c(bytes, at, Math.min(bytes.length, at + blockBytes)) !== this.#crcs[block]) return false;
    }
    return true;
  }

  #take(bytes: Uint8Array, firstBlock: number): Map<number, Uint8Array> {
    const { blockBytes, memory } = this.#reading;
    const out = new Map<number, Uint8Array>();
    for (let at = 0, block = firstBlock; at < bytes.length; at += blockBytes, block++) {
      const own = bytes.subarray(at, at + blockBytes);
      out.set(block, own);
      memory.set(this.#key(block), own);
    }
    return out;
  }
}
