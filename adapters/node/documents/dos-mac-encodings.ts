/** Western text of DOS and of old Macs. The frequencies of letters do not distinguish it from windows-1252. */

/** IBM code page 850; 437 has the same letters where text has them, and other parts of frames. */
export const IBM850 = "ibm850";
export const MACINTOSH = "macintosh";
/** Characters of the bytes 0x80 to 0xff. */
const FROM_IBM850 =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤" +
  "ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0";

/** Bytes beyond ASCII that must be unlikely in windows-1252, … */
const MIN_UNLIKELY = 3;
/** … as a share of those that are likely or unlikely. */
const MIN_UNLIKELY_SHARE = 0.3;
/** Share of unlikely ones up to which another encoding is the right one. */
const MAX_UNLIKELY_SHARE = 0.05;

const LETTER = /\p{L}/u;
const LOWER = /\p{Ll}/u;
const UPPER = /\p{Lu}/u;
const LATIN = /\p{Script=Latin}/u;
/** Letters that are signs in text: florin, ordinals, a dotless i. */
const SIGNS = "ƒªºı";
/** Words of one letter. */
const WORDS = "àèéòóåæøÀÈÉÒÓÅÆØ";
/** Marks that occur inside words, or between two without spaces. */
const INSIDE = "’‘–—…·•\u00ad\u00a0";

interface Counts {
  likely: number;
  unlikely: number;
}

export function decodeIbm850(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  return text.replace(/[\x80-\xff]/g, (c) => FROM_IBM850[c.charCodeAt(0) - 0x80]!);
}

/**
 * The encoding of a text that cannot be windows-1252, because signs and capitals would be inside of words.
 * @param western  the text as windows-1252
 * @returns ibm850 or macintosh; undefined unless exactly one of them is likely. O(bytes)
 * @throws RangeError if this runtime does not have macintosh
 */
export function dosOrMac(bytes: Uint8Array, western: string): string | undefined {
  const { likely, unlikely } = countsOf(western);
  if (unlikely < MIN_UNLIKELY || unlikely < MIN_UNLIKELY_SHARE * (likely + unlikely)) return undefined;
  const isDos = isLikely(countsOf(decodeIbm850(bytes)));
  const isMac = isLikely(countsOf(new TextDecoder(MACINTOSH).decode(bytes)));
  return isDos === isMac ? undefined : isDos ? IBM850 : MACINTOSH;
}

function isLikely({ likely, unlikely }: Counts): boolean {
  return likely >= MIN_UNLIKELY && unlikely <= MAX_UNLIKELY_SHARE * (likely + unlikely);
}

/** How many characters beyond ASCII are where they are likely; signs between spaces are neither. */
function countsOf(text: string): Counts {
  const counts = { likely: 0, unlikely: 0 };
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) < 0x80) continue;
    const likely = isLikelyAt(text, at);
    if (likely === true) counts.likely++;
    else if (likely === false) counts.unlikely++;
  }
  return counts;
}

function isLikelyAt(text: string, at: number): boolean | undefined {
  const unit = text[at]!;
  const before = text[at - 1] ?? " ";
  const after = text[at + 1] ?? " ";
  const isBetween = LETTER.test(before) && LETTER.test(after);
  if (unit < "\u00a0") return false;
  if (!LETTER.test(unit) || SIGNS.includes(unit)) {
    if (!isBetween) return undefined;
    return INSIDE.includes(unit) ? unit === "’" || undefined : false;
  }
  if (!LATIN.test(unit)) return LETTER.test(before) || LETTER.test(after) ? false : undefined;
  if (!LETTER.test(before) && !LETTER.test(after)) return WORDS.includes(unit) ? true : undefined;
  if (LOWER.test(unit)) return !UPPER.test(before) || !UPPER.test(after);
  // "donÕt", "ÒThe": a capital after a small letter, or before the capital of a word.
  return !LOWER.test(before) && !(UPPER.test(after) && LOWER.test(text[at + 2] ?? " "));
}
