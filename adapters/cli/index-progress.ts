/** What a person sees while an index grows: a live line on a terminal, a line every ten seconds elsewhere, nothing with --quiet. */

import cliProgress from "cli-progress";
import { formatBytes } from "../node/documents/skip.js";
import type { IndexPathsProgress } from "../node/index-paths.js";
import { type Io, printLine } from "./io.js";
import { count, counted, duration } from "./terminal.js";

const LINE_EVERY_MS = 10_000;

export interface ProgressView {
  show(progress: IndexPathsProgress): void;
  /** Takes the live line away, so that other lines can be printed. */
  end(): void;
}

export function progressView(io: Io, options: { quiet: boolean }): ProgressView {
  if (options.quiet) return { show: () => {}, end: () => {} };
  return io.stderr.isTTY === true ? liveView() : lineView(io);
}

/** "12 of 40 files, 1,234 passages, 2,345 tokens/s, 3 min 2 s left" */
export function progressText(progress: IndexPathsProgress): string {
  const { files, filesTotal, passages, tokensPerSecond, secondsLeft } = progress;
  const parts = [`${count(files)} of ${counted(filesTotal, "file")}`];
  parts.push(counted(passages, "passage"), `${count(tokensPerSecond)} tokens/s`);
  if (secondsLeft !== undefined) parts.push(`${duration(Math.ceil(secondsLeft))} left`);
  return parts.join(", ");
}

function lineView(io: Io): ProgressView {
  let last = performance.now();
  return {
    show(progress) {
      const now = performance.now();
      if (now - last < LINE_EVERY_MS) return;
      last = now;
      printLine(
        io.stderr,
        `${formatBytes(progress.bytes)} of ${formatBytes(progress.bytesTotal)}: ${progressText(progress)}`,
      );
    },
    end: () => {},
  };
}

function liveView(): ProgressView {
  const bar = new cliProgress.SingleBar(
    {
      format: "{bar} {percentage}%  {text}",
      barsize: 20,
      clearOnComplete: true,
      hideCursor: false, // a second Ctrl-C would leave it hidden
      stream: process.stderr,
      fps: 5,
      gracefulExit: false, // signals are main.ts's
    },
    cliProgress.Presets.shades_classic,
  );
  let running = false;
  return {
    show(progress) {
      const total = Math.max(1, progress.bytesTotal);
      const text = progressText(progress);
      if (running) bar.update(Math.min(total, progress.bytes), { text });
      else bar.start(total, progress.bytes, { text });
      running = true;
    },
    end() {
      if (running) bar.stop();
      running = false;
    },
  };
}
