/**
 * Component `documents`: records with names, metadata and maps, and a table of id hashes
 * (docs/index-format.md §3).
 */

import { deflateSync } from "fflate";
import { LoadOnce } from "../../load-once.js";
import type { Heading, MetadataValue, SourceMap } from "../../types.js";
import { ByteReader, ByteWriter, toUtf8 } from "../format/bytes.js";
import { Offsets } from "../format/columns.js";
import type { Container } from "../format/container.js";
import type { ContainerWriter, FileEntry } from "../format/container-writer.js";
import { documentKey } from "../format/content-hash.js";
import { corrupt } from "../format/corrupt.js";
import { fromHex, toHex } from "../format/hex.js";
import { inflate, MAX_INFLATION } from "../format/inflate.js";
import type { Section } from "../format/section.js";
import { inSlices, type Pause } from "../format/time-slices.js";
import type { Inflate } from "../ports.js";
import type { DocumentRecord } from "../types.js";
import { DocumentKeys, HASH_BYTES, ID_BYTES } from "./document-keys.js";
import { decodeHead, HeadEncoder, MAX_REFERENCE } from "./head-coding.js";
import { packSegments, unpackSegments } from "./source-map-codec.js";

const RECORDS_BLOCK = 4096;
const REFERENCE_BLOCK = 4096;
const OFFSETS_BLOCK = 16_384;
const IDS_BLOCK = 65_536;
/** Bytes of records that are read at once when all are wanted. */
const READ_AT_ONCE = 256 * 1024;
/** A heading takes at least this many bytes. */
const HEADING_BYTES = 3;
/** Smaller maps are stored uncompressed. */
const DEFLATE_FROM = 128;

/** Documents first … end − 1; default: all. */
export interface DocumentRange {
  first: number;
  end: number;
}

/** The record's head, as JSON. */
interface DocumentHead {
  id: string;
  title: string;
  source: string;
  length: number;
  passages: number;
  kind: SourceMap["kind"];
  metadata: Record<string, MetadataValue>;
}

/** A record that can be added to another segment. */
export interface StoredRecord {
  contentHash: Uint8Array;
  /** JSON in UTF-8. */
  head: Uint8Array;
  /** Map and headings, as they are stored. */
  rest: Uint8Array;
}

export class DocumentsWriter {
  #container: ContainerWriter;
  #heads = new HeadEncoder();
  #record = new ByteWriter(1024);
  #offsets: number[] = [0];
  /** In document order. */
  readonly keys = new DocumentKeys();

  constructor(container: ContainerWriter) {
    this.#container = container;
    container.beginSection("records", RECORDS_BLOCK);
  }

  async add(document: DocumentRecord): Promise<void> {
    const { id, title, source, contentHash, length, passageCount: passages, map, headings = [], metadata } = document;
    const head: DocumentHead = { id, title, source, length, passages, kind: map.kind, metadata };
    const out = this.#record;
    out.clear();
    out.raw(fromHex(contentHash));
    this.#heads.encode(toUtf8(JSON.stringify(head)), out);
    const packed = packSegments(map.segments);
    const deflated = packed.length < DEFLATE_FROM ? packed : deflateSync(packed, { level: 6 });
    const stored = deflated.length < packed.length ? deflated : packed;
    out.varint(map.segments.length);
    out.varint(packed.length);
    out.varint(stored.length);
    out.raw(stored);
    out.varint(headings.length);
    let before = 0;
    for (const { start, end, level } of headings) {
      out.varint(start - before);
      out.varint(end - start);
      out.varint(level);
      before = start;
    }
    await this.#append();
    this.keys.push({ idHash: documentKey(id), contentHash, document: this.keys.length, passages });
  }

  /**
   * A record of another segment.
   * @param key  the bytes of its row of `DocumentKeys`
   */
  async addStored({ contentHash, head, rest }: StoredRecord, key: Uint8Array): Promise<void> {
    const out = this.#record;
    out.clear();
    out.raw(contentHash);
    this.#heads.encode(head, out);
    out.raw(rest);
    await this.#append();
    this.keys.pushRow(key, this.keys.length);
  }

