/** Reports that a cluster has not answered for a while. */

interface WaitReporterOptions {
  onWait: () => void;
  /** Milliseconds before the first report and between reports. */
  waitMs: number;
}

export class WaitReporter {
  readonly #options: WaitReporterOptions;
  #lastReport = Number.NEGATIVE_INFINITY;

  constructor(options: WaitReporterOptions) {
    this.#options = options;
  }

  /** Calls `onWait` while the work takes long, once for everything that is watched at the time. */
  watch<T>(work: Promise<T>): Promise<T> {
    const { onWait, waitMs } = this.#options;
    const timer = setInterval(() => {
      if (performance.now() - this.#lastReport < waitMs / 2) return;
      this.#lastReport = performance.now();
      onWait();
    }, waitMs);
    return work.finally(() => clearInterval(timer));
  }
}
