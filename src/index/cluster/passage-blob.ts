/**
 * An encoded passage as one run of bytes, for stores that keep a passage as one record (a cluster).
 * It has the records of `phrases` and `ngrams` as in a segment, with the steps that they are coded
 * with, the passage's vector, the passage's terms and n-grams (which a segment has only as postings), and its place.
 * docs/opensearch.md has the layout.
 */

import { DROPPED, groupsOf, isStep, type Precision } from "../../encode/precision.js";
import type { EncodedPassage, TermWeights } from "../../encode/types.js";
import { indexIn } from "../../vectors/ascending.js";
import { ByteReader, ByteWriter } from "../format/bytes.js";
import { crc32c } from "../format/crc32c.js";
import { packNgrams, unpackPassageNgrams } from "../segment/ngrams.js";
import { packPhrases, unpackPhrases } from "../segment/phrases.js";
import { countPassage } from "../segment/tfidf.js";

const BLOB_VERSION = 1;
const CRC_BYTES = 4;

/** n-grams of a passage, by ascending bucket. */
interface PassageGrams {
  buckets: Uint32Array;
  /** 1 … 255 */
  counts: Uint8Array;
  /** As `tfidfNorms` of a segment returns it: a float32. */
  norm: number;
}

/** A passage with everything that an index stores for it. */
export interface WholePassage {
  /** The document's place in the order of the index, and the passage's number in the document. */
  order: number;
  number: number;
  /** The document has no other passage. */
  alone: boolean;
  /** UTF-16 span in the document's text. */
  start: number;
  end: number;
  encoded: EncodedPassage;
  grams: PassageGrams;
}

interface Dimensions {
  dense: number;
  coherency: number;
  vector: number;
}

/** Counts the n-grams of a passage's text as a segment does. */
export function passageGrams(text: string): PassageGrams {
  const { counts, norm } = countPassage(text);
  const sorted = counts.sort((a, b) => a[0] - b[0]);
  return {
    buckets: Uint32Array.from(sorted, ([bucket]) => bucket),
    counts: Uint8Array.from(sorted, ([, count]) => count),
    norm: Math.fround(norm),
  };
}

/** The passage's count of an n-gram: 0 … 255. */
export function countOf({ buckets, counts }: PassageGrams, bucket: number): number {
  const at = indexIn(buckets, bucket);
  return at < 0 ? 0 : counts[at]!;
}

/** @param coding.precision  values that are already rounded to it lose nothing */
export function encodePassageBlob(
  { order, number, alone, start, end, encoded, grams }: WholePassage,
  { dimensions, precision }: { dimensions: Dimensions; precision: Precision },
): Uint8Array {
  const out = new ByteWriter(16_384);
  out.u8(BLOB_VERSION);
  out.u8(alone ? 1 : 0);
  for (const value of [order, number, start, end]) out.varint(value);
  for (const steps of [precision.start, precision.end, precision.coherency]) out.raw(Uint8Array.from(steps));
  out.u8(precision.ngramStep);
  for (const { length } of [encoded.ids, encoded.startPositions, encoded.endPositions]) out.varint(length);
  packPhrases(out, encoded, { dimensions, precision });
  packNgrams(out, encoded, precision.ngramStep);
  out.raw(new Uint8Array(encoded.vector.buffer, encoded.vector.byteOffset, encoded.vector.length));
  out.varint(encoded.units.length);
  for (const unit of encoded.units) packKeys(out, { keys: unit.terms, values: unit.weights });
  packKeys(out, { keys: grams.buckets, values: grams.counts });
  out.raw(new Uint8Array(Float32Array.of(grams.norm).buffer));
  const bytes = Uint8Array.from(out.bytes());
  const crc = new ByteWriter(CRC_BYTES);
  crc.u32(crc32c(bytes));
  const whole = new Uint8Array(bytes.length + CRC_BYTES);
  whole.set(bytes);
  whole.set(crc.bytes(), bytes.length);
  return whole;
}

/**
 * @param where  for messages
 * @throws VerbatimError `corrupt-segment` for damaged bytes
 */
export function decodePassageBlob(
  bytes: Uint8Array,
  dimensions: Dimensions,
  where: string,
): WholePassage & { precision: Precision } {
  const body = bytes.subarray(0, Math.max(0, bytes.length - CRC_BYTES));
  const reader = new ByteReader(body, where);
  if (new ByteReader(bytes.subarray(body.length), where).u32() !== crc32c(body))
    throw reader.damaged("a checksum that does not match");
  const version = reader.u8();
  if (version !== BLOB_VERSION) throw reader.damaged(`a passage of version ${version}`);
  const alone = reader.u8() === 1;
  const [order, number, start, end] = [reader.varint(), reader.varint(), reader.varint(), reader.varint()];
  const steps = (dim: number) => {
    const found = Uint8Array.from(reader.raw(groupsOf(dim)));
    if (!found.every((step) => isStep(step) || step === DROPPED)) throw reader.damaged("a step that is out of range");
    return found;
  };
  const precision: Precision = {
    start: steps(dimensions.dense),
    end: steps(dimensions.dense),
    coherency: steps(dimensions.coherency),
    ngramStep: reader.u8(),
  };
  const [tokens, starts, ends] = [reader.varint(), reader.varint(), reader.varint()];
  const rows = unpackPhrases(reader, { starts, ends }, { dimensions, precision });
  const ngrams = unpackPassageNgrams(reader, { tokens, starts, ends }, precision.ngramStep);
  const vector = Int8Array.from(reader.raw(dimensions.vector), (byte) => (byte << 24) >> 24);
  const units: TermWeights[] = Array.from({ length: reader.varint() }, () => {
    const { keys, values } = unpackKeys(reader);
    return { terms: Uint16Array.from(keys), weights: values };
  });
  const { keys: buckets, values: counts } = unpackKeys(reader);
  const norm = new Float32Array(Uint8Array.from(reader.raw(4)).buffer)[0]!;
  if (reader.left !== 0) throw reader.damaged(`${reader.left} bytes too many`);
  const encoded = { ...ngrams, ...rows, units, vector };
  return { order, number, alone, start, end, encoded, grams: { buckets, counts, norm }, precision };
}

/** Ascending keys as differences, each followed by its value. */
function packKeys(out: ByteWriter, { keys, values }: { keys: Uint32Array | Uint16Array; values: Uint8Array }): void {
  out.varint(keys.length);
  let before = 0;
  for (const key of keys) {
    out.varint(key - before);
    before = key;
  }
  out.raw(values);
}

function unpackKeys(reader: ByteReader): { keys: Uint32Array; values: Uint8Array } {
  const length = reader.varint();
  if (length > reader.left) throw reader.damaged(`${length} keys`); // before anything is allocated
  const keys = new Uint32Array(length);
  let key = 0;
  for (let i = 0; i < length; i++) {
    key += reader.varint();
    keys[i] = key;
  }
  return { keys, values: Uint8Array.from(reader.raw(length)) };
}
