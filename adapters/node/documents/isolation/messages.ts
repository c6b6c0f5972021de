/** What a run and a parser process send each other. */

import type { Document, SourceSegment } from "../../../../src/types.js";
import type { SerializedError } from "../../../rpc/serialize-error.js";
import type { DocumentFormat } from "../formats.js";
import type { InputFile, ResumePoint, SkippedInput } from "../input.js";
import type { ReadLimits } from "../limits.js";

/** One file to read. Jobs are done in the order they were sent, one at a time. */
export interface ReadJob {
  /** Ascending within a process. */
  id: number;
  input: InputFile;
  format: DocumentFormat | undefined;
  limits: ReadLimits;
  /** Whether to recognise the text of scanned pages. */
  ocr: boolean;
  /** Folder of recognised pages. */
  ocrCache: string | undefined;
  /** The content is sent in `bytes` messages, one for each `pull`. */
  piped: boolean;
  /** Where a mailbox is read from. */
  resume: ResumePoint | undefined;
}

export type ToParser =
  /** Files of these formats will follow: their parsers are loaded in advance. */
  | { kind: "prepare"; formats: DocumentFormat[] }
  | { kind: "read"; jobs: ReadJob[] }
  /** Content of the piped job; undefined: that was all. */
  | { kind: "bytes"; bytes: Uint8Array | undefined }
  /** Items of this cost were consumed; see `Outbox`. */
  | { kind: "consumed"; cost: number };

/** An outcome of the job that is being done. A message is a list of them. */
export type ParserItem =
  | { kind: "ready" }
  | { kind: "progress"; bytesRead: number }
  /** The next piece of the text, or of the source map, of the document that follows. */
  | { kind: "text"; text: string }
  | { kind: "segments"; segments: SourceSegment[] }
  /** Text and map are without the pieces that were sent before. */
  | { kind: "document"; document: Document }
  | { kind: "skip"; skip: SkippedInput }
  /** All documents of this message of a mailbox were sent. */
  | { kind: "record-end"; record: number }
  | { kind: "pull" }
  /** The job is done. `retire`: the process holds much memory and takes no more jobs. */
  | { kind: "end"; retire: boolean }
  /** The program failed, not the file; the process takes no more jobs. */
  | { kind: "failed"; error: SerializedError };

export interface ParserMessage {
  items: ParserItem[];
  cost: number;
}

/**
 * Lines on the status pipe, written synchronously so that they are known even of a process that dies:
 * the number of the job that begins, "record" and the number of the message of a mailbox that begins, or the reason why the process is about to be killed.
 */
export type DeathReason = "time" | "memory" | "crash";
export const STATUS_PIPE = 4;
