/**
 * BERT's uncased normalisation of each character, as in the reference tokenizer (Hugging Face `tokenizers`
 * 0.23.2: BertNormalizer with clean_text, handle_chinese_chars, lowercase; then BertPreTokenizer). Its
 * Unicode tables are from about Unicode 9 and differ from any JavaScript engine's, so the three relevant
 * ones are copied here, obtained by probing the reference with every code point. tokenizer.test.ts repeats
 * the probing.
 */

/** Classes of a code point after normalisation. */
export const UNCLASSIFIED = 0;
/** Part of a word; normalises to one UTF-16 unit. */
export const WORD = 1;
export const SPACE = 2;
/** A word by itself (punctuation, CJK ideograph); normalises to one UTF-16 unit. */
export const ALONE = 3;
/** Removed: control and format characters, U+FFFD, lone surrogates, non-spacing marks. */
export const DROPPED = 4;
/** Normalises to several units, or to a mixture of word and stand-alone characters. */
const COMPLEX = 5;
/** A combining mark that is kept, but that canonical ordering may move. */
export const KEPT_MARK = 6;

/** Ranges as "gap" or "gap+length-1" in base 36, the gap counted from the end of the range before. */
function decodeRanges(encoded: string): Uint32Array {
  const ranges: number[] = [];
  let position = 0;
  for (const part of encoded.split(" ")) {
    const [gap = "", length = "0"] = part.split("+");
    const first = position + Number.parseInt(gap, 36);
    position = first + Number.parseInt(length, 36);
    ranges.push(first, position);
  }
  return Uint32Array.from(ranges);
}

/** True if `codePoint` is in one of the inclusive ranges. O(log ranges) */
function inRanges(ranges: Uint32Array, codePoint: number): boolean {
  let low = 0;
  let high = ranges.length / 2;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ranges[2 * middle + 1]! < codePoint) low = middle + 1;
    else high = middle;
  }
  return low < ranges.length / 2 && ranges[2 * low]! <= codePoint;
}

/** Cc and Cf and Co (except tab, newline, carriage return), U+0000, U+FFFD. */
const CLEANED = decodeRanges(
  "0+8 3+1 2+h 2o+w e 11v+5 n 5d 1e 3cv 1kt+4 r+4 1e+4 2+9 11u9+4xr 16o 6y+2 2 3b4 xyb+3 440+7 h407 v+2n 1egx+1ekd 3+1ekd",
);

/** Mn of the reference's Unicode version. */
const NON_SPACING_MARKS = decodeRanges(
  "lc+33 7o+4 7e+18 2 2+1 2+1 2 21+a 1d+k h 2u+6 3+5 3+1 2+3 10 v+q 2k+a 1n+8 z+3 2+8 2+2 2+4 18+2 3s+v 1k 2 5+7 5 4+6 b+1 u 1n 5+3 9 l+1 u+1 1m 5+1 5+1 3+2 4 v+1 4 c+1 1m 5+4 2+1 5 l+1 u 1n 3 2+3 9 9 c+1 v 1q d 1f 1q+2 6+2 2+3 8+1 c+1 u 1n 3 7 6+1 l+1 u 1s+3 9 l+1 2v 8+2 2 2j 3+6 d+7 2r 3+5 2+1 c+5 23+1 s 2 2 1k+d 2+4 2+1 6+a 2+z a 2v+3 2+5 2+1 3+1 q+1 5+2 h+3 e 3+1 7 g jk+2 qb+2 u+2 u+1 v+1 1t+1 2+6 9 3+a a 1a+2 4c 3b+2 5+1 a 7+2 64+1 3 1n 2+6 2 2 3+7 7+9 3 1d+d 1v+3 1d 2+4 2 6 15+8 d+1 x+3 3+1 2+2 1l 2+1 4 2+2 1n+7 3+1 49+2 2+c 2+6 5 7 4+1 5j+1h 7+3 k1+c 5 4+b 2db+2 3y 2p+v ff+3 30+1 n9x 5+9 x+1 29+1 7l 4 5 q+1 4e s+h 1h+7 q+a 1b+2 1d 3+3 3 15 1w+5 3+1 3+1 d 9 1c 1g 2+2 3+1 6+1 2 17+1 9 6n 3 5 fn5 ki+f h+f r2 6b 46+4 1af+2 2+1 6+3 15+2 5 4m+1 10b 1j+e 1l+2 1e+3 3+1 1y+2 11+4 2+7 1r d+1 1h+8 c+2 2r+2 3 2+1 4o 4+7 m+1 1n 4 12+6 4+4 8v+5 2 5+1 2+1 6n+3 7+1 2+1 s+1 2e+7 3 2+1 2z 2 3+5 2 2u+2 3+3 2+4 gjp+4 1o+6 ux+3 f7v+1 43t+2 i+7 3+6 v+3 45+2 1j0+1i 5+1d 9 f n+4 2+e 2sh+6 gzl6+6n",
);

