/** Recognised pages on disk, so that the same picture is not recognised twice. */

import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import type { RecognizedLine, RecognizedPage, RecognizedWord } from "./recognized.js";

/** Bytes of all pages; a full page takes about 10 kB. */
const MAX_BYTES = 256 * 1024 * 1024;
/** Pages are removed until this share of the limit is used. */
const KEPT_SHARE = 0.9;
/** A larger page on disk is damaged. */
const MAX_PAGE_BYTES = 64 * 1024 * 1024;
/** Names of pages, and of pages that are being written. */
const NAME = /^[0-9a-f]{64}(\.gz|\.[0-9]+\.new)$/;

/**
 * A folder with a file for each page, named after what the page was recognised from. Every failure to read or write is
 * treated as a page that is not there: recognising it again only takes time.
 */
export class RecognitionCache {
  readonly #folder: string;
  readonly #maxBytes: number;
  /** Total of all pages on disk; undefined until the first one is written. */
  #bytes: number | undefined;

  /** @param folder  created for its owner only when the first page is written */
  constructor(folder: string, { maxBytes = MAX_BYTES }: { maxBytes?: number } = {}) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
  }

  /** @param parts  everything that a result depends on */
  static keyOf(parts: readonly (string | number | Uint8Array)[]): string {
    const hash = createHash("sha256");
    for (const part of parts) {
      const bytes = part instanceof Uint8Array ? part : Buffer.from(String(part));
      hash.update(`${bytes.length}:`).update(bytes);
    }
    return hash.digest("hex");
  }

  get(key: string): RecognizedPage | undefined {
    const path = this.#pathOf(key);
    try {
      const { page } = readEntry(path);
      if (!isPage(page)) return undefined;
      const now = new Date();
      utimesSync(path, now, now); // the least recently used pages are removed first
      return page;
    } catch {
      return undefined;
    }
  }

  /** @param source  of the document that the page belongs to */
  set(key: string, page: RecognizedPage, source: string): void {
    const unfinished = join(this.#folder, `${key}.${process.pid}.new`);
    try {
      const bytes = gzipSync(JSON.stringify({ source, page } satisfies Entry));
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      writeFileSync(unfinished, bytes, { mode: 0o600 });
      renameSync(unfinished, this.#pathOf(key));
      this.#bytes = this.#bytes === undefined ? this.#removeOldest() : this.#bytes + bytes.length;
      if (this.#bytes > this.#maxBytes) this.#bytes = this.#removeOldest();
    } catch {
      removeIfThere(unfinished);
    }
  }

  /** Removes the pages of all other sources, and what was left by processes that were killed. */
  keepOnly(sources: ReadonlySet<string>): void {
    for (const path of this.#paths()) {
      try {
        if (sources.has(readEntry(path).source ?? "")) continue;
      } catch {
        // damaged or unfinished
      }
      removeIfThere(path);
    }
  }

  /** Removes the least recently used pages, if there are too many. @returns the bytes that are left */
  #removeOldest(): number {
    const pages = this.#paths()
      .map((path) => ({ path, stats: statSync(path, { throwIfNoEntry: false }) }))
      .sort((a, b) => (a.stats?.mtimeMs ?? 0) - (b.stats?.mtimeMs ?? 0));
    let bytes = pages.reduce((sum, { stats }) => sum + (stats?.size ?? 0), 0);
    if (bytes <= this.#maxBytes) return bytes;
    for (const { path, stats } of pages) {
      if (bytes <= KEPT_SHARE * this.#maxBytes) break;
      removeIfThere(path);
      bytes -= stats?.size ?? 0;
    }
    return bytes;
  }

  #paths(): string[] {
    if (!existsSync(this.#folder)) return [];
    return readdirSync(this.#folder)
      .filter((name) => NAME.test(name))
      .map((name) => join(this.#folder, name));
  }

  #pathOf(key: string): string {
    return join(this.#folder, `${key}.gz`);
  }
}

function removeIfThere(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // its folder cannot be read either
  }
}

interface Entry {
  source: string;
  page: RecognizedPage;
}

function readEntry(path: string): { source?: string; page?: unknown } {
  return JSON.parse(gunzipSync(readFileSync(path), { maxOutputLength: MAX_PAGE_BYTES }).toString("utf8"));
}

function isPage(value: unknown): value is RecognizedPage {
  const page = value as Partial<RecognizedPage> | null;
  return isSize(page) && Array.isArray(page.lines) && page.lines.every(isLine);
}

function isLine(value: unknown): value is RecognizedLine {
  const { words, beginsParagraph } = (value ?? {}) as Partial<RecognizedLine>;
  return typeof beginsParagraph === "boolean" && Array.isArray(words) && words.every(isWord);
}

function isWord(value: unknown): value is RecognizedWord {
  const { text, box, confidence } = (value ?? {}) as Partial<RecognizedWord>;
  const isPlaced = isSize(box) && Number.isFinite(box.left) && Number.isFinite(box.top);
  return typeof text === "string" && isPlaced && (confidence === undefined || Number.isFinite(confidence));
}

function isSize<T extends { width: number; height: number }>(value: Partial<T> | null | undefined): value is T {
  return Number.isFinite(value?.width) && Number.isFinite(value?.height);
}
