/**
 * The worker's side of phrase search: opens the index of one site and answers questions until the
 * page ends it.
 */

import { VerbatimError } from "../../src/errors.js";
import { type WebPort, webEndpoint } from "../rpc/endpoint.js";
import { serve } from "../rpc/server.js";
import { PhraseSearch } from "./phrase-search.js";
import type { PhraseService } from "./phrase-service.js";
import { SiteBlobs } from "./site-blobs.js";
import type { OpenNetwork } from "./site-encoder.js";

/**
 * @param scope  a worker's global scope, or one end of a channel
 * @param openNetwork  runs the network in this worker
 */
export function servePhrases(scope: WebPort, openNetwork: OpenNetwork): void {
  let search: Promise<PhraseSearch> | undefined;
  serve<PhraseService>(webEndpoint(scope), {
    open: async ({ base, files }, { report }) => {
      search = PhraseSearch.open({
        blobs: new SiteBlobs({ base: new URL(base) }),
        files,
        openNetwork,
        onBytes: report,
      });
      await search;
    },
    ask: async ({ question, topK, explain }, { signal }) => {
      if (search === undefined) throw new VerbatimError("internal", "No site is open.");
      return (await search).ask(question, { topK, explain, signal });
    },
  });
}
