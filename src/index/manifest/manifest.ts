/**
 * The manifest: names, encoding and decoding, and which one is current (docs/index-format.md §10).
 */

import type { StoragePrecision } from "../../encode/types.js";
import { VerbatimError } from "../../errors.js";
import { FORMAT_VERSION, unsupportedFormat } from "../format/container-layout.js";
import type { FileEntry } from "../format/container-writer.js";
import { crc32c } from "../format/crc32c.js";
import type { IndexLevel } from "../format/level.js";
import type { Storage } from "../ports.js";
import { parseManifestBody, TERM_UNIT } from "./manifest-body.js";

/** What an index records about the model that wrote it. */
export interface ManifestModel {
  name: string;
  passageModelHash: string;
  vocabularySize: number;
  dense: number;
  coherency: number;
  vector: number;
  /**
   * Precision of new segments, if the model is loaded. Stored in the segments, not in the manifest.
   */
  storage?: StoragePrecision;
}

export interface ManifestSegment {
  name: string;
  /** Everything stored, deleted documents included. */
  documents: number;
  passages: number;
  startRows: number;
  endRows: number;
  tokens: number;
  deletedDocuments: number;
  deletedPassages: number;
  /** Decides which files the segment has; default `full`. */
  level?: IndexLevel;
  /** All files of the segment, tombstones last. */
  files: FileEntry[];
}

export interface Manifest {
  formatVersion: number;
  minimumReaderVersion: number;
  /** Number of this commit, from 1. */
  version: number;
  /** Number of the next new segment. */
  nextSegment: number;
  /**
   * Level of documents that are added. Existing segments may be lower until an upgrade is done, or
   * partly higher.
   */
  level: IndexLevel;
  /**
   * Term weights that new segments of level `thin` store per passage: the largest. Only with that
   * level.
   */
  thinTerms?: number;
  model: ManifestModel;
  /** Live documents and passages, and bytes of all files named. */
  totals: { documents: number; passages: number; bytes: number };
  segments: ManifestSegment[];
}

const MANIFEST_NAME = /^manifest-([1-9][0-9]{0,14})\.json$/;
/** An empty file that exists from before the first segment file until the first commit. */
export const UNCOMMITTED = "uncommitted";
const SEGMENT_FILE =
  /^s[0-9]{6,15}\.(documents|text|passages|phrases|ngrams|vectors|terms|tfidf|tombstones-[1-9][0-9]{0,14})$/;
const MANIFEST_FILE = /^manifest-[1-9][0-9]{0,14}\.json(\.tmp)?$/;
const TAIL = /^,\n "crc32c": "([0-9a-f]{8})"\n\}\n$/;
const TAIL_BYTES = 26;
/** No real manifest is larger; bounds what a damaged one makes a reader allocate. */
const MAX_BYTES = 256 * 1024 * 1024;

export const manifestName = (version: number): string => `manifest-${version}.json`;
export const segmentName = (number: number): string => `s${String(number).padStart(6, "0")}`;
/** True for names that this format uses. Other files in the folder are not ours. */
export const isIndexFile = (name: string): boolean =>
  SEGMENT_FILE.test(name) || MANIFEST_FILE.test(name) || name === UNCOMMITTED;

/**
 * True if the names are those of an index whose manifests were removed. The files of a first run
 * that was interrupted before its first commit are not an index.
 */
export const lacksManifest = (names: readonly string[]): boolean =>
  committedVersions(names).length === 0 &&
  !names.includes(UNCOMMITTED) &&
  names.some((name) => SEGMENT_FILE.test(name));

/** A segment number above all that occur in the names. */
export function freeSegmentNumber(names: readonly string[]): number {
  const numbers = names.filter((name) => isIndexFile(name)).map((name) => Number(/^s([0-9]+)\./.exec(name)?.[1] ?? 0));
  return numbers.reduce((most, number) => Math.max(most, number), 0) + 1;
}

/** Numbers of the committed manifests among the names, highest first. */
export function committedVersions(names: readonly string[]): number[] {
  const versions = names.map((name) => MANIFEST_NAME.exec(name)?.[1]).filter((match) => match !== undefined);
  return versions.map(Number).sort((a, b) => b - a);
}

export const levelOf = (segment: Pick<ManifestSegment, "level">): IndexLevel => segment.level ?? "full";

export const segmentFile = (segment: ManifestSegment, component: string): FileEntry | undefined =>
  segment.files.find((file) => file.name === `${segment.name}.${component}`);

export const tombstonesFile = (segment: ManifestSegment): FileEntry | undefined =>
  segment.files.find((file) => file.name.startsWith(`${segment.name}.tombstones-`));

/** Totals over the segments. */
export function totalsOf(segments: readonly ManifestSegment[]): Manifest["totals"] {
  const totals = { documents: 0, passages: 0, bytes: 0 };
  for (const segment of segments) {
    totals.documents += segment.documents - segment.deletedDocuments;
    totals.passages += segment.passages - segment.deletedPassages;
    for (const file of segment.files) totals.bytes += file.bytes;
  }
  return totals;
}

