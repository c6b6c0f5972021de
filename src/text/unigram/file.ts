/** The file `vocab.unigram` of a model folder (docs/model-format.md). training/unigram_file.py writes it. */

import { VerbatimError } from "../../errors.js";

export interface UnigramVocabulary {
  /** Special pieces first: pad, unknown, cls, sep, mask. "▁" begins a word. */
  pieces: string[];
  /** −2048 · log probability of each piece, rounded; 0 for special pieces. */
  costs: Uint16Array;
  /** Character sequences and what they normalise to. */
  rules: ReadonlyMap<string, string>;
}

/** Special pieces at the start of the vocabulary. */
export const SPECIAL_PIECES = 5;

/** Ids of the special pieces. */
export const UNIGRAM_IDS = { pad: 0, unknown: 1, cls: 2, sep: 3, mask: 4 } as const;

const MAGIC = 0x4d475556; // "VUGM"
const VERSION = 1;
const HEADER_BYTES = 28;

export function isUnigramVocabulary(file: Uint8Array): boolean {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  return file.length >= HEADER_BYTES && view.getUint32(0, true) === MAGIC;
}

/** @throws VerbatimError `unsupported-format` for another file, a truncated one, or lengths that do not add up */
export function parseUnigramVocabulary(file: Uint8Array): UnigramVocabulary {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (!isUnigramVocabulary(file)) throw unreadable("it does not begin with VUGM");
  const header = (n: number): number => view.getUint32(4 + 4 * n, true);
  if (header(0) !== VERSION) throw unreadable(`it has version ${header(0)}, expected ${VERSION}`);
  const [count, rules, pieceBytes, sourceBytes, targetBytes] = [header(1), header(2), header(3), header(4), header(5)];
  const size = HEADER_BYTES + 4 * count + pieceBytes + 3 * rules + sourceBytes + targetBytes;
  if (size !== file.length) throw unreadable(`it has ${file.length} bytes, expected ${size}`);
  if (count <= SPECIAL_PIECES || count > 0x10000) throw unreadable(`it has ${count} pieces`);
  let at = HEADER_BYTES;
  const take = (bytes: number): Uint8Array => {
    at += bytes;
    return file.subarray(at - bytes, at);
  };
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const text = (bytes: number): string => {
    try {
      return decoder.decode(take(bytes));
    } catch (cause) {
      throw unreadable("its text is not UTF-8", cause);
    }
  };
  const costs = Uint16Array.from({ length: count }, (_, i) => view.getUint16(at + 2 * i, true));
  at += 2 * count;
  const pieces = frontDecode(take(count), take(count), text(pieceBytes));
  const [shared, lengths, targetLengths] = [take(rules), take(rules), take(rules)];
  const sources = frontDecode(shared, lengths, text(sourceBytes));
  const targets = split(text(targetBytes), targetLengths);
  return { pieces, costs, rules: new Map(sources.map((source, i) => [source, targets[i]!])) };
}

/** Strings that share their first units with the string before them. */
function frontDecode(shared: Uint8Array, lengths: Uint8Array, tails: string): string[] {
  let before = "";
  return split(tails, lengths).map((tail, i) => {
    if (shared[i]! > before.length) throw unreadable("a shared prefix is longer than the string before it");
    before = before.slice(0, shared[i]!) + tail;
    return before;
  });
}

function split(text: string, lengths: Uint8Array): string[] {
  let at = 0;
  const parts = Array.from(lengths, (length) => {
    at += length;
    return text.slice(at - length, at);
  });
  if (at !== text.length) throw unreadable("lengths and text do not agree");
  return parts;
}

function unreadable(reason: string, cause?: unknown): VerbatimError {
  return new VerbatimError("unsupported-format", `The Unigram vocabulary cannot be read: ${reason}.`, {
    cause,
    hint: "Use the vocab.unigram that came with the model.",
  });
}
