/** Text in encodings older than Unicode: which one, by its bytes, and what it says. */

import { analyse } from "chardet";
import { decodeIbm850, dosOrMac, IBM850, MACINTOSH } from "./dos-mac-encodings.js";

/** Bytes that are examined. */
const SAMPLE_BYTES = 64 * 1024;

/** Confidence from which an encoding that only the letters' frequencies suggest is used, of 100. */
const MIN_CONFIDENCE = 20;

/** Share of invalid bytes up to which an encoding is plausible. */
const MAX_BROKEN_SHARE = 0.01;

/** Share of the characters that differ from windows-1252 and are in words: words of one letter are rare. */
const MIN_SHARE_IN_WORDS = 0.8;

const LETTER = /[\p{L}\p{M}]/u;

export const WINDOWS_1252 = "windows-1252";

/** Western text is read as windows-1252, which has all characters of Latin-1 that occur in text. */
const WESTERN = /^(iso-8859-1|windows-1252)$/;

/** Encodings of Latin scripts. */
const LATIN = /^(iso-8859-[129]|windows-125[02478])$/;

/** What words alone do not suggest: of Unicode, the whole text has the byte order mark, not a word in it. */
const NOT_OF_WORDS = /^(?:(?:iso-8859-[129]|windows-125[02478])$|utf-)/;

const SPACE = 0x20;

/** windows-1252 where it differs from Latin-1 (0x80–0x9f); its five gaps are unchanged, as in WHATWG Encoding. */
const NOT_LATIN_1 =
  "\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f" +
  "\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178";

/**
 * The encoding of text that is not Unicode, by the frequencies of its characters, and for Western text by where they
 * are; windows-1252 if they do not decide.
 */
export function olderEncodingOf(bytes: Uint8Array): string {
  const words = wordsBeyondAscii(bytes);
  const encoding = suggested(bytes.subarray(0, SAMPLE_BYTES)) ?? suggested(words, NOT_OF_WORDS) ?? WINDOWS_1252;
  const isWestern = encoding === WINDOWS_1252 || LATIN.test(encoding);
  if (!isWestern || !isEncoding(MACINTOSH)) return encoding;
  return dosOrMac(words, decodeAs(words, WINDOWS_1252)) ?? encoding;
}

function suggested(sample: Uint8Array, except?: RegExp): string | undefined {
  for (const { name, confidence } of analyse(sample)) {
    const label = name.toLowerCase();
    if (confidence < MIN_CONFIDENCE || WESTERN.test(label)) return undefined;
    if (!except?.test(label) && isPlausible(sample, label)) return label;
  }
  return undefined;
}

/** The words that are not ASCII, for a text that is mostly English: a table with a few Russian names. */
function wordsBeyondAscii(bytes: Uint8Array): Uint8Array {
  const words = new Uint8Array(SAMPLE_BYTES);
  let length = 0;
  let start = 0;
  let isBeyond = false;
  for (let i = 0; i <= bytes.length; i++) {
    const byte = bytes[i] ?? SPACE;
    isBeyond ||= byte > 0x7f;
    if (byte > SPACE) continue;
    if (isBeyond && length + i - start < SAMPLE_BYTES) {
      words.set(bytes.subarray(start, i), length);
      length += i - start;
      words[length++] = SPACE;
    }
    start = i + 1;
    isBeyond = false;
  }
  return words.subarray(0, length);
}

/**
 * Whether the characters that windows-1252 reads otherwise are letters inside of words, as a sign for "times" or "½"
 * is not; of an encoding with several bytes for a character, whether nearly all bytes are valid.
 */
function isPlausible(sample: Uint8Array, label: string): boolean {
  if (!isEncoding(label)) return false;
  const text = decodeAs(sample, label);
  const western = decodeAs(sample, WINDOWS_1252);
  if (text.length !== western.length) return text.split("\ufffd").length - 1 <= MAX_BROKEN_SHARE * text.length;
  let different = 0;
  let inWords = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === western[i]) continue;
    different++;
    if (LETTER.test(text[i]!) && (LETTER.test(text[i - 1] ?? "") || LETTER.test(text[i + 1] ?? ""))) inWords++;
  }
  return inWords >= MIN_SHARE_IN_WORDS * different;
}

/** Whether this runtime has an encoding. */
export function isEncoding(label: string): boolean {
  try {
    new TextDecoder(label);
    return true;
  } catch {
    return false;
  }
}

/**
 * @param encoding  a label of the WHATWG Encoding Standard, in lower case, or "ibm850"
 * @throws RangeError for an encoding that this runtime does not have
 */
export function decodeAs(bytes: Uint8Array, encoding: string): string {
  // Not TextDecoder: several versions of Node treat this label as plain Latin-1.
  if (encoding === WINDOWS_1252)
    return withWindows1252(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1"));
  if (encoding === IBM850) return decodeIbm850(bytes);
  return new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes);
}

/** Bytes that begin a character of two, in encodings in which the second one may be an ASCII character. */
const LEAD_BYTES: Readonly<Record<string, (byte: number) => boolean>> = {
  // The others above 0x7f are half-width characters of one byte.
  shift_jis: (byte) => (byte >= 0x81 && byte <= 0x9f) || (byte >= 0xe0 && byte <= 0xfc),
  gbk: (byte) => byte >= 0x81 && byte <= 0xfe,
  big5: (byte) => byte >= 0x81 && byte <= 0xfe,
  "euc-kr": (byte) => byte >= 0x81 && byte <= 0xfe,
};

/** Whether text ends in the first byte of a character of two. */
export function endsInLeadByte(bytes: readonly number[], encoding: string): boolean {
  const isLead = LEAD_BYTES[encoding];
  if (isLead === undefined) return false;
  let at = 0;
  while (at < bytes.length) at += isLead(bytes[at]!) ? 2 : 1;
  return at > bytes.length;
}

/**
 * Text that was decoded as Latin-1, as windows-1252: C1 control characters, which text does not have, are its dashes
 * and quotes.
 */
export function withWindows1252(text: string): string {
  return text.replace(/[\x80-\x9f]/g, (c) => NOT_LATIN_1[c.charCodeAt(0) - 0x80]!);
}
