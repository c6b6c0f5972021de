/**
 * Which files hold the text of a scan in the same folder: scan.txt, scan.hocr or scan.html for scan.png or scan.pdf.
 */

import { open } from "node:fs/promises";
import { basename } from "node:path";
import { IMAGE_ENDINGS, splitName } from "./detect-format.js";
import { isHocr } from "./formats/scans/is-hocr.js";

const HEAD_BYTES = 4096;

/**
 * Whether a file is a side-car, which is read with its scan instead of alone. Text next to a PDF may be a document of
 * its own, so it counts only next to a picture; HTML counts if it is hOCR.
 * @param isListed  whether a file of this name in the same folder is listed
 */
export async function isSideCar(path: string, isListed: (name: string) => boolean): Promise<boolean> {
  const { stem, ending } = splitName(basename(path));
  const isText = ending === "txt";
  const isHtml = ending === "html" || ending === "htm";
  if (!isText && !isHtml && ending !== "hocr") return false;
  const scans = isText ? IMAGE_ENDINGS : [...IMAGE_ENDINGS, "pdf"];
  if (!scans.some((scan) => isListed(`${stem}.${scan}`) || isListed(`${stem}.${scan.toUpperCase()}`))) return false;
  return !isHtml || isHocr(await head(path));
}

async function head(path: string): Promise<string> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.toString("latin1", 0, bytesRead);
  } finally {
    await file.close();
  }
}
