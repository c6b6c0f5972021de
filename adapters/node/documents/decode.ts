/** Bytes to text: which encoding, and whether they are text at all. */

import { isAscii, isUtf8 } from "node:buffer";
import { IBM850 } from "./dos-mac-encodings.js";
import { decodeAs, olderEncodingOf, WINDOWS_1252 } from "./older-encodings.js";
import { unsupported } from "./skip.js";

interface DecodedText {
  text: string;
  /** A label of the WHATWG Encoding Standard, in lower case, or "ibm850". */
  encoding: string;
  /** Bytes of the byte order mark before the text. */
  bomBytes: number;
  /** True when every byte was valid, so that a UTF-8 offset of `text` is an offset of the bytes after the mark. */
  exact: boolean;
}

/** Bytes that are examined to distinguish text from binary data. */
const SAMPLE_BYTES = 64 * 1024;

/** Share of control characters above which data is not text: prose has none, random bytes have 10 %. */
const MAX_CONTROL_SHARE = 0.02;

/** Each begins double-byte text in ISO-2022-JP, all of whose bytes are ASCII. */
const ISO_2022_JP = ["\x1b$@", "\x1b$B"];

/**
 * Decodes a whole file: by its byte order mark, else UTF-16 by the pattern of its NULs, else UTF-8, else the older
 * encoding that its bytes suggest (windows-1251, GB18030, ibm850, …), else windows-1252. Bytes that are mostly UTF-8
 * are decoded as such; each invalid one becomes U+FFFD.
 * @param declared  the encoding if the bytes are not Unicode; a label as in `DecodedText`
 * @throws VerbatimError `unsupported-document` for binary data
 */
export function decodeText(bytes: Uint8Array, declared?: string): DecodedText {
  const { encoding, bomBytes } = sniffEncoding(bytes);
  const body = viewOf(bytes.subarray(bomBytes));
  if (encoding !== "utf-8") return { text: decodeAs(body, encoding), encoding, bomBytes, exact: false };
  if (isUtf8(body)) return { text: body.toString("utf8"), encoding, bomBytes, exact: true };
  if (bomBytes > 0) return { text: body.toString("utf8"), encoding, bomBytes, exact: false };
  const text = body.toString("utf8");
  if (isMostlyUtf8(text)) return { text, encoding, bomBytes, exact: false };
  const older = declared ?? olderEncodingOf(body);
  return { text: decodeAs(body, older), encoding: older, bomBytes, exact: false };
}

/**
 * The encoding of a stream, from its first bytes: utf-8 unless they rule it out. If they are ASCII, `decodeStream`
 * decides at the first piece that is not.
 * @throws VerbatimError `unsupported-document` for binary data
 */
function sniffStreamEncoding(head: Uint8Array): { encoding: string; bomBytes: number } {
  const sniffed = sniffEncoding(head);
  if (sniffed.encoding !== "utf-8" || sniffed.bomBytes > 0) return sniffed;
  return { encoding: encodingOfPiece(head), bomBytes: 0 };
}

/**
 * A stream's text, decoded piece by piece, without its byte order mark of `bomBytes` bytes.
 * @param head  the stream's first bytes, which decide the encoding
 * @throws VerbatimError `unsupported-document` for binary data
 */
export function streamText(
  stream: AsyncIterable<Uint8Array>,
  head: Uint8Array,
): { text: AsyncGenerator<string>; encoding: string; bomBytes: number } {
  const { encoding, bomBytes } = sniffStreamEncoding(head);
  return { text: decodeStream(skipBytes(stream, bomBytes), encoding), encoding, bomBytes };
}

/** utf-8 or an older encoding. @param bytes  may end within a character */
function encodingOfPiece(bytes: Uint8Array): string {
  const whole = withoutCutCharacter(bytes);
  return isUtf8(whole) || isMostlyUtf8(viewOf(whole).toString("utf8")) ? "utf-8" : olderEncodingOf(bytes);
}

/** Decodes a stream without byte order mark piece by piece; a character may span two pieces. */
async function* decodeStream(stream: AsyncIterable<Uint8Array>, encoding: string): AsyncGenerator<string> {
  let decode = encoding === "utf-8" ? undefined : pieceDecoder(encoding);
  for await (const piece of stream) {
    if (!isAscii(piece)) decode ??= pieceDecoder(encodingOfPiece(piece));
    yield decode?.(piece) ?? viewOf(piece).toString("latin1");
  }
  if (decode !== undefined) yield decode();
}

/** Decodes one piece after another, and without one what is left. */
function pieceDecoder(encoding: string): (piece?: Uint8Array) => string {
  if (encoding === WINDOWS_1252 || encoding === IBM850) return (piece = new Uint8Array()) => decodeAs(piece, encoding);
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  return (piece) => decoder.decode(piece, { stream: piece !== undefined });
}

