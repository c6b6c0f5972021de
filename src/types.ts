/** The domain's types. Imports nothing; docs/glossary.md defines the names. */

/** A range `[start, end)` in UTF-16 units of a document's extracted text. */
export interface Span {
  start: number;
  end: number;
}

/**
 * The origin of a range of extracted text. A segment applies from its `start` (UTF-16 offset in the extracted text)
 * up to the next segment's start.
 */
export interface SourceSegment {
  /** UTF-16 offset in the extracted text where this segment begins; ascending, the first is 0. */
  start: number;
  /**
   * 1-based line of the source file at `start`. Within a segment each "\n" of the extracted text is one more line if
   * `linear`.
   */
  line?: number;
  /**
   * True when the segment is the source's own text, unchanged (so lines, and bytes if `byte` is set, count on from
   * `start`).
   */
  linear?: boolean;
  /** 1-based page (PDF). */
  page?: number;
  /** Byte offset in the source file at `start` (UTF-8 plain text only). */
  byte?: number;
  /** Node path or part of the source: "html/body/p[3]", "chapter-2.xhtml", "row 17". */
  path?: string;
}

/** The format that a text was extracted from. */
export type SourceKind =
  | ("text" | "markdown" | "html" | "rst" | "adoc" | "org" | "tex" | "man" | "code")
  | ("pdf" | "docx" | "odt" | "rtf" | "epub" | "pptx" | "odp" | "xlsx" | "ods" | "image")
  | ("csv" | "json" | "jsonl" | "squad" | "mail" | "notebook" | "subtitles");

export interface SourceMap {
  kind: SourceKind;
  segments: SourceSegment[];
}

/**
 * A heading as a range of the extracted text. The part that it names ends at the next heading of its level or above.
 */
export interface Heading extends Span {
  /** 1 is the outermost level. */
  level: number;
}

export type MetadataValue = string | number | boolean | string[];

/** A text with a name. Every offset of an answer refers to `text`, the extracted text. */
export interface Document {
  /** Unique in an index: the path relative to the working folder for files, the record's own id for JSONL and SQuAD. */
  id: string;
  title: string;
  text: string;
  /** Path or address as the person gave it; shown with answers. */
  source: string;
  map: SourceMap;
  /** In the order of the text. Where the source has none, or the parser finds none: absent. */
  headings?: readonly Heading[];
  metadata?: Record<string, MetadataValue>;
}

/** Position of an answer in its source. */
export interface Place {
  line?: number;
  page?: number;
  path?: string;
}
