/** The documents as resources: listed and read whole. */

import { type McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { Problem } from "../server/http/problems.js";
import { costOfReading, QUESTION_COST } from "./call-cost.js";
import { type CallCost, inTurn, type McpParts, publicMessage } from "./calls.js";
import { list } from "./list.js";
import { noDocument } from "./quote.js";
import { DATA, safeLine } from "./untrusted-text.js";

/** Longest document that is returned whole, in UTF-16 units. */
const MAX_RESOURCE_UNITS = 4_000_000;
/** Resources in one listing; list_documents lists all documents. */
const LISTED_RESOURCES = 200;

export function registerDocuments(server: McpServer, parts: McpParts): void {
  const { index, log } = parts;
  const run = async <T>(given: CallCost, work: () => Promise<T>): Promise<T> => {
    try {
      return await inTurn(parts, given, work);
    } catch (error) {
      throw new Error(publicMessage(error, log));
    }
  };
  const template = new ResourceTemplate("verbatim://documents/{id}", {
    list: ({ signal }) =>
      run({ cost: QUESTION_COST, signal }, async () => {
        const { documents } = await list(index, { limit: LISTED_RESOURCES });
        // a URI cannot hold half a surrogate pair
        const named = documents.filter(({ id }) => !/\p{Cs}/u.test(id));
        return {
          resources: named.map(({ id, title }) => ({
            uri: `verbatim://documents/${encodeURIComponent(id)}`,
            name: safeLine(id),
            title: safeLine(title),
            mimeType: "text/plain",
          })),
        };
      }),
  });
  server.registerResource(
    "document",
    template,
    {
      title: "The text of a document",
      description: `Offsets of answers refer to it. ${DATA}`,
      mimeType: "text/plain",
    },
    async (uri, { id }, { signal }) => {
      const lengthOf = async (): Promise<number> =>
        (index.isOpen ? await index.documents.record(decodeId(String(id))) : undefined)?.length ?? 0;
      const cost = costOfReading(Math.min(await lengthOf().catch(() => 0), MAX_RESOURCE_UNITS)); // its errors are reported below
      return run({ cost, signal }, async () => {
        const documentId = decodeId(String(id));
        if ((await lengthOf()) > MAX_RESOURCE_UNITS) {
          const hint = "Use passages or quote, which search in it.";
          throw new Problem(413, "too-large", { title: "The document is too long to be returned whole.", hint });
        }
        const document = await index.documents.whole(documentId);
        if (document === undefined) throw noDocument();
        return { contents: [{ uri: uri.href, mimeType: "text/plain", text: document.text }] };
      });
    },
  );
}

/** @throws Problem 404 for a name that is not percent-encoded UTF-8 */
function decodeId(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    throw noDocument();
  }
}