/** Drops the first `count` bytes of a stream. */
async function* skipBytes(stream: AsyncIterable<Uint8Array>, count: number): AsyncGenerator<Uint8Array> {
  let left = count;
  for await (const part of stream) {
    if (left >= part.length) left -= part.length;
    else {
      yield left === 0 ? part : part.subarray(left);
      left = 0;
    }
  }
}

/** The text with each unpaired surrogate replaced by U+FFFD; same length. */
export function wellFormed(text: string): string {
  return /[\ud800-\udfff]/.test(text) ? text.replace(/\p{Surrogate}/gu, "\ufffd") : text;
}

function sniffEncoding(bytes: Uint8Array): { encoding: string; bomBytes: number } {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    assertText(sample);
    return { encoding: "utf-8", bomBytes: 3 };
  }
  const marked =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? "utf-16le"
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? "utf-16be"
        : undefined;
  const encoding = marked ?? utf16ByNuls(sample);
  if (encoding === undefined) {
    assertText(sample);
    const isJapanese = ISO_2022_JP.some((mark) => viewOf(sample).includes(mark));
    return { encoding: isJapanese ? "iso-2022-jp" : "utf-8", bomBytes: 0 };
  }
  const bomBytes = marked === undefined ? 0 : 2;
  assertText(Buffer.from(decodeAs(sample.subarray(bomBytes), encoding), "utf8"));
  return { encoding, bomBytes };
}

/** UTF-16 of a Latin script has a NUL in every second byte. */
function utf16ByNuls(sample: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  let evenNuls = 0;
  let oddNuls = 0;
  for (let i = 0; i + 1 < sample.length; i += 2) {
    if (sample[i] === 0) evenNuls++;
    if (sample[i + 1] === 0) oddNuls++;
  }
  const pairs = sample.length >> 1;
  if (oddNuls > 0.3 * pairs && evenNuls < 0.1 * oddNuls) return "utf-16le";
  if (evenNuls > 0.3 * pairs && oddNuls < 0.1 * evenNuls) return "utf-16be";
  return undefined;
}

const MAGIC: [name: string, latin1Prefix: string, hint: string][] = [
  ["PDF", "%PDF-", "Give it the ending .pdf, or use --format pdf."],
  ["zip, docx or epub", "PK\x03\x04", "Give it its own ending (.docx, .epub), or unpack it and index the files."],
  ["gzip", "\x1f\x8b", "Give it the ending .gz."],
  ["PNG image", "\x89PNG", "Leave it out, or give it the ending .png and read it with --ocr."],
  ["JPEG image", "\xff\xd8\xff", "Leave it out, or give it the ending .jpg and read it with --ocr."],
  ["TIFF image", "II*\0", "Leave it out, or give it the ending .tif and read it with --ocr."],
  ["TIFF image", "MM\0*", "Leave it out, or give it the ending .tif and read it with --ocr."],
  ["GIF image", "GIF8", "Save it as PNG, or leave it out."],
  ["old Office (.doc, .xls, .ppt)", "\xd0\xcf\x11\xe0", "Save it as .docx or PDF."],
  ["RTF", "{\\rtf", "Give it the ending .rtf, or use --format rtf."],
  ["program", "\x7fELF", "Leave it out."],
];

/** The kind of binary file that begins with these bytes, or undefined. */
export function magicOf(head: Uint8Array): { name: string; hint: string } | undefined {
  const start = Buffer.from(head.subarray(0, 8)).toString("latin1");
  const found = MAGIC.find(([, prefix]) => start.startsWith(prefix));
  return found && { name: found[0], hint: found[2] };
}

/**
 * @throws VerbatimError `unsupported-document` if the sample has a signature, a NUL, or the control characters of
 *   binary data
 */
function assertText(sample: Uint8Array): void {
  const magic = magicOf(sample);
  if (magic !== undefined) throw unsupported(`is not text (it holds ${magic.name} data)`, magic.hint);
  let controls = 0;
  for (const byte of sample) {
    if (byte === 0) throw unsupported("is binary, not text", "Leave it out, or convert it to text.");
    // Tab, line feed, vertical tab, form feed, return, backspace and escape occur in text.
    if ((byte < 0x20 && !(byte >= 0x08 && byte <= 0x0d) && byte !== 0x1b) || byte === 0x7f) controls++;
  }
  if (controls > sample.length * MAX_CONTROL_SHARE) {
    throw unsupported("is binary, not text", "Leave it out, or convert it to text.");
  }
}

/** True if more characters beyond ASCII are valid than invalid: damaged UTF-8, not another encoding. */
function isMostlyUtf8(text: string): boolean {
  let good = 0;
  let broken = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 0xfffd) broken++;
    else if (unit > 0x7f) good++;
  }
  return good > broken;
}

function withoutCutCharacter(head: Uint8Array): Uint8Array {
  let end = head.length;
  for (let back = 1; back <= 3 && back <= head.length; back++) {
    const byte = head[head.length - back]!;
    if (byte < 0x80) break;
    if (byte >= 0xc0) {
      end = head.length - back;
      break;
    }
  }
  return head.subarray(0, end);
}

function viewOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
