/**
 * Which files hold the text of a scan in the same folder: scan.txt, scan.hocr or scan.html for scan.png or scan.pdf.
 */

import { basename } from "node:path";
import { fileHead } from "./byte-stream.js";
import { splitName } from "./detect-format.js";
import { isHocr } from "./formats/scans/is-hocr.js";
import { endingsOf } from "./formats.js";

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
  const scans = isText ? endingsOf("image") : [...endingsOf("image"), ...endingsOf("pdf")];
  if (!scans.some((scan) => isListed(`${stem}.${scan}`) || isListed(`${stem}.${scan.toUpperCase()}`))) return false;
  return !isHtml || isHocr(await fileHead(path));
}
