/** A request that a server or a site refused, or that did not reach it. */

export class RequestError extends Error {
  readonly status: number;
  /** Code of the problem document; "unreachable" if there was no response, "" if it had no code. */
  readonly code: string;
  /** With the code "index-building": 0 to 1, if it is known. */
  readonly progress: number | undefined;

  /** @param message  in English, from the server; "" if it gave none */
  constructor(message: string, status: number, { code = "", progress }: { code?: string; progress?: number } = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.progress = progress;
  }
}
