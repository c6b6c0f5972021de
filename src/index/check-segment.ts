/** Whether the files of one segment agree with one another; each of them is whole by itself already. */

import { throwIfAborted } from "../errors.js";
import { DocumentHasher, documentKey } from "./content-hash.js";
import { corrupt } from "./corrupt.js";
import type { DocumentKey } from "./documents.js";
import type { PostingsLists } from "./keyed-postings.js";
import type { Manifest } from "./manifest.js";
import type { OpenSegment } from "./segment-reader.js";
import type { DocumentRecord, TfidfKind } from "./types.js";
import { validatePassage } from "./validate.js";

const TEXT_AT_ONCE = 1 << 18;
const PASSAGES_AT_ONCE = 256;
/** log(1 + count)² of every count that a byte holds. */
const SQUARES = Float64Array.from({ length: 256 }, (_, count) => Math.log1p(count) ** 2);
/** Norms are float32 of a sum in double, added up in another order here. */
const NORM_TOLERANCE = 1e-5;

export interface CheckSegmentOptions {
  manifest: Manifest;
  /** Live documents of this segment, by the hash of their id, are put here with their numbers. */
  ids: Map<string, number>;
  problem: (component: string, what: string) => unknown;
  signal?: AbortSignal;
}

/** @throws VerbatimError `corrupt-segment` when something is too wrong to go on; lesser faults are told one by one */
export async function checkSegment(segment: OpenSegment, options: CheckSegmentOptions): Promise<void> {
  const lengths = await checkDocuments(segment, options);
  await checkPassages(segment, lengths, options);
  await checkPostings(
    segment.terms,
    { name: "terms", component: "terms", limit: options.manifest.model.vocabularySize },
    options,
  );
  await checkTfidf(segment, "document", options);
  await checkTfidf(segment, "passage", options);
}

/** Records, their table of ids, and texts. @returns the texts' UTF-16 lengths */
async function checkDocuments(segment: OpenSegment, options: CheckSegmentOptions): Promise<number[]> {
  const { problem, signal, ids } = options;
  const passages = new Uint32Array(segment.documentCount);
  for (const document of segment.passageDocuments) passages[document]!++;
  const keys = await segment.documents.keys(signal);
  const byNumber: DocumentKey[] = [];
  for (const [i, key] of keys.entries()) {
    if (i > 0 && keys[i - 1]!.idHash > key.idHash)
      problem("documents", `entry ${i} of the table of ids is out of order`);
    if (byNumber[key.document]) problem("documents", `document ${key.document} is in the table of ids twice`);
    byNumber[key.document] = key;
  }
  const lengths: number[] = [];
  for await (const { document: number, record } of segment.documents.all(signal)) {
    throwIfAborted(signal);
    lengths.push(record.length);
    const key = byNumber[number];
    const fits = key?.idHash === documentKey(record.id) && key.contentHash === record.contentHash;
    if (!fits || key?.passages !== record.passageCount)
      problem("documents", `document ${number} is not as the table of ids says`);
    if (record.passageCount !== passages[number]) {
      problem("documents", `document ${number} has ${passages[number]} passages, not ${record.passageCount}`);
    }
    if (key && !segment.isDeleted(number)) {
      if (ids.has(key.idHash)) problem("documents", `document ${number} ("${record.id}") is in the index twice`);
      ids.set(key.idHash, number);
    }
    await checkText(segment, number, record, options);
  }
  return lengths;
}

async function checkText(
  segment: OpenSegment,
  number: number,
  rest: DocumentRecord,
  options: CheckSegmentOptions,
): Promise<void> {
  const { problem, signal } = options;
  const hasher = new DocumentHasher(rest.title, rest.length);
  let length = 0;
  for (let piece = " "; piece !== "" && length <= rest.length; length += piece.length) {
    piece = await segment.readText(number, length, length + TEXT_AT_ONCE, signal);
    hasher.update(piece);
  }
  if (length !== rest.length) problem("text", `document ${number} has ${length} UTF-16 units, not ${rest.length}`);
  if (hasher.digest(rest.metadata) !== rest.contentHash)
    problem("text", `document ${number} has another content hash than its record says`);
  const { segments } = rest.map;
  if (segments.some(({ start }) => start > rest.length))
    problem("documents", `the map of document ${number} leads out of its text`);
}

