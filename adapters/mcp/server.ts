/** The tools and resources of an assistant, over an open index: it asks and verifies, and never writes. */

import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { Answer } from "../../src/search/types.js";
import { readingBudget } from "../server/http/limits.js";
import { errorDetails, type Log } from "../server/http/log.js";
import { Problem, toProblem } from "../server/http/problems.js";
import type { AskDefaults } from "../server/http/service.js";
import type { IndexHandle } from "../server/index-handle.js";
import { noDocument, placeIn, quote } from "./quote.js";
import * as schemas from "./schemas.js";
import { answersText, listText, passagesText, quoteText } from "./texts.js";

export interface McpParts {
  index: IndexHandle;
  /** Of this package. */
  version: string;
  defaults: AskDefaults;
  log: Log;
  /** Milliseconds for one call. */
  callMs: number;
  /** Lets a call wait for its turn. Default: at once. */
  turn?: <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>;
}

/** UTF-16 units of a document that is handed over whole. */
const MOST_RESOURCE_UNITS = 4_000_000;
/** Resources that are listed; list_documents tells all. */
const LISTED_RESOURCES = 200;

const INSTRUCTIONS = `Verbatim answers from the person's own documents with their exact words and where they stand; it never writes text of its own.
Before you present words as a quotation, verify them with the tool quote. Cite source, line or page, and the offsets. When ask declines, say that the documents do not tell; do not guess.`;

export function createMcpServer(parts: McpParts): McpServer {
  const { index, version } = parts;
  const server = new McpServer({ name: "verbatim", version }, { instructions: INSTRUCTIONS });
  const call = caller(parts);
  const annotations = { readOnlyHint: true, openWorldHint: false } as const;

  server.registerTool(
    "ask",
    {
      title: "Ask the documents",
      description:
        "Answers a question with the exact words of the documents, each with its sentence, source, offsets and confidence. For facts that are written down in one place.",
      inputSchema: schemas.askInput,
      outputSchema: schemas.askOutput,
      annotations,
    },
    ({ question, ...rest }, { signal }) =>
      call(signal, async (within) => {
        const output = await ask(parts, question, { ...rest, signal: within });
        return [answersText(question, output), output];
      }),
  );

  server.registerTool(
    "quote",
    {
      title: "Verify a quotation",
      description:
        "Says whether a quotation stands in the documents, word for word, and where: document, offsets, line or page. If it does not, tells the passage that comes nearest, marked as not the quotation.",
      inputSchema: schemas.quoteInput,
      outputSchema: schemas.quoteOutput,
      annotations,
    },
    ({ quotation, documentId }, { signal }) =>
      call(signal, async (within) => {
        const output = await quote(index, quotation, { documentId, signal: within });
        return [quoteText(output), output];
      }),
  );

  server.registerTool(
    "passages",
    {
      title: "Find passages",
      description:
        "The passages that say most about a question, best first, as they stand. For questions that need more than one sentence.",
      inputSchema: schemas.passagesInput,
      outputSchema: schemas.passagesOutput,
      annotations,
    },
    ({ question, topK, where }, { signal }) =>
      call(signal, async (within) => {
        const output = await passages(index, question, { topK, where, signal: within });
        return [passagesText(output), output];
      }),
  );

  server.registerTool(
    "list_documents",
    {
      title: "List the documents",
      description: "Which documents there are, a page at a time.",
      inputSchema: schemas.listInput,
      outputSchema: schemas.listOutput,
      annotations,
    },
    (query, { signal }) =>
      call(signal, async () => {
        const output = await list(index, query);
        return [listText(output), output];
      }),
  );

  registerDocuments(server, parts);
  return server;
}

/** Runs a tool: on the newest version, in its turn, in time; what goes wrong becomes the tool's own error, with the next step. */
function caller({ index, log, callMs, turn = (_, work) => work() }: McpParts) {
  return async (
    given: AbortSignal,
    work: (signal: AbortSignal) => Promise<[text: string, output: Record<string, unknown>]>,
  ): Promise<CallToolResult> => {
    const signal = AbortSignal.any([given, AbortSignal.timeout(callMs)]);
    try {
      await index.refresh();
      const [text, structuredContent] = await turn(signal, () => work(signal));
      return { content: [{ type: "text", text }], structuredContent };
    } catch (error) {
      return { content: [{ type: "text", text: told(error, log) }], isError: true };
    }
  };
}

