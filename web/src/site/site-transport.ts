/** A transport to the engine in this browser. */

import type { Site } from "../../../adapters/browser/site.js";
import { RequestError } from "../request-error.js";
import type { Transport } from "../transport.js";

/** The status of an error that did not come from a server. */
const NO_STATUS = 0;

/** Opens a site at the first call. After an error, the next call tries again. */
export function opener(open: () => Promise<Site>): () => Promise<Site> {
  let site: Promise<Site> | undefined;
  return () => {
    site ??= open().catch((error) => {
      site = undefined;
      throw error;
    });
    return site;
  };
}

export function siteTransport(site: () => Promise<Site>, options: { hasPhrases: boolean }): Transport {
  return {
    async ask(question, { signal, onResult }) {
      await asRequestError(async () => {
        for await (const result of (await site()).ask(question, { signal })) onResult(result);
      });
    },
    explain: options.hasPhrases
      ? (question) => asRequestError(async () => (await site()).explain(question))
      : undefined,
    readDocument: (id, from, to) => asRequestError(async () => (await site()).readDocument(id, from, { to })),
  };
}

/** @throws RequestError with the code, the message and the hint of what `work` throws */
export async function asRequestError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { message, hint, code } = error as { message?: string; hint?: string; code?: string };
    throw new RequestError([message, hint].filter(Boolean).join(" "), NO_STATUS, { code });
  }
}