async function checkPassages(
  segment: OpenSegment,
  lengths: readonly number[],
  options: CheckSegmentOptions,
): Promise<void> {
  const { problem, signal } = options;
  const { model, termUnit } = options.manifest;
  let tokens = 0;
  for (let first = 0; first < segment.passageCount; first += PASSAGES_AT_ONCE) {
    const count = Math.min(PASSAGES_AT_ONCE, segment.passageCount - first);
    const numbers = Array.from({ length: count }, (_, i) => first + i);
    const firstRow = segment.firstStartRows[first]!;
    const rows = segment.firstStartRows[first + count]! - firstRow;
    const coarse = await segment.coarse.stored(firstRow, firstRow + rows, signal);
    const passages = await segment.readPassages(numbers, signal);
    for (const [i, stored] of passages.entries()) {
      const number = first + i;
      tokens += stored.ids.length;
      const fail = (what: string) => corrupt(`${segment.name}.passages`, `passage ${number}: ${what}`);
      const { document, start, end } = segment.passage(number);
      validatePassage({ start, end, encoded: { ...stored, units: [] } }, lengths[document]!, { model, termUnit, fail });
      const units = segment.columns.units[number + 1]! - segment.columns.units[number]!;
      if (termUnit === "passage" && units !== 1) throw fail(`it has ${units} units of term weights`);
      const { code } = segment.coarse;
      const from = (segment.firstStartRows[number]! - firstRow) * code.rowBytes;
      if (!standsAt(code.encode(stored.startVectors), coarse, from))
        problem("coarse", `rows of passage ${number} are not its start vectors`);
    }
  }
  if (tokens !== segment.tokenCount) problem("passages", `${tokens} tokens, the manifest says ${segment.tokenCount}`);
}

function standsAt(wanted: Uint8Array, bytes: Uint8Array, from: number): boolean {
  for (let i = 0; i < wanted.length; i++) if (wanted[i] !== bytes[from + i]) return false;
  return true;
}

/**
 * Keys in range; units ascend and lie in range, or decoding would have failed.
 * @param squares  of every unit: the sum of log(1 + count)² is added
 */
async function checkPostings(
  postings: PostingsLists,
  what: { name: string; component: string; limit: number },
  { problem, signal }: CheckSegmentOptions,
  squares?: Float64Array,
): Promise<void> {
  for await (const lists of postings.all(signal)) {
    for (const { key, postings: list } of lists) {
      if (key >= what.limit) problem(what.component, `${what.name}: key ${key} is not below ${what.limit}`);
      const { units, values } = list;
      let before = -1;
      for (let i = 0; i < units.length; i++) {
        const unit = units[i]!;
        if (unit <= before) problem(what.component, `${what.name}: units of key ${key} do not ascend`);
        if (values[i] === 0) problem(what.component, `${what.name}: key ${key} has a value of 0`);
        before = unit;
        if (squares) squares[unit]! += SQUARES[values[i]!]!;
      }
    }
  }
}

async function checkTfidf(segment: OpenSegment, kind: TfidfKind, options: CheckSegmentOptions): Promise<void> {
  const norms = await segment.tfidfNorms(kind);
  const squares = new Float64Array(norms.length);
  const what = { name: `n-grams of ${kind}s`, component: "tfidf", limit: 1 << 24 };
  await checkPostings(segment.tfidf.lists[kind], what, options, squares);
  for (const [unit, norm] of norms.entries()) {
    const expected = squares[unit] === 0 ? 1 : Math.sqrt(squares[unit]!);
    if (!(Math.abs(norm - expected) <= NORM_TOLERANCE * expected)) {
      options.problem("tfidf", `the norm of ${kind} ${unit} is ${norm}, its n-grams give ${expected}`);
    }
  }
}