/** ASCII punctuation and symbols, and P* of the reference's Unicode version. */
const PUNCTUATION = decodeRanges(
  "x+e b+6 r+5 r+3 z 6 4 b+1 4 4 jj 9 cz+5 16+1 1g 2 3 3 19+1 l+1 2+1 e 3+1 23+3 2v 18+d 6i+2 1j+e w 7a+1 b ao lg 2j b+1 4p+e 2 12+3 20 23+4 5+1 34+5 4s h1+8 48 h9+1 19+1 27+2 20+1 4e+2 2+2 12+a 8q+1 61+1 3l+6 2+5 4t+6 4c+3 1o+4 1r+1 1t+7 c n1+n 9+j 2+c 2+b v+1 f+1 hm+3 u+1 u6+d 28+1 w+9 b8+l 1s+3 x+1 l8+3 2+1 35 40+1a 2+i cf+2 5+9 3+b h d 2r 2j mwz+1 7i+2 2s b 38+5 al+3 2f+1 15+2 2 1e+1 1c 2q+c h+1 3h+3 3j+1 h+1 6y g2b+1 5t+9 n+y 2+d 2 5 2+1 46+2 2+5 2+3 b+1 4+1 r+2 2 s 2 2+6 bf+2 il 1d bj ko 5k w 7l+8 13 35+6 1v+6 2i+3 x7+6 32+1 2+3 3j+3 1d+1 28+4 4 e 2+2 2h+5 30 f1 6z+m 2y+2 6x+2 2lu+4 dtm+1 3q 1u+4 9 g2j 5wo+4",
);

/**
 * Marks with a combining class that are not in NON_SPACING_MARKS: spacing ones, and Mn that are newer than that
 * table.
 */
const KEPT_MARKS = decodeRanges(
  "1qs+d 3mr 2u 20+1 eg 3lf+1 nxg 31 kjk 39 7s 6t 4 hc 13d zs6+1 7+5 2vi+6 2+g 3+6 2+1 2+4 1sq+6",
);

/** Characters of later Unicode versions that a JavaScript engine decomposes and the reference does not. */
const NOT_DECOMPOSED = decodeRanges("1fpl r 2ov 2 9 3 1g 2+1 12o e7d+7 2f4+2");

const isSpace = (c: number): boolean =>
  c === 0x20 ||
  c === 9 ||
  c === 10 ||
  c === 13 ||
  c === 0xa0 ||
  c === 0x1680 ||
  (c >= 0x2000 && c <= 0x200a) ||
  c === 0x2028 ||
  c === 0x2029 ||
  c === 0x202f ||
  c === 0x205f ||
  c === 0x3000;

/** The blocks that the reference sets spaces around (not kana, not Hangul). */
const isIdeograph = (c: number): boolean =>
  (c >= 0x4e00 && c <= 0x9fff) ||
  (c >= 0x3400 && c <= 0x4dbf) ||
  (c >= 0xf900 && c <= 0xfaff) ||
  (c >= 0x20000 && c <= 0x2a6df) ||
  (c >= 0x2a700 && c <= 0x2b81f) ||
  (c >= 0x2b920 && c <= 0x2ceaf) ||
  (c >= 0x2f800 && c <= 0x2fa1f);

/** The code point at `position`; a high surrogate just before `limit` is treated as lone. */
export function codePointWithin(text: string, position: number, limit: number): number {
  return position + 1 < limit ? text.codePointAt(position)! : text.charCodeAt(position);
}

