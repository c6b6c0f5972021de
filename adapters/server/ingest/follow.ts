/**
 * Indexes paths and then follows them: new, changed, renamed and removed files. Runs in the
 * indexing process.
 */

import { watchPaths } from "../../node/watch/watch-paths.js";
import { keepSkip, outcomeOf, type Run, shareOf } from "./apply-change.js";
import { failureOf } from "./failure.js";
import type { FollowEvent, Skip } from "./protocol.js";

interface Following {
  /** Resolves when the first round, which catches up, is done. */
  caughtUp: Promise<void>;
  /** Resolves when the signal has ended it. @throws VerbatimError as `watchPaths` */
  ended: Promise<void>;
}

/**
 * @param options.turn  runs the rounds after the first one in turn with other changes; throws `aborted` for a round
 *   that has not begun when the signal fires
 */
export function follow(
  paths: readonly string[],
  {
    setup,
    encoder,
    parsers,
    signal,
    report,
    onMergeError,
  }: Omit<Run, "report" | "originals"> & { report: (event: FollowEvent) => void },
  options: { turn: <T>(work: () => Promise<T>) => Promise<T> },
): Following {
  let skipped: Skip[] = [];
  let isFirst = true;
  let resolveFirst = (): void => {};
  const first = new Promise<void>((resolve) => {
    resolveFirst = resolve;
  });
  const ended = watchPaths(paths, {
    index: setup.index,
    cwd: setup.cwd,
    encoder,
    parsers,
    signal,
    onProgress: ({ documents, unchanged, passages, ...bytes }) => {
      if (isFirst) report({ kind: "progress", progress: { documents, unchanged, passages, share: shareOf(bytes) } });
    },
    onSkip: (skip) => keepSkip(skipped, skip),
    onLocked: (error) => report({ kind: "locked", failure: failureOf(error) }),
    onRound: (counts) => {
      report({ kind: "round", outcome: outcomeOf(counts, skipped) });
      skipped = [];
      isFirst = false;
      resolveFirst();
    },
    onMergeError,
    turn: options.turn,
  });
  return { caughtUp: Promise.race([first, ended]), ended };
}
