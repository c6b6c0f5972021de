/** What becomes of a change: its view for clients, the log, and questions that see what was committed. */

import { VerbatimError } from "../../../src/errors.js";
import { ChildExit } from "../../node/threads/endpoints.js";
import type { Log } from "../http/log.js";
import type { PathRedactor } from "../http/path-redactor.js";
import { toProblem } from "../http/problems.js";
import { failureOf } from "./failure.js";
import { hasEnded, type Job } from "./job.js";
import type { JobQueue } from "./job-queue.js";
import type { Outcome, Progress, Skip } from "./protocol.js";
import type { UploadFolder } from "./upload-folder.js";

/** How often the server looks for commits of a long job, in milliseconds. */
const REFRESH_EVERY_MS = 1000;

interface JobResultsParts {
  jobs: JobQueue;
  uploads: UploadFolder;
  redactor: PathRedactor;
  log: Log;
  /** Makes what was committed visible to questions. */
  refresh: () => Promise<unknown>;
}

export class JobResults {
  readonly #parts: JobResultsParts;
  #refreshedAt = 0;

  constructor(parts: JobResultsParts) {
    this.#parts = parts;
  }

  progress({ view }: Job, { share, ...counts }: Progress): void {
    if (hasEnded(view)) return;
    Object.assign(view, counts, { progress: share });
    this.#parts.log("debug", "progress", { kind: view.kind, ...counts, share });
    if (performance.now() - this.#refreshedAt > REFRESH_EVERY_MS) void this.#refresh();
  }

  async done(job: Job, { stopped, skipped, note, ...counts }: Outcome): Promise<void> {
    const { redactor, log } = this.#parts;
    await this.#refresh();
    Object.assign(job.view, counts, {
      progress: stopped ? job.view.progress : 1,
      skipped: skipped.map((skip) => redactSkip(skip, redactor)),
      ...(note === undefined ? {} : { note }),
    });
    const { id, kind } = job.view;
    this.#logSkipped(skipped);
    log("info", "job", { job: id, kind, ...counts, skipped: skipped.length, stopped });
    if (note !== undefined) log("warn", note.title, { job: id, hint: note.hint });
    this.end(job, stopped ? "stopped" : "done");
  }

  /** A later round of paths that are followed. */
  async followed({ skipped, note: _note, stopped: _, ...counts }: Outcome): Promise<void> {
    await this.#refresh();
    this.#logSkipped(skipped);
    this.#parts.log("info", "followed", { ...counts, skipped: skipped.length });
  }

  failed(job: Job, error: unknown): void {
    const { id, kind } = job.view;
    const { code, message, hint } = failureOf(error);
    if (job.cancelled) {
      this.#parts.log("info", "job stopped", { job: id, kind });
      this.end(job, "stopped");
      return;
    }
    const { title, hint: next } = causedByExit(error) ? PROCESS_ENDED : toProblem(error).document;
    job.view.error = { code, title, ...(next === undefined ? {} : { hint: next }) };
    this.#parts.log("error", "job failed", { job: id, kind, code, error: message, hint });
    this.end(job, "failed");
  }

  end(job: Job, state: "done" | "failed" | "stopped"): void {
    job.view.state = state;
    this.#parts.jobs.end(job);
    this.#removeContent(job);
    job.settle();
  }

  /** Removes the uploaded file of a change. */
  #removeContent({ change }: Job): void {
    if (change.kind === "upload") void this.#parts.uploads.remove(change.path).catch(() => {});
  }

  #logSkipped(skipped: readonly Skip[]): void {
    for (const skip of skipped) this.#parts.log("debug", "skipped", { ...skip });
  }

  async #refresh(): Promise<void> {
    this.#refreshedAt = performance.now();
    try {
      await this.#parts.refresh();
    } catch (error) {
      this.#parts.log("error", "refresh failed", { error: failureOf(error).message });
    }
  }
}

/** What a client sees of a file that was skipped: only public names of paths. */
export function redactSkip(
  { source, reason, hint, otherSource }: Skip,
  redactor: Pick<PathRedactor, "redactSource">,
): Omit<Skip, "otherSource"> {
  const shown =
    otherSource === undefined ? reason : reason.replaceAll(otherSource, () => redactor.redactSource(otherSource));
  return { source: redactor.redactSource(source), reason: shown, ...(hint === undefined ? {} : { hint }) };
}

export const PROCESS_ENDED = {
  title: "The indexing process ended unexpectedly while it worked on this change.",
  hint: "Send it again. If that fails, too, the document may need more memory than the server has.",
};

/** Whether the indexing process ended while it worked. */
export function causedByExit(error: unknown): boolean {
  return error instanceof VerbatimError && error.cause instanceof ChildExit;
}