/** Canonical decomposition according to the reference's Unicode version. */
function decompose(codePoint: number): string {
  const text = String.fromCodePoint(codePoint);
  return inRanges(NOT_DECOMPOSED, codePoint) ? text : text.normalize("NFD");
}

/** One character of a normalised text. */
interface NormalizedCharacter {
  /** One UTF-16 unit, or two for a character beyond U+FFFF. */
  text: string;
  kind: typeof WORD | typeof ALONE | typeof KEPT_MARK;
}

/**
 * The normalised form of a code point: lower case, marks removed. Usually one character, sometimes none. Not for
 * white space.
 */
export function normalizeCodePoint(codePoint: number): NormalizedCharacter[] {
  if (inRanges(CLEANED, codePoint)) return [];
  const result: NormalizedCharacter[] = [];
  for (const part of decompose(codePoint)) {
    const value = part.codePointAt(0)!;
    if (inRanges(NON_SPACING_MARKS, value)) continue;
    for (const text of part.toLowerCase()) {
      const alone = isIdeograph(codePoint) || inRanges(PUNCTUATION, text.codePointAt(0)!);
      result.push({ text, kind: alone ? ALONE : inRanges(KEPT_MARKS, value) ? KEPT_MARK : WORD });
    }
  }
  return result;
}

/** The class of a code point; WORD and ALONE only if it normalises to exactly one UTF-16 unit. */
export function classify(codePoint: number): number {
  if (isSpace(codePoint)) return SPACE;
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) return DROPPED;
  const characters = normalizeCodePoint(codePoint);
  const only = characters[0];
  if (only === undefined) return DROPPED;
  if (inRanges(KEPT_MARKS, codePoint)) return KEPT_MARK;
  return characters.length === 1 && only.text.length === 1 ? only.kind : COMPLEX;
}

/** A character in a run of marks, with its position after canonical ordering. */
interface PlacedMark {
  text: string;
  start: number;
  end: number;
}

/** Negative if the combining class of `a` is below that of `b`, derived from how normalisation orders the two. */
function compareMarks(a: string, b: string): number {
  if (a === b) return 0;
  if ((b + a).normalize("NFD") !== b + a) return -1;
  return (a + b).normalize("NFD") !== a + b ? 1 : 0;
}

/** U+0345 has the highest combining class, so only a starter does not move before it. */
const isStarter = (mark: string): boolean => mark !== "\u0345" && `\u0345${mark}`.normalize("NFD") === `\u0345${mark}`;

/**
 * The kept marks of a run. The reference sorts a run by combining class and gives the k-th character of the
 * sorted run the offsets of the k-th original one, so a kept mark can have a neighbour's offsets.
 * @param from,to  UTF-16 range in `text` of characters of class DROPPED or KEPT_MARK only; the first character may
 *   also be
 * one that decomposes into a starter and kept marks (some musical notes). O(n log n)
 */
export function placeKeptMarks(text: string, from: number, to: number): PlacedMark[] {
  const places: { start: number; end: number }[] = [];
  const items: { text: string; added: boolean }[] = [];
  let sorted = 0;
  const sortTail = (): void => {
    if (items.length - sorted > 1) items.push(...items.splice(sorted).sort((a, b) => compareMarks(a.text, b.text)));
    sorted = items.length;
  };
  for (let i = from; i < to; ) {
    const codePoint = codePointWithin(text, i, to);
    const end = i + (codePoint > 0xffff ? 2 : 1);
    if (!inRanges(CLEANED, codePoint) && (codePoint < 0xd800 || codePoint > 0xdfff)) {
      let added = false;
      for (const part of decompose(codePoint)) {
        if (isStarter(part)) {
          sortTail();
          sorted++;
        }
        items.push({ text: part, added });
        added = true;
      }
      places.push({ start: i, end });
    }
    i = end;
  }
  sortTail();
  const kept: PlacedMark[] = [];
  let next = 0;
  for (const item of items) {
    if (!item.added) next++;
    const value = item.text.codePointAt(0)!;
    const place = places[Math.max(0, next - 1)]!;
    if (!inRanges(NON_SPACING_MARKS, value)) kept.push({ text: item.text.toLowerCase(), ...place });
  }
  return kept;
}
