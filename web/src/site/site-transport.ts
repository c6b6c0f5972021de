/** A transport to the engine in this browser. */

import type { Site } from "../../../adapters/browser/site.js";
import { RequestError } from "../api.js";
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

async function asRequestError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new RequestError(messageOf(error), NO_STATUS);
  }
}

/** The message of an error and its hint. */
export function messageOf(error: unknown): string {
  const { message, hint } = error as { message?: string; hint?: string };
  return [message ?? "Something went wrong.", hint].filter(Boolean).join(" ");
}
