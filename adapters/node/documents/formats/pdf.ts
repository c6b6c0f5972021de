/** PDF: the text of each page. */

import { getDocumentProxy } from "unpdf";
import type { Document } from "../../../../src/types.js";
import type { ReadContext } from "../input.js";
import { unreadable } from "../skip.js";
import { type PdfItem, pageText } from "./pdf-layout.js";
import { metadataOf } from "./records.js";
import { TextBuilder } from "./text-builder.js";

/**
 * Title: that of the document's information, else the file's name. One segment per page; a blank line between pages.
 * @throws VerbatimError `unreadable-document` when password-protected, damaged, without text, or beyond a limit
 */
export async function readPdf(bytes: Uint8Array, context: ReadContext): Promise<Document[]> {
  // Some producers put bytes before the header; Adobe and pdf.js accept it in the first 1024.
  if (!Buffer.from(bytes.subarray(0, 1024)).includes("%PDF-")) {
    throw unreadable("is damaged (it does not begin like a PDF)", "Fetch it again, or leave it out.");
  }
  const builder = new TextBuilder(context.limits);
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
  const { maxPdfPages: maxPages } = context.limits;
  // pdf.js reports errors only, and not on the console.
  const pdf = await orDamaged(getDocumentProxy(bytes, { verbosity: 0 }));
  try {
    if (pdf.numPages > maxPages) throw unreadable(`has more than ${maxPages} pages`, "Split it, or raise the limit.");
    const { info } = await pdf.getMetadata().catch(() => ({ info: {} }));
    const { Title, Author } = info as { Title?: unknown; Author?: unknown };
    for (let number = 1; number <= pdf.numPages; number++) {
      const page = await orDamaged(pdf.getPage(number));
      const { items } = await orDamaged(page.getTextContent());
      builder.separate("\n\n");
      builder.write(pageText(items.filter((item): item is typeof item & PdfItem => "str" in item)), { page: number });
      page.cleanup();
      context.onPart();
    }
    return { pages: pdf.numPages, title: stringOf(Title), author: stringOf(Author) };
  } finally {
    await pdf.destroy().catch(() => {});
  }
}

async function orDamaged<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    if ((error as Error)?.name === "PasswordException") {
      throw unreadable("is password-protected", "Save a copy without a password.", error);
    }
    throw unreadable("is damaged (it cannot be read as a PDF)", "Fetch it again, or print it to a new PDF.", error);
  }
}

function stringOf(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

/** Programs fill the title with file names and their own name: those say less than the file's name. */
function isTelling(title: string): boolean {
  return (
    /\p{L}{2}/u.test(title) &&
    !/^(untitled|microsoft word\s*-|powerpoint presentation$)/i.test(title) &&
    !/\.(docx?|tex|dvi|indd|qxd|pdf|pptx?)$/i.test(title)
  );
}
