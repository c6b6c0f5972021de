/** Pictures of pages: PNG, JPEG and TIFF. Their text is in a side-car, or is recognised. */

import type { Document } from "../../../../../src/types.js";
import type { ReadContext } from "../../input.js";
import { unreadable, unsupported } from "../../skip.js";
import type { TextPage } from "../pages/page-lines.js";
import { writePages } from "../pages/write-pages.js";
import { metadataOf } from "../records.js";
import { TextBuilder } from "../text-builder.js";
import { picturePages } from "./picture-size.js";
import { hasLetters, RecognizedText } from "./recognized.js";
import { damagedPicture, INSTALL_HINT, openRecognizer } from "./recognizer.js";
import { readSideCar } from "./side-car.js";

/**
 * Title: the file's name. Fields: `ocr.confidence`, the mean confidence of the words in percent, where it is known;
 * `pages`, of several. Each word, or in long documents each line, has a place on its page.
 * @throws VerbatimError `unsupported-document` without recognised text or a way to recognise it;
 *   `unreadable-document` when damaged, too large, or without text
 */
export async function readImage(bytes: Uint8Array, context: ReadContext): Promise<Document[]> {
  const builder = new TextBuilder(context.limits);
  const recognized = new RecognizedText(context.limits);
  const pages = (await readSideCar(context, recognized)) ?? (await recognize(bytes, context, recognized));
  writePages(builder, pages);
  if (builder.length === 0) throw noText();
  return [
    {
      id: context.input.id,
      title: context.name,
      source: context.input.path,
      ...builder.content("image"),
      metadata: metadataOf([
        ["ocr.confidence", recognized.confidence],
        ["pages", pages.length > 1 ? pages.length : undefined],
      ]),
    },
  ];
}

async function recognize(bytes: Uint8Array, context: ReadContext, recognized: RecognizedText): Promise<TextPage[]> {
  if (!context.ocr) {
    throw unsupported(
      "is a picture without a text file of the same name next to it",
      `Read it with --ocr (needs: ${INSTALL_HINT}).`,
    );
  }
  const recognizer = openRecognizer({ cacheFolder: context.ocrCache, source: context.input.path });
  const { maxImagePixels, maxOcrPages } = context.limits;
  const pages: TextPage[] = [];
  for (const { bytes: picture, width, height, orientation } of picturePages(bytes)) {
    if (width * height > maxImagePixels) throw tooManyPixels(maxImagePixels);
    if (pages.length >= maxOcrPages) throw tooManyPages(maxOcrPages);
    const lines = recognized.linesOf(await recognizer.recognize(picture, orientation));
    pages.push({ number: pages.length + 1, lines });
    context.onRecognized();
  }
  if (pages.length === 0) throw damagedPicture();
  if (!pages.some(hasLetters)) throw noText();
  return pages;
}

function tooManyPixels(maxPixels: number): Error {
  return unreadable(
    `has a picture of more than ${Math.round(maxPixels / 1_000_000)} megapixels`,
    "Scale it down: 300 dpi is enough.",
  );
}

export function tooManyPages(maxPages: number): Error {
  return unreadable(`has more than ${maxPages} scanned pages`, "Split it.");
}

function noText(): Error {
  return unreadable("has no text that can be recognised", "Leave it out, or scan it again, upright and at 300 dpi.");
}
