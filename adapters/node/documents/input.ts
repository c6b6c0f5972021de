/** The words that listing and reading inputs share, as data. A leaf: only types of `src/` are imported. */

import type { ErrorCode } from "../../../src/errors.js";

/** One file to read, or standard input. */
export interface InputFile {
  /** As the person gave it (for files in a folder: the given folder joined with the rest); shown with answers. */
  path: string;
  /** Absolute path, or `"-"` for standard input. */
  absolutePath: string;
  /** Path relative to the working folder with forward slashes; absolute when outside of it; `"stdin"` for standard input. */
  id: string;
  /** Bytes when listed; 0 for standard input. */
  size: number;
  /** Last change in milliseconds since 1970 when listed; 0 for standard input. */
  mtimeMs: number;
}

/** Something that was not read, and why: one line for the person, `source` + `reason` + `hint`. */
export interface SkippedInput {
  /** Path as the person gave it. */
  source: string;
  /** Continues the source's name: "is password-protected". One line. */
  reason: string;
  code: ErrorCode;
  /** The next step: one sentence, imperative. */
  hint?: string;
  /** 1-based line in the source when only that line (record) was skipped and the rest of the file was read. */
  line?: number;
  /** How many records this stands for when more than one. */
  count?: number;
}

export type DocumentFormat = "txt" | "md" | "html" | "pdf" | "docx" | "epub" | "csv" | "jsonl" | "squad";

/** Bounds that keep one bad file from ending a run. Every one can be raised by the caller. */
export interface ReadLimits {
  /** Bytes of a file that is held whole (all but JSONL and CSV), after gunzip. Default 512 MiB. */
  maxFileBytes: number;
  /** Bytes of Markdown, HTML or the XML of a docx or epub: they become trees of 30 times their size. Default 32 MiB. */
  maxMarkupBytes: number;
  /** UTF-16 units of one document's extracted text. Default 256 Mi (a JavaScript string ends at 512 Mi). */
  maxTextUnits: number;
  /** UTF-16 units of one JSONL line or CSV row. Default 64 Mi. */
  maxRecordUnits: number;
  /** Bytes that may come out of one .gz that is read as a stream. Default 64 GiB. */
  maxInflatedBytes: number;
  /** Inflated ÷ packed size above which zip and gzip data count as a bomb … Default 200. */
  maxInflateRatio: number;
  /** … once more than this many bytes come out. Default 50 MiB. */
  inflateRatioFromBytes: number;
  /** Entries of a zip archive (docx, epub). Default 100,000. */
  maxZipEntries: number;
  /** Pages of one PDF. Default 20,000. */
  maxPdfPages: number;
  /** Milliseconds that one PDF may take. Default 120,000. */
  maxPdfMs: number;
  /** Heap of the thread that reads one PDF, MiB. Default 1024. */
  maxPdfHeapMiB: number;
}

const MIB = 1024 * 1024;

export const defaultReadLimits: Readonly<ReadLimits> = {
  maxFileBytes: 512 * MIB,
  maxMarkupBytes: 32 * MIB,
  maxTextUnits: 256 * MIB,
  maxRecordUnits: 64 * MIB,
  maxInflatedBytes: 64 * 1024 * MIB,
  maxInflateRatio: 200,
  inflateRatioFromBytes: 50 * MIB,
  maxZipEntries: 100_000,
  maxPdfPages: 20_000,
  maxPdfMs: 120_000,
  maxPdfHeapMiB: 1024,
};

/** What a format reader knows beside the bytes. */
export interface ReadContext {
  input: InputFile;
  /** File name without folder, extension and `.gz`: the title where the document has none of its own. */
  name: string;
  limits: ReadLimits;
  signal: AbortSignal | undefined;
  /** Tells of a record that was passed over while the rest of the file is read. */
  skipRecord(skip: Omit<SkippedInput, "source">): void;
}
