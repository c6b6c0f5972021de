/** The worker's side of phrases: opens the index of the site that it is told of, and answers until it is ended. */

import { type PhraseReply, type PhraseRequest, toldError } from "./phrase-protocol.js";
import { PhraseSearch } from "./phrase-search.js";
import { SiteBlobs } from "./site-blobs.js";
import type { OpenNetwork } from "./site-encoder.js";

/** A worker's global scope, or one end of a channel. */
export interface MessageEnd<In, Out> {
  postMessage(message: Out): void;
  addEventListener(kind: "message", listener: (event: { data: In }) => void): void;
}

/** @param openNetwork  runs the network in this worker */
export function servePhrases(scope: MessageEnd<PhraseRequest, PhraseReply>, openNetwork: OpenNetwork): void {
  let search: Promise<PhraseSearch> | undefined;
  const underWay = new Map<number, AbortController>();
  const open = async (base: string): Promise<void> => {
    const onBytes = (bytes: number): void => scope.postMessage({ kind: "bytes", bytes });
    const blobs = new SiteBlobs({ base: new URL(base) });
    search = PhraseSearch.open({ blobs, openNetwork, onBytes });
    try {
      await search;
      scope.postMessage({ kind: "ready" });
    } catch (error) {
      scope.postMessage({ kind: "failed", error: toldError(error) });
    }
  };
  const ask = async ({ id, question, topK, explain }: Extract<PhraseRequest, { kind: "ask" }>): Promise<void> => {
    const controller = new AbortController();
    underWay.set(id, controller);
    try {
      const result = await (await search!).ask(question, { topK, explain, signal: controller.signal });
      scope.postMessage({ kind: "answer", id, result });
    } catch (error) {
      scope.postMessage({ kind: "refused", id, error: toldError(error) });
    } finally {
      underWay.delete(id);
    }
  };
  scope.addEventListener("message", ({ data }) => {
    if (data.kind === "open") void open(data.base);
    else if (data.kind === "ask") void ask(data);
    else underWay.get(data.id)?.abort();
  });
}
