/** Pages of a PDF that are pictures: whether a page is one, and its recognised text. */

import { type getDocumentProxy, getResolvedPDFJS } from "unpdf";
import { type DrawnImage, drawnImages, type Matrix } from "./drawn-images.js";
import { coverage, drawPage, pgmOf, scaleFor } from "./page-picture.js";
import type { RecognizedPage } from "./recognized.js";
import type { Recognizer } from "./recognizer.js";

type PdfPage = Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>["getPage"]>>;

/** An image that covers this share of the page is the page; a smaller one illustrates it. */
const MIN_COVERAGE = 0.5;

/** Whether one image covers at least half of the page. It is decoded for that, so ask only about pages without text. */
export async function isPicture(page: PdfPage): Promise<boolean> {
  const { width, height } = page.getViewport({ scale: 1 });
  return coverage(await imagesOf(page), { width, height }) >= MIN_COVERAGE;
}

/** The text of the images of a page; undefined if it has none. Its boxes are on the page as it is shown. */
export async function recognizePage(
  page: PdfPage,
  recognizer: Recognizer,
  options: { maxPixels: number },
): Promise<RecognizedPage | undefined> {
  const images = await imagesOf(page);
  if (images.length === 0) return undefined;
  const { width, height } = page.getViewport({ scale: 1 });
  const scale = scaleFor(images, { width, height }, options.maxPixels);
  return recognizer.recognize(pgmOf(drawPage(images, { width, height, scale })));
}

async function imagesOf(page: PdfPage): Promise<DrawnImage[]> {
  const { OPS } = await getResolvedPDFJS();
  const objectOf = (id: string): Promise<unknown> =>
    new Promise((resolve) => (id.startsWith("g_") ? page.commonObjs : page.objs).get(id, resolve));
  const toPage = page.getViewport({ scale: 1 }).transform as unknown as Matrix;
  const images: DrawnImage[] = [];
  for await (const image of drawnImages(await page.getOperatorList(), { numbers: OPS, toPage, objectOf })) {
    images.push(image);
  }
  return images;
}
