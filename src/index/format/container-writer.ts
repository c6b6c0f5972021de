/**
 * Writes one segment file front to back: header, sections with a CRC32C per block, directory,
 * footer. Nothing is patched.
 */

import { VerbatimError } from "../../errors.js";
import type { FileWriter, Storage } from "../ports.js";
import type { Component } from "./components.js";
import {
  contentId,
  encodeDirectory,
  encodeFooter,
  encodeHeader,
  FOOTER_BYTES,
  MAX_BLOCK_BYTES,
  type SectionEntry,
} from "./container-layout.js";
import { crc32c } from "./crc32c.js";

/**
 * Bytes buffered before they are appended to the file: a system call per passage would cost more
 * than encoding it.
 */
const BUFFER_BYTES = 256 * 1024;

/** A file's entry in the manifest. */
export interface FileEntry {
  name: string;
  bytes: number;
  /** Content id, 32 hex digits. */
  id: string;
}

export class ContainerWriter {
  readonly name: string;
  #file: FileWriter;
  #header: Uint8Array;
  #buffer = new Uint8Array(4096);
  #buffered = 0;
  #offset = 0;
  #sections: SectionEntry[] = [];
  #open: { name: string; offset: number; blockSize: number; crcs: number[]; crc: number; inBlock: number } | undefined;

  private constructor(name: string, file: FileWriter, header: Uint8Array) {
    this.name = name;
    this.#file = file;
    this.#header = header;
  }

  static async create(
    storage: Storage,
    name: string,
    options: { component: Component; passageModelHash: string },
  ): Promise<ContainerWriter> {
    const writer = new ContainerWriter(
      name,
      await storage.create(name),
      encodeHeader(options.component, options.passageModelHash),
    );
    await writer.#put(writer.#header);
    return writer;
  }

  /** Bytes so far, including those still in memory. */
  get bytes(): number {
    return this.#offset;
  }

  /** Ends the current section and begins the next, which gets all further bytes. */
  beginSection(name: string, blockSize: number): void {
    this.#endSection();
    if (blockSize > MAX_BLOCK_BYTES)
      throw new VerbatimError("internal", `Blocks of ${blockSize} bytes are larger than the format allows.`);
    this.#open = { name, offset: this.#offset, blockSize, crcs: [], crc: 0, inBlock: 0 };
  }

  /** Appends bytes to the open section. They are copied or written before the promise resolves. */
  async append(bytes: Uint8Array): Promise<void> {
    const section = this.#open;
    if (!section) throw new VerbatimError("internal", `${this.name}: bytes outside of a section.`);
    for (let at = 0; at < bytes.length; ) {
      const take = Math.min(bytes.length - at, section.blockSize - section.inBlock);
      section.crc = crc32c(bytes, at, at + take, section.crc);
      section.inBlock += take;
      at += take;
      if (section.inBlock === section.blockSize) {
        section.crcs.push(section.crc);
        section.crc = 0;
        section.inBlock = 0;
      }
    }
    await this.#put(bytes);
  }

  /** Writes a whole section. */
  async section(name: string, blockSize: number, bytes: Uint8Array): Promise<void> {
    this.beginSection(name, blockSize);
    await this.append(bytes);
  }

  /** Writes what is left, syncs and closes. The name is durable only after `syncDirectory`. */
  async finish(): Promise<FileEntry> {
    this.#endSection();
    const directory = encodeDirectory(this.#sections);
    const directoryOffset = this.#offset;
    const id = contentId(this.#header, directory);
    const bytes = directoryOffset + directory.length + FOOTER_BYTES;
    await this.#put(directory);
    await this.#put(
      encodeFooter({
        directoryOffset,
        directoryLength: directory.length,
        directoryCrc: crc32c(directory),
        fileSize: bytes,
        id,
      }),
    );
    await this.#drain();
    await this.#file.sync();
    await this.#file.close();
    return { name: this.name, bytes, id };
  }

  /** Closes the unfinished file. */
  async abandon(): Promise<void> {
    this.#buffered = 0;
    await this.#file.close();
  }

  #endSection(): void {
    const section = this.#open;
    if (!section) return;
    if (section.inBlock > 0) section.crcs.push(section.crc);
    const { name, offset, blockSize } = section;
    this.#sections.push({
      name,
      offset,
      length: this.#offset - offset,
      blockSize,
      crcs: Uint32Array.from(section.crcs),
    });
    this.#open = undefined;
  }

  async #put(bytes: Uint8Array): Promise<void> {
    this.#offset += bytes.length;
    if (this.#buffered + bytes.length > BUFFER_BYTES) await this.#drain();
    if (bytes.length >= BUFFER_BYTES) {
      await this.#file.append(bytes);
      return;
    }
    if (this.#buffered + bytes.length > this.#buffer.length) {
      const grown = new Uint8Array(
        Math.min(BUFFER_BYTES, Math.max(this.#buffer.length * 4, this.#buffered + bytes.length)),
      );
      grown.set(this.#buffer.subarray(0, this.#buffered));
      this.#buffer = grown;
    }
    this.#buffer.set(bytes, this.#buffered);
    this.#buffered += bytes.length;
  }

  async #drain(): Promise<void> {
    if (this.#buffered === 0) return;
    const bytes = this.#buffer.subarray(0, this.#buffered);
    this.#buffered = 0;
    await this.#file.append(bytes);
  }
}