/** Equal manifests give equal bytes. */
export function encodeManifest(manifest: Manifest): Uint8Array {
  const { formatVersion, minimumReaderVersion, version, nextSegment, level, thinTerms, model, totals, segments } =
    manifest;
  const versions = { formatVersion, minimumReaderVersion, version, nextSegment };
  const dial = thinTerms === undefined ? {} : { thinTerms };
  const head = { ...versions, level, ...dial, model, termUnit: TERM_UNIT, totals };
  const file = ({ name, bytes, id }: FileEntry) => `    ${spaced({ name, bytes, id })}`;
  const segment = ({ files, ...entry }: ManifestSegment) =>
    `  ${spaced(segmentFields(entry)).slice(0, -1)},\n   "files": [\n${files.map(file).join(",\n")}\n   ]}`;
  const lines = Object.entries(head).map(([key, value]) => ` ${JSON.stringify(key)}: ${spaced(value)}`);
  const list = segments.length === 0 ? "[]" : `[\n${segments.map(segment).join(",\n")}\n ]`;
  const text = `{\n "format": "verbatim-index",\n${lines.join(",\n")},\n "segments": ${list}`;
  const body = new TextEncoder().encode(text);
  const crc = crc32c(body).toString(16).padStart(8, "0");
  return new TextEncoder().encode(`${text},\n "crc32c": "${crc}"\n}\n`);
}

function segmentFields(entry: Omit<ManifestSegment, "files">): Record<string, string | number> {
  const { name, documents, passages, startRows, endRows, tokens, deletedDocuments, deletedPassages, level } = entry;
  const counts = { documents, passages, startRows, endRows, tokens, units: passages };
  return { name, ...counts, deletedDocuments, deletedPassages, ...(level === undefined ? {} : { level }) };
}

/** JSON on one line with a space after each comma and colon. */
function spaced(value: unknown): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}: ${spaced(item)}`)
    .join(", ")}}`;
}

/** @throws VerbatimError `corrupt-manifest` | `unsupported-format` */
export function decodeManifest(bytes: Uint8Array, name: string): Manifest {
  const body = bytes.subarray(0, Math.max(0, bytes.length - TAIL_BYTES));
  const crc = checksumAtEnd(bytes);
  if (crc === undefined) throw corruptManifest(name, "its end is missing or damaged");
  if (Number.parseInt(crc, 16) !== crc32c(body)) throw corruptManifest(name, "checksum does not match");
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw corruptManifest(name, `it is not JSON (${cause instanceof Error ? cause.message : cause})`);
  }
  const minimum = (json as { minimumReaderVersion?: unknown } | null)?.minimumReaderVersion;
  if (typeof minimum === "number" && minimum !== FORMAT_VERSION) throw unsupportedFormat(name, minimum);
  const manifest = parseManifestBody(json, (what) => corruptManifest(name, what));
  if (name !== manifestName(manifest.version))
    throw corruptManifest(name, `it says that it is version ${manifest.version}`);
  return manifest;
}

export function corruptManifest(name: string, what: string): VerbatimError {
  return new VerbatimError("corrupt-manifest", `The index is damaged: ${name}: ${what}.`, {
    where: name,
    hint: 'Run "verbatim repair" to recover what is intact, or index the documents again into a new folder.',
  });
}

/** @throws VerbatimError `corrupt-manifest` | `unsupported-format`, and what the storage throws */
export async function readManifest(
  storage: Storage,
  version: number,
  signal?: AbortSignal,
): Promise<{ manifest: Manifest; checksum: string; bytes: number }> {
  const name = manifestName(version);
  const source = await storage.open(name);
  try {
    const size = await source.size();
    if (size > MAX_BYTES) throw corruptManifest(name, `it has ${size} bytes`);
    const bytes = await source.read(0, size, signal);
    return { manifest: decodeManifest(bytes, name), checksum: checksumAtEnd(bytes)!, bytes: size };
  } finally {
    await source.close();
  }
}

/**
 * The checksum of a manifest, which is not checked.
 * @returns undefined if its end is damaged
 * @throws what the storage throws
 */
export async function readChecksum(storage: Storage, version: number): Promise<string | undefined> {
  const source = await storage.open(manifestName(version));
  try {
    const size = await source.size();
    const from = Math.max(0, size - TAIL_BYTES);
    return checksumAtEnd(await source.read(from, size - from));
  } finally {
    await source.close();
  }
}

/** The checksum in the last bytes of a manifest. */
function checksumAtEnd(bytes: Uint8Array): string | undefined {
  return TAIL.exec(new TextDecoder().decode(bytes.subarray(Math.max(0, bytes.length - TAIL_BYTES))))?.[1];
}