  async #append(): Promise<void> {
    const record = this.#record.bytes();
    await this.#container.append(record);
    this.#offsets.push(this.#offsets.at(-1)! + record.length);
  }

  /** @param pause  called between slices, to let others use the thread */
  async finish(pause?: Pause): Promise<FileEntry> {
    const out = new ByteWriter(this.#offsets.length * 8);
    const writeOffsets = (from: number, end: number): void => {
      for (let i = from; i < end; i++) out.u64(this.#offsets[i]!);
    };
    await inSlices(this.#offsets.length, writeOffsets, pause);
    await this.#container.section("reference", REFERENCE_BLOCK, this.#heads.reference);
    await this.#container.section("offsets", OFFSETS_BLOCK, out.bytes());
    this.#container.beginSection("ids", IDS_BLOCK);
    await this.keys.writeSorted((rows) => this.#container.append(rows), pause);
    return this.#container.finish();
  }
}

export class DocumentsReader {
  readonly count: number;
  #records: Section;
  #reference: LoadOnce<Uint8Array>;
  #offsets: Section;
  #ids: Section;

  /** @throws VerbatimError `corrupt-segment` if the tables do not have `count` documents */
  constructor(container: Container, count: number) {
    this.count = count;
    this.#records = container.section("records");
    const reference = container.section("reference");
    if (reference.length > MAX_REFERENCE) throw corrupt(reference.where, `it is longer than ${MAX_REFERENCE} bytes`);
    this.#reference = new LoadOnce(() => reference.readAll());
    this.#offsets = container.section("offsets");
    this.#ids = container.section("ids");
    if (this.#offsets.length !== (count + 1) * 8)
      throw corrupt(this.#offsets.where, `it does not have ${count} documents`);
    if (this.#ids.length !== count * ID_BYTES) throw corrupt(this.#ids.where, `it does not have ${count} documents`);
  }

  async read(document: number, signal?: AbortSignal): Promise<DocumentRecord> {
    const { offset, length } = Offsets.read(
      await this.#offsets.read(document * 8, 16, signal),
      this.#offsets.where,
    ).range(0);
    if (length < 0 || offset + length > this.#records.length)
      throw corrupt(this.#offsets.where, `the record of document ${document} is outside of the section`);
    const bytes = await this.#records.read(offset, length, signal);
    return this.#decode(document, splitRecord(bytes, await this.#reference.get(), this.#where(document)));
  }

  #decode(document: number, record: StoredRecord): DocumentRecord {
    return decodeRecord(record, { where: this.#where(document), by: this.#records.inflate });
  }

  #where(document: number): string {
    return `${this.#records.where}, document ${document}`;
  }

  /** Every record in document order, undecoded; each is valid until the next batch. */
  async *records(
    signal?: AbortSignal,
    range: DocumentRange = { first: 0, end: this.count },
  ): AsyncGenerator<{ document: number; record: StoredRecord }> {
    const reference = await this.#reference.get();
    const offsets = Offsets.read(await this.#offsets.readAll(signal), this.#offsets.where);
    for (let { first } = range; first < range.end; ) {
      let end = first + 1;
      while (end < range.end && offsets.at(end + 1) - offsets.at(first) <= READ_AT_ONCE) end++;
      const from = offsets.at(first);
      if (from > offsets.at(end))
        throw corrupt(this.#offsets.where, `the record of document ${first} is outside of the section`);
      const bytes = await this.#records.read(from, offsets.at(end) - from, signal);
      for (; first < end; first++) {
        const { offset, length } = offsets.range(first);
        if (length < 0) throw corrupt(this.#offsets.where, `the record of document ${first} is outside of the section`);
        const record = bytes.subarray(offset - from, offset + length - from);
        yield { document: first, record: splitRecord(record, reference, this.#where(first)) };
      }
    }
  }

  /** Heads of all documents in document order, without their maps. */
  async *heads(signal?: AbortSignal): AsyncGenerator<{ document: number; head: DocumentHead; contentHash: string }> {
    for await (const { document, record } of this.records(signal))
      yield { document, head: parseHead(record.head, this.#where(document)), contentHash: toHex(record.contentHash) };
  }

  /** Whole records in document order. */
  async *all(
    signal?: AbortSignal,
    range?: DocumentRange,
  ): AsyncGenerator<{ document: number; record: DocumentRecord }> {
    for await (const { document, record } of this.records(signal, range))
      yield { document, record: this.#decode(document, record) };
  }

  /**
   * Keys of documents first … end − 1 (default: all), ascending by id hash.
   * @param options.pause  called between slices, to let others use the thread
   */
  async keys(signal?: AbortSignal, options: Partial<DocumentRange> & { pause?: Pause } = {}): Promise<DocumentKeys> {
    const { first = 0, end = this.count, pause } = options;
    const { where } = this.#ids;
    return DocumentKeys.read(await this.#ids.readAll(signal), { where, count: this.count, first, end, pause });
  }
}

function splitRecord(bytes: Uint8Array, reference: Uint8Array, where: string): StoredRecord {
  const reader = new ByteReader(bytes, where);
  const contentHash = reader.raw(HASH_BYTES);
  const head = decodeHead(reader, reference);
  return { contentHash, head, rest: reader.rest() };
}

function decodeRecord(record: StoredRecord, { where, by }: { where: string; by: Inflate | undefined }): DocumentRecord {
  const reader = new ByteReader(record.rest, where);
  const head = parseHead(record.head, where);
  const count = reader.varint();
  const packedLength = reader.varint();
  const stored = reader.raw(reader.varint());
  const headings = readHeadings(reader);
  if (reader.left !== 0) throw reader.damaged(`${reader.left} bytes too many`);
  if (packedLength > stored.length * MAX_INFLATION || count > packedLength)
    throw corrupt(where, "its map has invalid lengths");
  const packed = stored.length === packedLength ? stored : inflate(stored, packedLength, { where, by });
  const segments = unpackSegments(new ByteReader(packed, where), count);
  const { id, title, source, length, passages, kind, metadata } = head;
  return {
    id,
    title,
    source,
    contentHash: toHex(record.contentHash),
    length,
    passageCount: passages,
    map: { kind, segments },
    ...(headings.length === 0 ? {} : { headings }),
    metadata,
  };
}

function readHeadings(reader: ByteReader): Heading[] {
  const count = reader.varint();
  if (count * HEADING_BYTES > reader.left) throw reader.damaged(`${count} headings in ${reader.left} bytes`);
  let start = 0;
  return Array.from({ length: count }, () => {
    start += reader.varint();
    return { start, end: start + reader.varint(), level: reader.varint() };
  });
}

function parseHead(json: Uint8Array, where: string): DocumentHead {
  let head: Partial<DocumentHead> | null;
  try {
    head = JSON.parse(new ByteReader(json, where).utf8(json.length));
  } catch {
    throw corrupt(where, "its head is not JSON");
  }
  const strings = [head?.id, head?.title, head?.source, head?.kind];
  const numbers = [head?.length, head?.passages];
  if (
    !strings.every((s) => typeof s === "string") ||
    !numbers.every((n) => Number.isSafeInteger(n) && n! >= 0) ||
    typeof head?.metadata !== "object"
  ) {
    throw corrupt(where, "its head lacks a field");
  }
  return head as DocumentHead;
}
