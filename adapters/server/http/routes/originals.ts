/** What the page needs to show a document as it looks: its layout, and the original of a PDF. */

import { Readable } from "node:stream";
import type { Hono } from "hono";
import type { SourceMap } from "../../../../src/types.js";
import { type Box, boxOfPath } from "../../../node/documents/formats/pages/page-lines.js";
import type { DocumentOrigin } from "../../document-store.js";
import type { OriginalFile } from "../../original-files.js";
import { requireScope } from "../access.js";
import { Problem } from "../problems.js";
import { parsed, queryOf } from "../request-body.js";
import { type Env, requireIndex, type Service } from "../service.js";
import { idOf, noDocument, read } from "./documents.js";

/** Sending costs a token of the read rate for each this many bytes. */
const BYTES_PER_TOKEN = 1024 * 1024;

export function registerOriginals(app: Hono<Env>, service: Service): void {
  const { schemas, index } = service;

  app.get("/v1/documents/:id/layout", async (c) => {
    const { client } = requireScope(c, service, "ask");
    const id = idOf(c, service);
    const query = parsed(schemas.TextQuery, queryOf(c));
    requireIndex(service);
    const work = async () => {
      const origin = await index.documents.origin(id);
      if (origin === undefined) throw noDocument();
      const opened = await openPdf(service, origin);
      await opened?.file.close();
      const { from, to = origin.length } = query;
      const pages = pagesOf(origin.map, origin.length).filter(({ start, end }) => end > from && start < to);
      const boxes = boxesOf(origin.map, { from, to });
      return { kind: origin.map.kind, original: opened !== undefined, pages, boxes };
    };
    return c.json(await read(c, service, { client, work }));
  });

  app.get("/v1/documents/:id/original", async (c) => {
    const { client } = requireScope(c, service, "ask");
    const id = idOf(c, service);
    requireIndex(service);
    const opened = await read(c, service, {
      client,
      work: async () => {
        const origin = await index.documents.origin(id);
        return origin && openPdf(service, origin);
      },
    });
    if (opened === undefined) throw noOriginal();
    const { file, bytes } = opened;
    const sends = c.req.method !== "HEAD";
    try {
      if (sends) service.readRate.take(client, Math.floor(bytes / BYTES_PER_TOKEN));
    } catch (error) {
      await file.close();
      throw error;
    }
    c.header("Content-Type", "application/pdf");
    c.header("Content-Length", String(bytes));
    c.header("Content-Disposition", "attachment");
    if (!sends) {
      await file.close();
      return c.body(null);
    }
    // A file that grows while it is sent is cut to the length that was announced.
    const stream = file.createReadStream({ start: 0, end: Math.max(0, bytes - 1) });
    return c.body(Readable.toWeb(stream) as ReadableStream<Uint8Array>);
  });
}

/** The file of a document, if it is a PDF that may be sent. */
async function openPdf(service: Service, origin: DocumentOrigin): Promise<OriginalFile | undefined> {
  if (origin.map.kind !== "pdf") return undefined;
  const opened = await service.originals?.open(origin);
  if (opened === undefined || opened.bytes <= service.limits.maxOriginalBytes) return opened;
  await opened.file.close();
  return undefined;
}

/** The range of the text that each page gave; empty for formats without pages. */
export function pagesOf({ segments }: SourceMap, length: number): { page: number; start: number; end: number }[] {
  const pages: { page: number; start: number; end: number }[] = [];
  for (const { page, start } of segments) {
    if (page === undefined || page === pages.at(-1)?.page) continue;
    const last = pages.at(-1);
    if (last !== undefined) last.end = start;
    pages.push({ page, start, end: length });
  }
  return pages;
}

/** The rectangles of the recognised words in a range of the text, one for each line, in percent of their page. */
export function boxesOf(
  { segments }: SourceMap,
  { from, to }: { from: number; to: number },
): (Box & { page: number })[] {
  const boxes: (Box & { page: number })[] = [];
  for (const [i, { start, page, path }] of segments.entries()) {
    const end = segments[i + 1]?.start ?? Number.POSITIVE_INFINITY;
    const box = start < to && end > from && path !== undefined ? boxOfPath(path) : undefined;
    if (box === undefined || page === undefined) continue;
    const last = boxes.at(-1);
    if (last?.page === page && isSameLine(last, box)) join(last, box);
    else boxes.push({ page, ...box });
  }
  return boxes;
}

/** Whether a word follows on the line: it is further to the right, and half of its height is next to the one before. */
function isSameLine(before: Box, word: Box): boolean {
  const overlap = Math.min(before.top + before.height, word.top + word.height) - Math.max(before.top, word.top);
  return word.left > before.left && overlap > Math.min(before.height, word.height) / 2;
}

function join(line: Box, word: Box): void {
  const bottom = Math.max(line.top + line.height, word.top + word.height);
  line.width = Math.max(line.left + line.width, word.left + word.width) - line.left;
  line.top = Math.min(line.top, word.top);
  line.height = bottom - line.top;
}

function noOriginal(): Problem {
  return new Problem(404, "no-original", {
    title: "The original of this document cannot be shown.",
    hint: "Only uploaded PDFs and those that are still in a served folder are sent; GET /v1/documents/{id} has the text.",
  });
}
