/** Limits that keep one bad file from ending a run, or from holding it up. */

/** Every limit can be raised by the caller. */
export interface ReadLimits {
  /** Bytes of a file that is held whole (all but JSONL and CSV), after gunzip. Default 512 MiB. */
  maxFileBytes: number;
  /**
   * Bytes of Markdown, HTML or the XML of a docx or epub, which become trees of many times their size. Default 32
   * MiB.
   */
  maxMarkupBytes: number;
  /** UTF-16 units of one document's extracted text. Default 256 Mi (a JavaScript string ends at 512 Mi). */
  maxTextUnits: number;
  /** UTF-16 units of one JSONL line or CSV row. Default 64 Mi. */
  maxRecordUnits: number;
  /** Elements of one HTML page, or of one XML part of a docx or epub. Default 500,000. */
  maxElements: number;
  /** Paragraphs of a docx. Default 100,000. */
  maxParagraphs: number;
  /** Levels of nesting in XML and JSON. Default 500. */
  maxDepth: number;
  /** Levels of nesting in HTML, where elements that were never closed add up. Default 25,000. */
  maxHtmlDepth: number;
  /** Values in one JSON file or JSONL record. Default 5,000,000. */
  maxJsonValues: number;
  /** Entries of the map from a document's text to its source: lines, rows, blocks. Default 1,100,000: a full sheet. */
  maxSegments: number;
  /** Inflated bytes of one .gz that is read as a stream. Default 64 GiB. */
  maxInflatedBytes: number;
  /** Inflated ÷ packed size above which zip and gzip data count as a bomb, … Default 200. */
  maxInflateRatio: number;
  /** … beyond this many inflated bytes. Default 50 MiB. */
  inflateRatioFromBytes: number;
  /** Entries of a zip archive (docx, epub). Default 100,000. */
  maxZipEntries: number;
  /** Pages of one PDF. Default 20,000. */
  maxPdfPages: number;
  /** Processor time that one file may take, in milliseconds, … Default 10,000. */
  maxMs: number;
  /** … and for each MiB of it. Of JSONL, CSV and mailboxes, `maxMs` is for one record, and it starts again with each attachment
   * of a mail. Default 2,000. */
  maxMsPerMiB: number;
  /**
   * Processor time that one part of a file may take, in milliseconds: a page of a PDF, a chapter of an EPUB, a
   * stretch of Markdown or of a sheet, the whole file in other formats. The parser may also wait this long without
   * working. Default 20,000.
   */
  maxPartMs: number;
  /** Pixels of one picture whose text is recognised. Default 50,000,000; a page of A4 has 35,000,000 at 600 dpi. */
  maxImagePixels: number;
  /** Scanned pages of one file whose text is recognised. Default 2,000. */
  maxOcrPages: number;
  /** Processor time, in milliseconds, that recognising one page may take. Default 60,000. */
  maxOcrMs: number;
  /** Resident memory of the process that reads files, in MiB. Default 1024. */
  maxMemoryMiB: number;
}

const MIB = 1024 * 1024;

export const defaultReadLimits: Readonly<ReadLimits> = {
  maxFileBytes: 512 * MIB,
  maxMarkupBytes: 32 * MIB,
  maxTextUnits: 256 * MIB,
  maxRecordUnits: 64 * MIB,
  maxElements: 500_000,
  maxParagraphs: 100_000,
  maxDepth: 500,
  maxHtmlDepth: 25_000,
  maxJsonValues: 5_000_000,
  maxSegments: 1_100_000,
  maxInflatedBytes: 64 * 1024 * MIB,
  maxInflateRatio: 200,
  inflateRatioFromBytes: 50 * MIB,
  maxZipEntries: 100_000,
  maxPdfPages: 20_000,
  maxMs: 10_000,
  maxMsPerMiB: 2_000,
  maxPartMs: 20_000,
  maxImagePixels: 50_000_000,
  maxOcrPages: 2_000,
  maxOcrMs: 60_000,
  maxMemoryMiB: 1024,
};

/** The defaults with the given limits in their place. */
export function readLimits(given: Partial<ReadLimits> = {}): ReadLimits {
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaultReadLimits, ...Object.fromEntries(set) };
}
