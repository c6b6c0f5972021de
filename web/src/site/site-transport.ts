/** The engine in this browser, as a page asks it. */

import type { Site } from "../../../adapters/browser/site.js";
import { RequestError } from "../api.js";
import type { Transport } from "../transport.js";

/** The status of a failure that no server told. */
const NO_STATUS = 0;

/** Opens a site at the first call; after a failure the next one tries again. */
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
      await told(async () => {
        for await (const result of (await site()).ask(question, { signal })) onResult(result);
      });
    },
    explain: options.hasPhrases ? (question) => told(async () => (await site()).explain(question)) : undefined,
    readDocument: (id, from, to) => told(async () => (await site()).readDocument(id, from, { to })),
  };
}

async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new RequestError(wordsOf(error), NO_STATUS);
  }
}

/** Message and next step. */
export function wordsOf(error: unknown): string {
  const { message, hint } = error as { message?: string; hint?: string };
  return [message ?? "That did not work.", hint].filter(Boolean).join(" ");
}
