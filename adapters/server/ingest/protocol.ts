/** What the server and the thread that writes say to each other. */

import type { ErrorCode } from "../../../src/errors.js";
import type { Document } from "../../../src/types.js";

export interface IngestSetup {
  /** Folder of the index. */
  index: string;
  modelFolder: string | undefined;
  threads: number;
  cwd: string;
}

export type Change =
  | {
      kind: "paths";
      paths: string[];
      /** Then follows them: new, changed, renamed and removed files are taken in (out) as it happens, until the thread stops. */
      follow: boolean;
    }
  | { kind: "put"; documents: Document[] }
  | { kind: "upload"; name: string; bytes: Uint8Array }
  | { kind: "delete"; ids: string[] };

export interface Progress {
  documents: number;
  unchanged: number;
  passages: number;
  /** 0 to 1, or null when it cannot be told. */
  share: number | null;
}

export interface Skip {
  source: string;
  reason: string;
  hint?: string;
}

export interface Outcome {
  documents: number;
  unchanged: number;
  deleted: number;
  passages: number;
  skipped: Skip[];
  version: number | null;
  stopped: boolean;
}

export interface Failure {
  code: ErrorCode;
  message: string;
  hint: string | undefined;
}

export type IngestRequest = { kind: "run"; id: number; change: Change } | { kind: "stop" } | { kind: "close" };

export type IngestReply =
  | { kind: "progress"; id: number; progress: Progress }
  | { kind: "done"; id: number; outcome: Outcome }
  | { kind: "failed"; id: number; failure: Failure }
  /** What following the paths of an earlier job has changed. */
  | { kind: "followed"; outcome: Outcome }
  /** Another program writes to the index; following waits for it. */
  | { kind: "locked"; failure: Failure }
  /** They are not followed any more. */
  | { kind: "lost"; failure: Failure };
