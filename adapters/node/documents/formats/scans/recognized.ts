/** What was recognised in the picture of a page, by this program or by another one. */

import { type Box, boxPath, type PageLine, type TextPage } from "../pages/page-lines.js";

export interface RecognizedWord {
  text: string;
  box: Box;
  /** 0 to 100; undefined if it is not known. */
  confidence: number | undefined;
}

export interface RecognizedLine {
  words: RecognizedWord[];
  beginsParagraph: boolean;
}

/** Boxes are in pixels of a picture of this size. */
export interface RecognizedPage {
  width: number;
  height: number;
  lines: RecognizedLine[];
}

/** Lines below this mean confidence are specks, stains and pictures that were read as letters. */
const MIN_CONFIDENCE = 35;
/** The share of a source map's entries that may be places of words; beyond it, only lines have places. */
const WORD_SHARE = 0.25;

/** Lines are measured as if the page had the height of A4, in 1/72 inch. */
const PAGE_POINTS = 842;

/** Makes the lines of a document from what was recognised on its pages, and sums up the confidence. */
export class RecognizedText {
  readonly #maxWords: number;
  #words = 0;
  readonly #confidence = new Confidence();

  constructor({ maxSegments }: { maxSegments: number }) {
    this.#maxWords = maxSegments * WORD_SHARE;
  }

  /** Mean confidence of the words, in whole percent; undefined if it is not known. */
  get confidence(): number | undefined {
    return this.#confidence.mean;
  }

  /** The lines of a page with their places, without those that are noise. */
  linesOf(page: RecognizedPage): PageLine[] {
    const lines: PageLine[] = [];
    let begins = false;
    for (const line of page.lines) {
      begins ||= line.beginsParagraph;
      const own = new Confidence();
      own.add(line.words);
      if ((own.mean ?? 100) < MIN_CONFIDENCE) continue;
      this.#confidence.add(line.words);
      lines.push({ ...this.#lineOf(line.words, page), beginsParagraph: begins });
      begins = false;
    }
    return lines;
  }

  #lineOf(words: readonly RecognizedWord[], page: RecognizedPage): PageLine {
    const box = around(words.map((word) => word.box));
    const text = words.map((word) => word.text).join(" ");
    this.#words += words.length;
    const placed =
      this.#words <= this.#maxWords
        ? words.map((word) => ({ text: word.text, path: boxPath(word.box, page) }))
        : [{ text, path: boxPath(box, page) }];
    const scale = PAGE_POINTS / page.height;
    const [left, right] = [box.left * scale, (box.left + box.width) * scale];
    const y = PAGE_POINTS - (box.top + box.height) * scale;
    return { text, left, right, y, height: 0, font: "", words: placed };
  }
}

/** The mean confidence of words, weighted by their length. */
class Confidence {
  #sum = 0;
  #letters = 0;

  add(words: readonly RecognizedWord[]): void {
    for (const { text, confidence } of words) {
      if (confidence === undefined) continue;
      this.#sum += confidence * text.length;
      this.#letters += text.length;
    }
  }

  get mean(): number | undefined {
    return this.#letters === 0 ? undefined : Math.round(this.#sum / this.#letters);
  }
}

export function hasLetters({ lines }: Pick<TextPage, "lines">): boolean {
  return lines.some(({ text }) => /[\p{L}\p{N}]/u.test(text));
}

function around(boxes: readonly Box[]): Box {
  const left = Math.min(...boxes.map((box) => box.left));
  const top = Math.min(...boxes.map((box) => box.top));
  const right = Math.max(...boxes.map((box) => box.left + box.width));
  const bottom = Math.max(...boxes.map((box) => box.top + box.height));
  return { left, top, width: right - left, height: bottom - top };
}
