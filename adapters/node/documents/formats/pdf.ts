/** PDF: the text of each page, read in a thread of its own with a limit on time, pages and memory. */

import type { Worker } from "node:worker_threads";
import { throwIfAborted, VerbatimError } from "../../../../src/errors.js";
import type { Document } from "../../../../src/types.js";
import { startWorker } from "../../threads/start-worker.js";
import type { ReadContext } from "../input.js";
import { unreadable } from "../skip.js";
import type { PdfReply, PdfRequest } from "./pdf-worker.js";
import { metadataOf } from "./records.js";
import { TextBuilder } from "./text-builder.js";

/**
 * Title: that of the document's information, else the file's name. A segment a page; pages are apart by a blank line.
 * @param bytes  given away: the buffer is moved to the thread and empty afterwards
 * @throws VerbatimError `unreadable-document` when password-protected, damaged, without text, or beyond a limit;
 *   `aborted`
 */
export async function readPdf(bytes: Uint8Array, context: ReadContext): Promise<Document[]> {
  // Other producers put bytes before the header; Adobe and pdf.js accept it in the first 1024.
  if (!Buffer.from(bytes.subarray(0, 1024)).includes("%PDF-")) {
    throw unreadable("is damaged (it does not begin like a PDF)", "Fetch it again, or leave it out.");
  }
  throwIfAborted(context.signal);
  const builder = new TextBuilder(context.limits.maxTextUnits);
  const info = await readPages(bytes, builder, context);
  if (builder.length === 0) {
    throw unreadable("has no text (scanned pages?)", "Run text recognition (OCR) on it first.");
  }
  return [
    {
      id: context.input.id,
      title: isTelling(info.title) ? info.title.replace(/\s+/g, " ") : context.name,
      text: builder.text(),
      source: context.input.path,
      map: { kind: "pdf", segments: builder.segments },
      metadata: metadataOf(Object.entries({ author: info.author || undefined, pages: info.pages })),
    },
  ];
}

interface PdfInfo {
  pages: number;
  title: string;
  author: string;
}

async function readPages(bytes: Uint8Array, builder: TextBuilder, context: ReadContext): Promise<PdfInfo> {
  const { limits, signal } = context;
  const request: PdfRequest = { bytes, maxPages: limits.maxPdfPages };
  const isWhole = bytes.byteOffset === 0 && bytes.byteLength === bytes.buffer.byteLength;
  const worker = startWorker("pdf-worker", import.meta.url, {
    workerData: request,
    transferList: isWhole ? [bytes.buffer as ArrayBuffer] : [],
    resourceLimits: { maxOldGenerationSizeMb: limits.maxPdfHeapMiB },
    stdout: true,
    stderr: true,
  });
  // What pdf.js prints about a broken file is not for the person's terminal.
  worker.stdout.resume();
  worker.stderr.resume();
  let timer: NodeJS.Timeout | undefined;
  let stop = () => {};
  try {
    return await new Promise<PdfInfo>((resolve, reject) => {
      stop = () => reject(new Stopped());
      signal?.addEventListener("abort", stop, { once: true });
      // Counted from when the thread is up: how long that takes on a busy machine is not the file's fault.
      const onReady = () => {
        timer = setTimeout(() => reject(timeout(limits.maxPdfMs)), limits.maxPdfMs);
      };
      receivePages(worker, { builder, maxPages: limits.maxPdfPages, onReady, resolve, reject });
    });
  } catch (error) {
    if (error instanceof Stopped) throwIfAborted(signal);
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
    await worker.terminate();
  }
}

/** Ends the wait; what the caller sees is `aborted`. */
class Stopped extends Error {}

function receivePages(
  worker: Worker,
  to: {
    builder: TextBuilder;
    maxPages: number;
    onReady: () => void;
    resolve: (info: PdfInfo) => void;
    reject: (error: unknown) => void;
  },
): void {
  let info: PdfInfo = { pages: 0, title: "", author: "" };
  let ready = false;
  worker.on("message", (reply: PdfReply) => {
    try {
      if (reply.kind === "ready") {
        ready = true;
        to.onReady();
      } else if (reply.kind === "open") {
        info = { pages: reply.pages, title: reply.title, author: reply.author };
        if (info.pages > to.maxPages) {
          to.reject(unreadable(`has more than ${to.maxPages} pages`, "Split it, or raise the limit."));
        }
      } else if (reply.kind === "page") {
        to.builder.separate("\n\n");
        to.builder.write(reply.text, { page: reply.number });
      } else if (reply.kind === "done") to.resolve(info);
      else to.reject(failure(reply));
    } catch (error) {
      to.reject(error);
    }
  });
  worker.on("error", (error: NodeJS.ErrnoException) => {
    const isMemory = error.code === "ERR_WORKER_OUT_OF_MEMORY";
    if (!ready && !isMemory)
      to.reject(new VerbatimError("internal", "The PDF reader does not start.", { cause: error }));
    const reason = isMemory ? "needs too much memory to read" : "is damaged (its pages cannot be read)";
    to.reject(unreadable(reason, "Print it to a new PDF, or leave it out.", error));
  });
  worker.on("exit", () => to.reject(unreadable("is damaged (reading it broke off)", "Print it to a new PDF.")));
}

function timeout(milliseconds: number): Error {
  return unreadable(
    `took longer than ${Math.round(milliseconds / 100) / 10} s to read`,
    "Print it to a new PDF, or raise the limit.",
  );
}

function failure(reply: { name: string; message: string }): Error {
  if (reply.name === "PasswordException") {
    return unreadable("is password-protected", "Save a copy without a password.", reply);
  }
  return unreadable("is damaged (it cannot be read as a PDF)", "Fetch it again, or print it to a new PDF.", reply);
}

/** Programs fill the title with file names and their own name: those say less than the file's name. */
function isTelling(title: string): boolean {
  return (
    /\p{L}{2}/u.test(title) &&
    !/^(untitled|microsoft word\s*-|powerpoint presentation$)/i.test(title) &&
    !/\.(docx?|tex|dvi|indd|qxd|pdf|pptx?)$/i.test(title)
  );
}
