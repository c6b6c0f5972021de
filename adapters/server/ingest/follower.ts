import type { Indexer } from "./indexer.js";
import type { Job } from "./job.js";
import type { Failure, FollowEvent, Outcome, Progress } from "./protocol.js";

/**
 * Waiting time before following is started again: this at first, twice as long after each failure
 * in a row, in seconds.
 */
const FIRST_RETRY_SECONDS = 1;
const MAX_RETRY_SECONDS = 60;

interface FollowerEvents {
  onProgress: (progress: Progress) => void;
  onRound: (outcome: Outcome) => void;
  onLocked: (failure: Failure) => void;
  onMergeFailed: (failure: Failure) => void;
  onInterrupted: (error: unknown, retryInSeconds: number) => void;
  /** The first round after an interruption is done: nothing that changed meanwhile was missed. */
  onResumed: () => void;
}

/** Follows paths until it is stopped, whatever happens to the indexing process. */
export class Follower {
  /** The job that indexes the paths first. */
  readonly job: Job;
  state: "catching-up" | "on" | "interrupted" = "catching-up";
  readonly #indexer: Indexer;
  readonly #paths: string[];
  readonly #events: FollowerEvents;
  #ended: Promise<void> = Promise.resolve();
  #stopped = false;
  #failures = 0;
  #wake = (): void => {};

  constructor(indexer: Indexer, { job, paths }: { job: Job; paths: string[] }, events: FollowerEvents) {
    this.#indexer = indexer;
    this.job = job;
    this.#paths = paths;
    this.#events = events;
  }

  /** @returns when it was stopped. Never throws */
  run(): Promise<void> {
    this.#ended = this.#keepFollowing();
    return this.#ended;
  }

  /** What is complete is committed. @returns when following has ended */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wake();
    if (this.state !== "interrupted") {
      this.#indexer
        .client()
        .call("cancel", this.job.number)
        .catch(() => {});
    }
    await this.#ended;
  }

  async #keepFollowing(): Promise<void> {
    const call = { job: this.job.number, paths: this.#paths };
    while (!this.#stopped) {
      try {
        const onProgress = (event: FollowEvent): void => this.#receive(event);
        await this.#indexer.client().call("follow", call, { onProgress });
        return;
      } catch (error) {
        if (this.#stopped) return;
        const seconds = Math.min(MAX_RETRY_SECONDS, FIRST_RETRY_SECONDS * 2 ** this.#failures++);
        this.state = "interrupted";
        this.#events.onInterrupted(error, seconds);
        await this.#pause(seconds * 1000);
      }
    }
  }

  #receive(event: FollowEvent): void {
    if (event.kind === "progress") this.#events.onProgress(event.progress);
    else if (event.kind === "locked") this.#events.onLocked(event.failure);
    else if (event.kind === "merge-failed") this.#events.onMergeFailed(event.failure);
    else {
      if (this.state === "interrupted") this.#events.onResumed();
      this.#failures = 0;
      this.state = "on";
      this.#events.onRound(event.outcome);
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
