/** The types that listing and reading inputs share, with the names of the formats. Holds no code. */

import type { ErrorCode } from "../../../src/errors.js";
import type { Document } from "../../../src/types.js";
import type { ReadLimits } from "./limits.js";

/** A file as it was when it was listed, so that another file in its place is noticed. */
interface FileIdentity {
  /** Absolute path without symlinks. */
  realPath: string;
  device: number;
  inode: number;
}

/** One file to read, standard input, or content from elsewhere. */
export interface InputFile {
  /** As the user gave it (for files in a folder: the given folder joined with the rest); shown with answers. */
  path: string;
  /** Absolute path, or `"-"` for standard input and content that is not in a file. */
  absolutePath: string;
  /** Path relative to the working folder with forward slashes; absolute outside it; `"stdin"` for standard input. */
  id: string;
  /** Bytes when listed; 0 for standard input. */
  size: number;
  /** Last change in milliseconds since 1970 when listed; 0 for standard input. */
  mtimeMs: number;
  /** Only this file is read, and no symlink is followed to it. Undefined: whatever is at `absolutePath`. */
  identity?: FileIdentity;
}

/** Something that was not read, and why: one line for the user, `source` + `reason` + `hint`. */
export interface SkippedInput {
  /** Path as the user gave it. */
  source: string;
  /** Continues the source's name: "is password-protected". One line. */
  reason: string;
  code: ErrorCode;
  /** The next step: one sentence, imperative. */
  hint?: string;
  /** Another file that `reason` names. */
  otherSource?: string;
  /** 1-based line in the source when only that line (record) was skipped and the rest of the file was read. */
  line?: number;
  /** Number of records skipped for this reason, if more than one. */
  count?: number;
}

/** Where a mailbox is read from in a new process, after one of its messages ended the last. */
export interface ResumePoint {
  /** Number of the last message whose documents were delivered; the messages up to it are not read again. */
  after: number;
  /** Later messages that ended a process: each is reported and skipped. */
  failures: readonly ({ record: number } & Pick<SkippedInput, "reason" | "hint">)[];
}

/** What a format parser knows besides the bytes. */
export interface ReadContext {
  input: InputFile;
  /** File name without folder, extension and `.gz`: the title of documents that have none of their own. */
  name: string;
  limits: ReadLimits;
  /**
   * The documents of a file inside the file, such as an attachment; [] for a format that is not supported, and for a
   * damaged file, which is reported. Files inside of it are not read.
   */
  readPart(name: string, bytes: Uint8Array): Promise<Document[]>;
  /** Whether to recognise the text of scanned pages. */
  ocr: boolean;
  /** Folder of recognised pages; see `RecognitionCache`. */
  ocrCache?: string;
  /** Called after each part of the file (page, chapter), for the limit on the time of one part. */
  onPart(): void;
  /** Called after each page whose text was recognised: the time limit of the file starts again. */
  onRecognized(): void;
  /** Set for a mailbox that is read again. */
  resume?: ResumePoint;
  /** Called before each message of a mailbox is read, with its number from 1, and after its last document. */
  onRecordStart?(record: number): void;
  onRecordEnd?(record: number): void;
  /** Reports a record that was skipped while the rest of the file is read. */
  skipRecord(skip: Omit<SkippedInput, "source">): void;
}
