/** Paths that are followed: the first round is the job, every later one a change that nobody sent. */

import type { Encoder } from "../../../src/encode/types.js";
import { throwIfAborted, type VerbatimError } from "../../../src/errors.js";
import type { SkippedInput } from "../../node/documents/input.js";
import type { IndexPathsProgress, InputCounts } from "../../node/ingest/index-inputs.js";
import { watchPaths } from "../../node/watch/watch-paths.js";
import type { Outcome, Skip } from "./protocol.js";

export interface FollowParts {
  index: string;
  cwd: string;
  encoder: Encoder;
  signal: AbortSignal;
  onProgress: (progress: IndexPathsProgress) => void;
  /** Later rounds wait here for what other writers of this thread have under way. */
  turn: <T>(work: () => Promise<T>) => Promise<T>;
  onFollowed: (outcome: Outcome) => void;
  onLocked: (error: VerbatimError) => void;
}

export interface Following {
  /** When what was new at the start is in. @throws VerbatimError as `watchPaths` before that */
  caughtUp: Promise<Outcome>;
  /** Fulfilled when the signal has ended it; rejected when the system can follow no longer. */
  ended: Promise<void>;
}

/** Of what was skipped, so many are told one by one. */
const SKIPS_TOLD = 50;

export function follow(paths: readonly string[], parts: FollowParts): Following {
  const { index, cwd, encoder, signal, turn, onFollowed } = parts;
  let skipped: Skip[] = [];
  let caughtUp = false;
  let tell = (_outcome: Outcome): void => {};
  const first = new Promise<Outcome>((resolve) => {
    tell = resolve;
  });
  const ended = watchPaths(paths, {
    index,
    cwd,
    encoder,
    signal,
    onProgress: (progress) => {
      if (!caughtUp) parts.onProgress(progress);
    },
    onSkip: (skip) => {
      if (skipped.length < SKIPS_TOLD) skipped.push(skipOf(skip));
    },
    onLocked: parts.onLocked,
    onRound: (counts) => {
      const outcome = outcomeOf(counts, skipped);
      skipped = [];
      if (caughtUp) onFollowed(outcome);
      else tell(outcome);
      caughtUp = true;
    },
    turn: async (work) => {
      throwIfAborted(signal); // a thread that closes has no more turns
      return turn(work);
    },
  });
  const stopped = ended.then(() => NOTHING); // ended before the first round was done
  stopped.catch(() => {});
  return { caughtUp: Promise.race([first, stopped]), ended };
}

export function skipOf({ source, reason, hint }: SkippedInput): Skip {
  return { source, reason, hint };
}

function outcomeOf(counts: InputCounts & { version: number }, skipped: Skip[]): Outcome {
  const { documents, unchanged, renamed, fieldsChanged, pruned: deleted, passages, stopped, version } = counts;
  return { documents, unchanged: unchanged + renamed + fieldsChanged, deleted, passages, skipped, version, stopped };
}

const NOTHING: Outcome = {
  ...{ documents: 0, unchanged: 0, deleted: 0, passages: 0 },
  ...{ skipped: [], version: null, stopped: true },
};
