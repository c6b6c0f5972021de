/**
 * Component `documents`: records with names, metadata and maps, and a table of id hashes
 * (docs/index-format.md §3).
 */

import { deflateSync } from "fflate";
import type { Heading, MetadataValue, SourceMap } from "../../types.js";
import { ByteReader, ByteWriter, toUtf8 } from "../format/bytes.js";
import { Offsets } from "../format/columns.js";
import type { Container } from "../format/container.js";
import type { ContainerWriter, FileEntry } from "../format/container-writer.js";
import { documentKey } from "../format/content-hash.js";
import { corrupt } from "../format/corrupt.js";
import { inflate, MAX_INFLATION } from "../format/inflate.js";
import type { Section } from "../format/section.js";
import { inSlices, type Pause } from "../format/time-slices.js";
import type { Inflate } from "../ports.js";
import type { DocumentRecord } from "../types.js";
import { DocumentKeys, ID_BYTES } from "./document-keys.js";
import { packSegments, unpackSegments } from "./source-map-codec.js";

const RECORDS_BLOCK = 4096;
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
  contentHash: string;
  length: number;
  passages: number;
  kind: SourceMap["kind"];
  metadata: Record<string, MetadataValue>;
}

export class DocumentsWriter {
  #container: ContainerWriter;
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
    const head: DocumentHead = { id, title, source, contentHash, length, passages, kind: map.kind, metadata };
    const json = toUtf8(JSON.stringify(head));
    const out = this.#record;
    out.clear();
    out.varint(json.length);
    out.raw(json);
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
    await this.#append(out.bytes());
    this.keys.push({ idHash: documentKey(id), contentHash, document: this.keys.length, passages });
  }

  /**
   * A record as stored in another segment.
   * @param key  the bytes of its row of `DocumentKeys`
   */
  async addStored(record: Uint8Array, key: Uint8Array): Promise<void> {
    await this.#append(record);
    this.keys.pushRow(key, this.keys.length);
  }

  async #append(record: Uint8Array): Promise<void> {
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
    await this.#container.section("offsets", OFFSETS_BLOCK, out.bytes());
    this.#container.beginSection("ids", IDS_BLOCK);
    await this.keys.writeSorted((rows) => this.#container.append(rows), pause);
    return this.#container.finish();
  }
}

export class DocumentsReader {
  readonly count: number;
  #records: Section;
  #offsets: Section;
  #ids: Section;

  /** @throws VerbatimError `corrupt-segment` if the tables do not have `count` documents */
  constructor(container: Container, count: number) {
    this.count = count;
    this.#records = container.section("records");
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
    return decodeRecord(await this.#records.read(offset, length, signal), this.#recordAt(document));
  }

  #recordAt(document: number): { where: string; by: Inflate | undefined } {
    return { where: `${this.#records.where}, document ${document}`, by: this.#records.inflate };
  }

  /**
   * The stored bytes of every record, in document order; each view is valid until the next batch.
   */
  async *records(
    signal?: AbortSignal,
    range: DocumentRange = { first: 0, end: this.count },
  ): AsyncGenerator<{ document: number; record: Uint8Array }> {
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
        yield { document: first, record: bytes.subarray(offset - from, offset + length - from) };
      }
    }
  }

  /** Heads of all documents in document order, without their maps. */
  async *heads(signal?: AbortSignal): AsyncGenerator<{ document: number; head: DocumentHead }> {
    for await (const { document, record } of this.records(signal)) {
      const where = `${this.#records.where}, document ${document}`;
      const reader = new ByteReader(record, where);
      yield { document, head: parseHead(reader.utf8(reader.varint()), where) };
    }
  }

  /** Whole records in document order. */
  async *all(
    signal?: AbortSignal,
    range?: DocumentRange,
  ): AsyncGenerator<{ document: number; record: DocumentRecord }> {
    for await (const { document, record } of this.records(signal, range))
      yield { document, record: decodeRecord(record, this.#recordAt(document)) };
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

function decodeRecord(bytes: Uint8Array, { where, by }: { where: string; by: Inflate | undefined }): DocumentRecord {
  const reader = new ByteReader(bytes, where);
  const head = parseHead(reader.utf8(reader.varint()), where);
  const count = reader.varint();
  const packedLength = reader.varint();
  const stored = reader.raw(reader.varint());
  const headings = readHeadings(reader);
  if (reader.left !== 0) throw reader.damaged(`${reader.left} bytes too many`);
  if (packedLength > stored.length * MAX_INFLATION || count > packedLength)
    throw corrupt(where, "its map has invalid lengths");
  const packed = stored.length === packedLength ? stored : inflate(stored, packedLength, { where, by });
  const segments = unpackSegments(new ByteReader(packed, where), count);
  const { id, title, source, contentHash, length, passages, kind, metadata } = head;
  return {
    id,
    title,
    source,
    contentHash,
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

function parseHead(json: string, where: string): DocumentHead {
  let head: Partial<DocumentHead> | null;
  try {
    head = JSON.parse(json);
  } catch {
    throw corrupt(where, "its head is not JSON");
  }
  const strings = [head?.id, head?.title, head?.source, head?.contentHash, head?.kind];
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
