/** The thread that reads one PDF: what pdf.js does with a hostile file can then be stopped from outside. */

import { parentPort, workerData } from "node:worker_threads";
import { getDocumentProxy, getResolvedPDFJS } from "unpdf";
import { type PdfItem, pageText } from "./pdf-layout.js";

export interface PdfRequest {
  bytes: Uint8Array;
  maxPages: number;
}

/** `ready` comes first: a thread that ends without it could not be started, which is no fault of the file. */
export type PdfReply =
  | { kind: "ready" }
  | { kind: "open"; pages: number; title: string; author: string }
  | { kind: "page"; number: number; text: string }
  | { kind: "done" }
  | { kind: "error"; name: string; message: string };

async function read(request: PdfRequest, reply: (message: PdfReply) => void): Promise<void> {
  // verbosity 0: errors only, nothing on the person's terminal.
  const pdf = await getDocumentProxy(request.bytes, { verbosity: 0 });
  const { info } = await pdf.getMetadata().catch(() => ({ info: {} }));
  const { Title, Author } = info as { Title?: unknown; Author?: unknown };
  reply({ kind: "open", pages: pdf.numPages, title: stringOf(Title), author: stringOf(Author) });
  const last = Math.min(pdf.numPages, request.maxPages);
  for (let number = 1; number <= last; number++) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    reply({
      kind: "page",
      number,
      text: pageText(items.filter((item): item is typeof item & PdfItem => "str" in item)),
    });
    page.cleanup();
  }
  reply({ kind: "done" });
}

function stringOf(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

if (parentPort !== null) {
  const port = parentPort;
  const reply = (message: PdfReply) => port.postMessage(message);
  await getResolvedPDFJS();
  reply({ kind: "ready" });
  read(workerData as PdfRequest, reply).catch((error: unknown) => {
    const { name, message } = error instanceof Error ? error : { name: "Error", message: String(error) };
    reply({ kind: "error", name, message });
  });
}