/** What an assistant may know of an error: no path and no stack of this machine. */
function told(error: unknown, log: Log): string {
  const { document } = toProblem(error);
  if (document.status >= 500 && !(error instanceof Problem)) log("error", "failed", errorDetails(error));
  return [document.title, document.hint].filter(Boolean).join(" ");
}

async function ask(
  { index, defaults, callMs }: McpParts,
  question: string,
  options: { topK: number; minConfidence?: number; where?: string; signal: AbortSignal },
): Promise<schemas.AskOutput> {
  const { redactor } = index;
  const open = index.requireOpen();
  const { minConfidence = defaults.minConfidence, ...rest } = options;
  const { readerMode } = defaults;
  const budgetMs = readingBudget({ questionMs: callMs });
  const asked = await open.ask(question, { ...rest, minConfidence, readerMode, budgetMs });
  const { answers, found, declined, nearest } = asked;
  const stretch = ({ documentId, title, source, start, end, place, score, text }: Answer): schemas.PassageView => {
    return {
      documentId: redactor.redact(documentId),
      title,
      source: redactor.redact(source),
      start,
      end,
      place,
      score,
      text,
    };
  };
  return {
    version: open.version,
    found,
    answers: answers.map((answer) => ({
      ...stretch(answer),
      context: answer.context,
      ...(answer.confidence === undefined ? {} : { confidence: answer.confidence }),
      otherPlaces: answer.evidence.length,
    })),
    ...(declined === undefined ? {} : { declined }),
    ...(nearest === undefined ? {} : { nearest: nearest.map(stretch) }),
  };
}

async function passages(
  index: IndexHandle,
  question: string,
  { topK, where, signal }: { topK: number; where?: string; signal: AbortSignal },
): Promise<schemas.PassagesOutput> {
  const options = { topK: 1, readerMode: "off", minConfidence: 0, rankedPassages: topK, where, signal } as const;
  const { redactor, documents } = index;
  const open = index.requireOpen();
  const { version } = open;
  const found: schemas.PassageView[] = [];
  for (const { documentId, start, end, score } of (await open.ask(question, options)).passages) {
    const document = await documents.whole(redactor.redact(documentId));
    if (document === undefined) continue;
    const { id, title, source, text } = document;
    const place = placeIn(document, start);
    found.push({ documentId: id, title, source, start, end, place, score, text: text.slice(start, end) });
  }
  return { version, passages: found };
}

async function list(
  index: IndexHandle,
  query: { limit: number; after?: string; contains?: string },
): Promise<schemas.ListOutput> {
  const page = index.isOpen ? await index.documents.list(query) : { documents: [], total: 0 };
  if (page === undefined) {
    throw new Problem(400, "invalid-argument", {
      title: "after: there is no such document any more.",
      hint: "Begin again without it.",
    });
  }
  return { ...page, documents: page.documents.map(({ id, title, source, length }) => ({ id, title, source, length })) };
}

function registerDocuments(server: McpServer, { index, log }: McpParts): void {
  const uriOf = (id: string): string => `verbatim://documents/${encodeURIComponent(id)}`;
  const template = new ResourceTemplate("verbatim://documents/{id}", {
    list: async () => {
      await index.refresh();
      const { documents } = await list(index, { limit: LISTED_RESOURCES });
      return {
        resources: documents.map(({ id, title }) => ({ uri: uriOf(id), name: id, title, mimeType: "text/plain" })),
      };
    },
  });
  server.registerResource(
    "document",
    template,
    { title: "A document's text", description: "Offsets of answers refer to it.", mimeType: "text/plain" },
    async (uri, { id }) => {
      try {
        await index.refresh();
        const document = await index.documents.whole(decoded(String(id)));
        if (document === undefined) throw noDocument();
        if (document.text.length > MOST_RESOURCE_UNITS) {
          const hint = "Use passages or quote, which look into it.";
          throw new Problem(413, "too-large", { title: "The document is too long to be handed over whole.", hint });
        }
        return { contents: [{ uri: uri.href, mimeType: "text/plain", text: document.text }] };
      } catch (error) {
        throw new Error(told(error, log));
      }
    },
  );
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    throw noDocument();
  }
}
