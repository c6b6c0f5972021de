/** What a page asks: the HTTP API of a server, or the engine in this browser. One view shows the answers of either. */

import type { DocumentText, Result } from "./api.js";

export interface Transport {
  /** Tells the best answers so far, and again as they get better. @throws RequestError */
  ask(question: string, rest: { signal: AbortSignal; onResult: (result: Result) => void }): Promise<void>;
  /** The answers with what their scores are made of; undefined where nothing but sentences is found. @throws RequestError */
  explain: ((question: string) => Promise<Result>) | undefined;
  /** A part of a document. @throws RequestError */
  readDocument(id: string, from: number, to: number): Promise<DocumentText>;
}
