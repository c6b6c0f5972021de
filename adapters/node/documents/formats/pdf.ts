/** PDF: the text of each page; of pages that are pictures, a side-car's or what is recognised. */

import { getDocumentProxy } from "unpdf";
import { oneLine } from "../../../../src/text/one-line.js";
import type { Document } from "../../../../src/types.js";
import type { ReadContext } from "../input.js";
import { unreadable } from "../skip.js";
import { characterMapFolder } from "./pages/character-maps.js";
import type { TextPage } from "./pages/page-lines.js";
import { type FilledField, filledFields, withFilledFields } from "./pages/pdf-fields.js";
import { linesOfItems, type PdfItem } from "./pages/pdf-lines.js";
import { writePages } from "./pages/write-pages.js";
import { metadataOf } from "./records.js";
import { tooManyPages } from "./scans/image.js";
import { hasLetters, RecognizedText } from "./scans/recognized.js";
import { INSTALL_HINT, openRecognizer } from "./scans/recognizer.js";
import { isPicture, recognizePage } from "./scans/scanned-page.js";
import { readSideCar } from "./scans/side-car.js";
import { TextBuilder } from "./text-builder.js";

/**
 * Title: that of the document's information, else the largest text of the first page, else the file's name. Each
 * piece of text has its page; recognised words have their boxes, too. Fields: `author`, `pages`, and `ocr.confidence`
 * where text was recognised.
 * @throws VerbatimError `unreadable-document` when password-protected, damaged, without text, or beyond a limit
 */
export async function readPdf(bytes: Uint8Array, context: ReadContext): Promise<Document[]> {
  // Some producers put bytes before the header; Adobe and pdf.js accept it in the first 1024.
  if (!Buffer.from(bytes.subarray(0, 1024)).includes("%PDF-")) {
    throw unreadable("is damaged (it does not begin like a PDF)", "Fetch it again, or leave it out.");
  }
  const recognized = new RecognizedText(context.limits);
  const info = await readPages(bytes, context, recognized);
  const builder = new TextBuilder(context.limits);
  const { title: largest } = writePages(builder, info.pages);
  if (builder.length === 0) {
    throw context.ocr
      ? unreadable("has no text that can be recognised", "Leave it out, or scan it again, upright and at 300 dpi.")
      : unreadable("has no text layer (scanned pages?)", `Read it with --ocr (needs: ${INSTALL_HINT}).`);
  }
  return [
    {
      id: context.input.id,
      title: isDescriptive(info.title) ? oneLine(info.title) : largest || context.name,
      source: context.input.path,
      ...builder.content("pdf"),
      metadata: metadataOf([
        ["author", info.author || undefined],
        ["pages", info.pageCount],
        ["ocr.confidence", recognized.confidence],
      ]),
    },
  ];
}

interface PdfContent {
  pages: TextPage[];
  pageCount: number;
  title: string;
  author: string;
}

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

async function readPages(bytes: Uint8Array, context: ReadContext, recognized: RecognizedText): Promise<PdfContent> {
  const { maxPdfPages: maxPages, maxImagePixels } = context.limits;
  // pdf.js reports errors only, and not on the console.
  const characterMaps = { cMapUrl: characterMapFolder(), cMapPacked: true };
  const pdf = await orDamaged(
    getDocumentProxy(bytes, { verbosity: 0, maxImageSize: maxImagePixels, ...characterMaps }),
  );
  try {
    if (pdf.numPages > maxPages) throw unreadable(`has more than ${maxPages} pages`, "Split it, or raise the limit.");
    const { info } = await pdf.getMetadata().catch(() => ({ info: {} }));
    const { Title, Author } = info as { Title?: unknown; Author?: unknown };
    let pages: TextPage[] = [];
    /** By number of the page. */
    const fields = new Map<number, FilledField[]>();
    for (let number = 1; number <= pdf.numPages; number++) {
      const page = await orDamaged(pdf.getPage(number));
      const { items, styles } = await orDamaged(page.getTextContent());
      const monospace = new Set(Object.keys(styles).filter((font) => styles[font]?.fontFamily === "monospace"));
      const texts = items.filter((item): item is typeof item & PdfItem => "str" in item);
      pages.push({ number, lines: linesOfItems(texts, monospace) });
      const filled = filledFields(await page.getAnnotations().catch(() => []));
      if (filled.length > 0) fields.set(number, filled);
      page.cleanup();
      context.onPart();
    }
    if (!pages.some(hasLetters)) pages = (await readSideCar(context, recognized)) ?? pages;
    if (context.ocr) await recognizeMissing(pdf, pages, { context, recognized });
    else if (pages.some(hasLetters) || fields.size > 0) await reportMissing(pdf, pages, context);
    // Only now: a scanned form with values is still a picture.
    for (const page of pages) page.lines = withFilledFields(page.lines, fields.get(page.number) ?? []);
    return { pages, pageCount: pdf.numPages, title: stringOf(Title), author: stringOf(Author) };
  } finally {
    await pdf.destroy().catch(() => {});
  }
}

/** Adds the recognised text of pages that have none. */
async function recognizeMissing(
  pdf: Pdf,
  pages: readonly TextPage[],
  { context, recognized }: { context: ReadContext; recognized: RecognizedText },
): Promise<void> {
  const { maxOcrPages, maxImagePixels: maxPixels } = context.limits;
  const missing = pages.filter((page) => !hasLetters(page));
  if (missing.length === 0) return;
  if (missing.length > maxOcrPages) throw tooManyPages(maxOcrPages);
  const recognizer = openRecognizer({ cacheFolder: context.ocrCache, source: context.input.path });
  for (const textPage of missing) {
    const page = await orDamaged(pdf.getPage(textPage.number));
    const found = await recognizePage(page, recognizer, { maxPixels });
    if (found !== undefined) textPage.lines.push(...recognized.linesOf(found));
    page.cleanup();
    context.onRecognized();
  }
}

/** Pages without text that are looked at: decoding the picture of a page takes as long as reading ten pages of text. */
const CHECKED_PAGES = 3;

/** Reports pages that are pictures in a document that has text. */
async function reportMissing(pdf: Pdf, pages: readonly TextPage[], context: ReadContext): Promise<void> {
  const missing = pages.filter((page) => !hasLetters(page));
  for (const { number } of missing.slice(0, CHECKED_PAGES)) {
    const page = await orDamaged(pdf.getPage(number));
    const found = await isPicture(page).catch(() => false);
    page.cleanup();
    context.onPart();
    if (!found) continue;
    const named =
      missing.length === 1 ? `page ${number} has` : `${missing.length} pages, the first of them ${number}, have`;
    return context.skipRecord({
      reason: `was read, but ${named} no text layer`,
      code: "unreadable-document",
      hint: `Read scanned pages with --ocr (needs: ${INSTALL_HINT}).`,
    });
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
function isDescriptive(title: string): boolean {
  return (
    /\p{L}{2}/u.test(title) &&
    !/^(untitled|microsoft word\s*-|powerpoint presentation$)/i.test(title) &&
    !/\.(docx?|tex|dvi|indd|qxd|pdf|pptx?|html?|odt|rtf|xlsx?)$/i.test(title) &&
    (/\s/.test(title) || !/[-_.]/.test(title))
  );
}
