/** Opens one segment file and finds its sections (docs/index-format.md §2). */

import type { ByteSource, Storage } from "../ports.js";
import type { Component } from "./components.js";
import {
  checkHeader,
  contentId,
  decodeDirectory,
  decodeFooter,
  FOOTER_BYTES,
  HEADER_BYTES,
} from "./container-layout.js";
import type { FileEntry } from "./container-writer.js";
import { corrupt } from "./corrupt.js";
import { crc32c } from "./crc32c.js";
import { readExactly, Section } from "./section.js";

/**
 * Bytes read from the file's end when it is opened. They hold footer and directory of all but the
 * largest files, so most files open with two reads.
 */
const TAIL_BYTES = 4096;
/** An open segment file. */
export class Container {
  readonly name: string;
  readonly size: number;
  readonly sections: readonly Section[];
  readonly source: ByteSource;

  constructor(name: string, size: number, sections: Section[], source: ByteSource) {
    this.name = name;
    this.size = size;
    this.sections = sections;
    this.source = source;
  }

  /** @throws VerbatimError `corrupt-segment` if there is no section of this name */
  section(name: string): Section {
    const section = this.sections.find((candidate) => candidate.entry.name === name);
    if (!section) throw corrupt(this.name, `section "${name}" is missing`);
    return section;
  }

  /**
   * Reads the whole payload with one read and keeps it, for small files that are needed when the
   * index is opened.
   */
  async preload(signal?: AbortSignal): Promise<void> {
    const last = this.sections.at(-1);
    if (!last) return;
    const length = last.entry.offset + last.entry.length - HEADER_BYTES;
    const bytes = await readExactly(this.source, this.name, { offset: HEADER_BYTES, length }, signal);
    for (const section of this.sections) {
      const from = section.entry.offset - HEADER_BYTES;
      section.preload(bytes.subarray(from, from + section.length));
    }
  }

  close(): Promise<void> {
    return this.source.close();
  }
}

export interface ContainerOptions {
  component: Component;
  passageModelHash: string;
  /**
   * Computes the content id again. Header, directory and footer have checksums, so only `check`
   * asks for this: SHA-256 is slow.
   */
  verifyId?: boolean;
  /** The caller has just checked all blocks; do not check them again. */
  checked?: boolean;
  signal?: AbortSignal;
}

/**
 * Opens a file and checks header, footer and directory, and that it is the file that the manifest
 * names.
 * @throws VerbatimError `corrupt-segment` | `unsupported-format` | `model-mismatch`, and what the
 *   storage throws
 */
export async function openContainer(storage: Storage, file: FileEntry, options: ContainerOptions): Promise<Container> {
  const source = await storage.open(file.name);
  try {
    return await readContainer(source, file, options);
  } catch (error) {
    await source.close();
    throw error;
  }
}

async function readContainer(source: ByteSource, file: FileEntry, options: ContainerOptions): Promise<Container> {
  const { name } = file;
  const { signal } = options;
  const size = await source.size();
  if (size !== file.bytes)
    throw corrupt(name, "its size is not the one in the manifest", { found: size, expected: file.bytes });
  if (size < HEADER_BYTES + FOOTER_BYTES) throw corrupt(name, `a file of ${size} bytes is too short`);
  const tailLength = Math.min(size, TAIL_BYTES);
  const [header, tail] = await Promise.all([
    readExactly(source, name, { offset: 0, length: HEADER_BYTES }, signal),
    readExactly(source, name, { offset: size - tailLength, length: tailLength }, signal),
  ]);
  checkHeader(header, { file: name, ...options });
  const footer = decodeFooter(tail.subarray(tailLength - FOOTER_BYTES), name);
  const { directoryOffset, directoryLength } = footer;
  if (
    footer.fileSize !== size ||
    directoryOffset < HEADER_BYTES ||
    directoryOffset + directoryLength !== size - FOOTER_BYTES
  ) {
    throw corrupt(`${name}, footer`, "offsets and file size do not add up");
  }
  const inTail = directoryOffset - (size - tailLength);
  const directory =
    inTail >= 0
      ? tail.subarray(inTail, inTail + directoryLength)
      : await readExactly(source, name, { offset: directoryOffset, length: directoryLength }, signal);
  if (crc32c(directory) !== footer.directoryCrc) throw corrupt(`${name}, directory`, "checksum does not match");
  if (footer.id !== file.id) {
    throw corrupt(name, "it is not the file that the manifest names", { found: footer.id, expected: file.id });
  }
  if (options.verifyId && contentId(header, directory) !== footer.id) throw corrupt(name, "its content id is wrong");
  const sections = decodeDirectory(directory, directoryOffset, name).map((entry) => new Section(source, name, entry));
  if (options.checked) for (const section of sections) section.assumeChecked();
  return new Container(name, size, sections, source);
}
