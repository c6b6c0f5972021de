/** Character sets of RTF: that of the file, and those of its fonts. */

import { isEncoding } from "../../older-encodings.js";

const PAGES: Readonly<Record<number, string>> = {
  ...{ 932: "shift_jis", 936: "gbk", 949: "euc-kr", 950: "big5", 10000: "macintosh", 65001: "utf-8" },
};

/** Code page of a font's character set, of those that name one. */
const CHARACTER_SETS: Readonly<Record<number, number>> = {
  ...{ 77: 10000, 128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258, 177: 1255, 178: 1256 },
  ...{ 186: 1257, 204: 1251, 238: 1250 },
};
/** The character set of fonts whose letters are pictures. */
const SYMBOLS = 2;
const MAX_FONTS = 10_000;

export class RtfFonts {
  /** Of `\'hh`, in a font without a character set of its own. */
  #encoding = "windows-1252";
  readonly #encodings = new Map<number, string>();
  readonly #symbols = new Set<number>();

  setCodePage(page: number): void {
    this.#encoding = encodingOfPage(page) ?? this.#encoding; // most of an unknown page is ASCII
  }

  setCharacterSet(font: number, characterSet: number): void {
    const page = CHARACTER_SETS[characterSet];
    const encoding = page === undefined ? undefined : encodingOfPage(page);
    if (characterSet === SYMBOLS && this.#symbols.size < MAX_FONTS) this.#symbols.add(font);
    if (encoding !== undefined && this.#encodings.size < MAX_FONTS) this.#encodings.set(font, encoding);
  }

  encodingOf(font: number): string {
    return this.#encodings.get(font) ?? this.#encoding;
  }

  /** Whether the letters of the font are pictures. */
  isSymbol(font: number): boolean {
    return this.#symbols.has(font);
  }
}

function encodingOfPage(page: number): string | undefined {
  const label = PAGES[page] ?? `windows-${page}`;
  return isEncoding(label) ? label : undefined;
}
