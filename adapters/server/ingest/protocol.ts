/** What the server asks of the process that writes to the index. */

import type { ErrorCode } from "../../../src/errors.js";
import type { Document } from "../../../src/types.js";

export interface IngestSetup {
  /** Folder of the index. */
  index: string;
  modelFolder: string | undefined;
  /** Encoder threads. */
  threads: number;
  /** Folder that paths are relative to. */
  cwd: string;
  /** Bytes of the files of uploaded documents that are kept; 0: none is. */
  maxKeptBytes: number;
}

export type Change =
  /** `follow`: keep the index in step with the paths afterwards. */
  | { kind: "paths"; paths: string[]; follow?: boolean }
  | { kind: "put"; documents: Document[] }
  /** `path` is the file with the content, `name` what its format and id are taken from. */
  | { kind: "upload"; name: string; path: string; bytes: number }
  | { kind: "delete"; ids: string[] };

export interface Progress {
  documents: number;
  unchanged: number;
  passages: number;
  /** 0 to 1, or null when it is not known. */
  share: number | null;
}

export interface Skip {
  source: string;
  reason: string;
  hint?: string;
  /** Another file that `reason` names. */
  otherSource?: string;
}

/** Something to know about a change that was applied. */
export interface Note {
  title: string;
  hint: string;
}

export interface Outcome {
  documents: number;
  unchanged: number;
  deleted: number;
  passages: number;
  skipped: Skip[];
  note?: Note;
  version: number | null;
  /** Cancelled before the end. What was complete is committed. */
  stopped: boolean;
}

export interface Failure {
  code: ErrorCode;
  message: string;
  hint: string | undefined;
}

/** A merge in the background failed. The index is unchanged, and the next commit tries again. */
export interface MergeFailed {
  kind: "merge-failed";
  failure: Failure;
}

export type ApplyEvent = { kind: "progress"; progress: Progress } | MergeFailed;

export type FollowEvent =
  | { kind: "progress"; progress: Progress }
  /** One look at the paths is done; the first one catches up with what changed before. */
  | { kind: "round"; outcome: Outcome }
  /** Another program writes to the index; following waits for it. */
  | { kind: "locked"; failure: Failure }
  | MergeFailed;

/** Changes are applied one at a time, in the order of the calls. */
export interface IngestService {
  /** Applies a change and commits. `job` is for `cancel`. */
  apply(params: { job: number; change: Change }, event: ApplyEvent): Outcome;
  /** Indexes the paths, then what changes in them. Returns when it is cancelled. */
  follow(params: { job: number; paths: string[] }, event: FollowEvent): void;
  /**
   * Ends a call of `apply` or `follow` in progress: what is complete is committed, and the call
   * returns. A call that waits for its turn fails at once with `aborted`.
   */
  cancel(job: number): void;
}
