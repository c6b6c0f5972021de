/** Bounds that keep one caller from taking the server from the others. Every one can be set by whoever starts it. */

export interface Limits {
  /** Bytes of a JSON body. */
  maxJsonBytes: number;
  /** Bytes of an uploaded file, or of a document that is put. */
  maxUploadBytes: number;
  /** UTF-16 units of a question: the model reads far fewer. */
  maxQuestionUnits: number;
  /** UTF-16 units of a filter. */
  maxWhereUnits: number;
  /** Questions of one request. */
  maxBatch: number;
  /** Answers wanted of one question. */
  maxTopK: number;
  /** Questions that are worked on at once (of a server: one a thread) … */
  concurrency: number;
  /** … and that may wait for it, of all callers and of one; more get 429. */
  maxWaiting: number;
  maxWaitingPerClient: number;
  /** Questions a second that one caller may ask for long, and at once after a pause. */
  ratePerSecond: number;
  rateBurst: number;
  /** Milliseconds from the arrival of a question to the end of its answer. */
  questionMs: number;
  /** Milliseconds in which a request must have come whole. */
  requestMs: number;
  /** Changes that wait to be taken in; more get 429. */
  maxJobs: number;
  /** Bytes of their content together. */
  maxJobBytes: number;
  /** Milliseconds that a stopping server gives to what it has taken. */
  stopMs: number;
  /** Open connections. */
  maxConnections: number;
}

/** Milliseconds after which no more passages are read, so that there is an answer within `questionMs`. */
export function readingBudget({ questionMs }: Pick<Limits, "questionMs">): number {
  return Math.max(1, questionMs / 2);
}

const MIB = 1024 * 1024;

export const DEFAULT_LIMITS: Readonly<Limits> = {
  maxJsonBytes: 256 * 1024,
  maxUploadBytes: 64 * MIB,
  maxQuestionUnits: 2000,
  maxWhereUnits: 4000,
  maxBatch: 64,
  maxTopK: 100,
  concurrency: 2,
  maxWaiting: 128,
  maxWaitingPerClient: 96,
  ratePerSecond: 400,
  rateBurst: 800,
  questionMs: 10_000,
  requestMs: 60_000,
  maxJobs: 64,
  maxJobBytes: 256 * MIB,
  stopMs: 15_000,
  maxConnections: 512,
};
