/**
 * Bounds that keep one caller from taking the server from the others. All of them can be set by the
 * program that starts it.
 */

export interface Limits {
  /** Bytes of a JSON body. */
  maxJsonBytes: number;
  /** Bytes of an uploaded file. */
  maxUploadBytes: number;
  /** Bytes of the JSON body of a document. */
  maxDocumentBytes: number;
  /** Bytes of memory for a document's metadata: two per UTF-16 unit and 16 per value. */
  maxMetadataBytes: number;
  /** UTF-16 units of a question. The model reads far fewer. */
  maxQuestionUnits: number;
  /** UTF-16 units of a filter. */
  maxWhereUnits: number;
  /** UTF-16 units of a document's text in one response. */
  maxTextUnits: number;
  /** Bytes of an original file that is sent to be shown. */
  maxOriginalBytes: number;
  /** Bytes of the PDF files of uploaded documents, which are kept to be shown. 0: none is kept. */
  maxKeptBytes: number;
  /** Questions of one request. */
  maxBatch: number;
  /** Quotations of one request, also those of a draft. */
  maxQuotations: number;
  /** UTF-16 units of a quotation. */
  maxQuotationUnits: number;
  /** Answers to one question. */
  maxTopK: number;
  /** Questions answered at once. The server sets it to its number of answering threads. */
  concurrency: number;
  /**
   * Questions (and, counted separately, document reads) that may wait, of all callers; more get
   * 429.
   */
  maxWaiting: number;
  /** The same for one caller. */
  maxWaitingPerClient: number;
  /**
   * Questions that one caller may send per second for long, and, counted separately, reads of
   * 16,384 units of documents.
   */
  ratePerSecond: number;
  /** The same at once, after a pause. */
  rateBurst: number;
  /** Requests of any kind that one caller may send per second for long. */
  requestsPerSecond: number;
  /** The same at once, after a pause. */
  requestBurst: number;
  /** Milliseconds from the arrival of a question to the end of its answer. */
  questionMs: number;
  /** Milliseconds in which a request must have arrived completely. */
  requestMs: number;
  /**
   * Milliseconds in which a client must have taken its response, from the moment its head was sent.
   */
  responseMs: number;
  /** Changes that may wait to be indexed; more get 429. */
  maxJobs: number;
  /** Bytes of their content together, with titles and metadata. */
  maxJobBytes: number;
  /**
   * Milliseconds that a stopping server gives to questions and changes in progress before it ends
   * them.
   */
  stopMs: number;
  /** Open connections. */
  maxConnections: number;
  /**
   * Open connections of one address; the addresses of this machine count as one, and so does an
   * IPv6 /64 network. A new connection beyond it replaces one that is idle or slow, and is refused
   * if there is none.
   */
  maxConnectionsPerAddress: number;
}

/**
 * @returns milliseconds after which the reader stops, so that the answer is ready within
 *   `questionMs`
 */
export function readingBudget({ questionMs }: Pick<Limits, "questionMs">): number {
  return Math.max(1, questionMs / 2);
}

const MIB = 1024 * 1024;

export const DEFAULT_LIMITS: Readonly<Limits> = {
  maxJsonBytes: 256 * 1024,
  maxUploadBytes: 64 * MIB,
  maxDocumentBytes: 16 * MIB,
  maxMetadataBytes: 256 * 1024,
  maxQuestionUnits: 2000,
  maxWhereUnits: 4000,
  maxTextUnits: 256 * 1024,
  maxOriginalBytes: 256 * MIB,
  maxKeptBytes: 4096 * MIB,
  maxBatch: 64,
  maxQuotations: 500,
  maxQuotationUnits: 20_000,
  maxTopK: 100,
  concurrency: 2,
  maxWaiting: 128,
  maxWaitingPerClient: 96,
  ratePerSecond: 400,
  rateBurst: 800,
  requestsPerSecond: 2000,
  requestBurst: 4000,
  questionMs: 10_000,
  requestMs: 60_000,
  responseMs: 60_000,
  maxJobs: 64,
  maxJobBytes: 256 * MIB,
  stopMs: 8000,
  maxConnections: 512,
  maxConnectionsPerAddress: 128,
};
