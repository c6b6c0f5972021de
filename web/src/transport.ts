/** Where a page gets its answers: the HTTP API of a server, or the engine in this browser. */

import type { DocumentLayout, DocumentText, Result } from "./api.js";

export interface Transport {
  /** Reports the best answers so far, and again when they improve. @throws RequestError */
  ask(question: string, rest: { signal: AbortSignal; onResult: (result: Result) => void }): Promise<void>;
  /**
   * The answers with the parts of their scores; undefined on a site that finds only sentences.
   * @throws RequestError
   */
  explain: ((question: string) => Promise<Result>) | undefined;
  /** A part of a document. @throws RequestError */
  readDocument(id: string, from: number, to: number): Promise<DocumentText>;
  /**
   * How a part of a document is laid out; undefined where only the text is known.
   * @throws RequestError
   */
  readLayout?: (id: string, from: number, to: number) => Promise<DocumentLayout>;
  /** The file that a document came from, if its layout says so. @throws RequestError */
  readOriginal?: (id: string) => Promise<ArrayBuffer>;
}
