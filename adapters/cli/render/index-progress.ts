/** Progress display of `verbatim index`. */

import type { UpgradeProgress } from "../../../src/index/write/upgrade.js";
import type { IndexPathsProgress } from "../../node/ingest/index-paths.js";
import type { Io } from "../process-io.js";
import { openBar } from "./progress.js";
import { count, counted, duration } from "./terminal.js";
import { upgradeView } from "./upgrade-progress.js";

export interface ProgressView {
  show(progress: IndexPathsProgress): void;
  /** Shows progress of `--rebuild`, or of the upgrade after `--lexical-first`. */
  showUpgrade(progress: UpgradeProgress): void;
  /** Clears the live line so that other lines can be printed. */
  end(): void;
}

export async function progressView(io: Io, options: { quiet: boolean }): Promise<ProgressView> {
  const bar = await openBar(io, options);
  let view: ((progress: UpgradeProgress) => void) | undefined;
  return {
    show: (progress) => bar.show(progress.bytes, progress.bytesTotal, progressText(progress)),
    showUpgrade: (progress) => {
      view ??= upgradeView((done, total, text) => bar.show(done, total, text)); // its time starts with the first call
      view(progress);
    },
    end: () => bar.end(),
  };
}

/** "12 of 40 files, 1,234 passages, 2,345 tokens/s, 3 min 2 s left" */
function progressText(progress: IndexPathsProgress): string {
  const { files, filesTotal, passages, tokensPerSecond, secondsLeft } = progress;
  const parts = [`${count(files)} of ${counted(filesTotal, "file")}`];
  parts.push(counted(passages, "passage"), `${count(tokensPerSecond)} tokens/s`);
  if (secondsLeft !== undefined) parts.push(`${duration(Math.ceil(secondsLeft))} left`);
  return parts.join(", ");
}
