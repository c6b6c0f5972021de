/**
 * Progress of a long command: a live line on a terminal, a line every ten seconds elsewhere,
 * nothing if quiet.
 */

import cliProgress from "cli-progress";
import { formatBytes } from "../../node/documents/skip.js";
import { type Io, printLine } from "../process-io.js";

const LINE_EVERY_MS = 10_000;

export interface Bar {
  /** @param text  shown next to the bar; default: bytes done of the total */
  show(bytes: number, totalBytes: number, text?: string): void;
  /** Clears the live line so that other lines can be printed. */
  end(): void;
}

export function openBar(io: Io, options: { quiet: boolean }): Bar {
  if (options.quiet) return { show: () => {}, end: () => {} };
  return io.stderr.isTTY === true ? liveBar() : lineBar(io);
}

/** A callback for `onWait` of a cluster writer: warns that the cluster does not accept requests. */
export function warnWhileWaiting(io: Io, live: { end(): void }, { quiet }: { quiet: boolean }): () => void {
  return () => {
    if (quiet) return;
    live.end();
    printLine(
      io.stderr,
      "Waiting up to five minutes for the cluster: it is busy, or a part of it is unavailable (see GET _cluster/health).",
    );
  };
}

function lineBar(io: Io): Bar {
  let last = performance.now();
  return {
    show(bytes, totalBytes, text) {
      const now = performance.now();
      if (now - last < LINE_EVERY_MS) return;
      last = now;
      const rest = text === undefined ? "" : `: ${text}`;
      printLine(io.stderr, `${formatBytes(bytes)} of ${formatBytes(totalBytes)}${rest}`);
    },
    end: () => {},
  };
}

function liveBar(): Bar {
  const bar = new cliProgress.SingleBar(
    {
      format: "{bar} {percentage}%  {text}",
      barsize: 20,
      clearOnComplete: true,
      hideCursor: false, // a second Ctrl-C would leave it hidden
      stream: process.stderr,
      fps: 5,
      gracefulExit: false, // main.ts handles signals
    },
    cliProgress.Presets.shades_classic,
  );
  let running = false;
  return {
    show(bytes, totalBytes, text = `${formatBytes(bytes)} of ${formatBytes(totalBytes)}`) {
      const total = Math.max(1, totalBytes);
      if (running) bar.update(Math.min(total, bytes), { text });
      else bar.start(total, bytes, { text });
      running = true;
    },
    end() {
      if (running) bar.stop();
      running = false;
    },
  };
}
