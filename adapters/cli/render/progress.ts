/**
 * Progress of a long command: a live line on a terminal, a line every ten seconds elsewhere,
 * nothing if quiet.
 */

import { formatBytes } from "../../node/documents/skip.js";
import { type Io, printLine } from "../process-io.js";

const LINE_EVERY_MS = 10_000;

interface Bar {
  /**
   * @param done  so far, of `total`; bytes unless `text` says what is counted
   * @param text  shown after the percentage; default: both numbers as bytes
   */
  show(done: number, total: number, text?: string): void;
  /** Clears the live line so that other lines can be printed. */
  end(): void;
}

export async function openBar(io: Io, options: { quiet: boolean }): Promise<Bar> {
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
      "Waiting for the cluster: it is busy, or a part of it is unavailable (see GET _cluster/health).",
    );
  };
}

function lineBar(io: Io): Bar {
  let last = performance.now();
  return {
    show(done, total, text) {
      const now = performance.now();
      if (now - last < LINE_EVERY_MS) return;
      last = now;
      printLine(io.stderr, progressLine(done, total, text));
    },
    end: () => {},
  };
}

/** "42 %  1,234 of 2,938 passages" */
export function progressLine(done: number, total: number, text = bytesText(done, total)): string {
  return `${Math.floor((100 * Math.min(done, total)) / Math.max(1, total))} %  ${text}`;
}

const bytesText = (done: number, total: number): string => `${formatBytes(done)} of ${formatBytes(total)}`;

async function liveBar(): Promise<Bar> {
  const { default: cliProgress } = await import("cli-progress");
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
    show(done, total, text = bytesText(done, total)) {
      const end = Math.max(1, total);
      if (running) bar.update(Math.min(end, done), { text });
      else bar.start(end, done, { text });
      running = true;
    },
    end() {
      if (running) bar.stop();
      running = false;
    },
  };
}
