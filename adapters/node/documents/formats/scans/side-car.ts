/** Text that was recognised before and stored next to a scan: scan.hocr, scan.html (if it is hOCR) or scan.txt. */

import { lstatSync, realpathSync } from "node:fs";
import { basename } from "node:path";
import { oneLine } from "../../../../../src/text/one-line.js";
import { collect } from "../../byte-stream.js";
import { decodeText, wellFormed } from "../../decode.js";
import { splitName } from "../../detect-format.js";
import type { InputFile, ReadContext } from "../../input.js";
import { openInput } from "../../open-input.js";
import { isSecretName } from "../../secret-names.js";
import { formatBytes, unreadable } from "../../skip.js";
import type { PageLine, TextPage } from "../pages/page-lines.js";
import { pagesOfHocr } from "./hocr.js";
import { isHocr } from "./is-hocr.js";
import { hasLetters, type RecognizedText } from "./recognized.js";

/** Endings of side-car files, best first. */
const SIDE_CARS = ["hocr", "html", "htm", "txt"] as const;

/**
 * The pages that a side-car of this file has; undefined if there is none. In text, a form feed begins a page.
 * @throws VerbatimError `unreadable-document` if the side-car is too large or damaged
 */
export async function readSideCar(context: ReadContext, recognized: RecognizedText): Promise<TextPage[] | undefined> {
  const { input, limits } = context;
  if (input.absolutePath === "-") return undefined;
  for (const ending of SIDE_CARS) {
    const found = sideCarOf(input, ending);
    if (found === undefined) continue;
    const text = decodeText(await bytesOf(found, limits.maxMarkupBytes)).text;
    if (ending === "txt") return textPages(wellFormed(text));
    if (ending !== "hocr" && !isHocr(text)) continue;
    const pages = pagesOfHocr(text, limits).map((page, i) => ({
      number: i + 1,
      lines: recognized.linesOf(page),
    }));
    if (pages.some(hasLetters)) return pages;
  }
  return undefined;
}

/** A regular file of the same name with this ending, but no symlink, which may lead anywhere. */
function sideCarOf(input: InputFile, ending: string): InputFile | undefined {
  const { ending: own } = splitName(basename(input.absolutePath));
  if (own === "") return undefined;
  const path = `${input.absolutePath.slice(0, -own.length)}${ending}`;
  if (isSecretName(basename(path))) return undefined;
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || !stats.isFile()) return undefined;
  const identity = { realPath: realpathSync(path), device: stats.dev, inode: stats.ino };
  const { size, mtimeMs } = stats;
  return {
    path: `${input.path.slice(0, -own.length)}${ending}`,
    absolutePath: path,
    id: path,
    size,
    mtimeMs,
    identity,
  };
}

async function bytesOf(file: InputFile, maxBytes: number): Promise<Uint8Array> {
  if (file.size > maxBytes) {
    throw unreadable(`has recognised text of more than ${formatBytes(maxBytes)} next to it`, "Split both.");
  }
  const opened = openInput(file, {});
  try {
    return await collect(opened.stream, maxBytes, { expectedBytes: opened.size });
  } finally {
    await opened.close();
  }
}

/** Plain text as pages: blank lines separate paragraphs. */
function textPages(text: string): TextPage[] {
  return text.split("\f").map((page, i) => {
    const lines: PageLine[] = [];
    let beginsParagraph = true;
    for (const line of page.split("\n")) {
      const trimmed = oneLine(line);
      if (trimmed === "") beginsParagraph = true;
      else {
        lines.push({ text: trimmed, left: 0, right: 0, y: 0, height: 0, font: "", beginsParagraph });
        beginsParagraph = false;
      }
    }
    return { number: i + 1, lines };
  });
}
