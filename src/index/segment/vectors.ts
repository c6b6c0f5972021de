/** Component `vectors`: one vector per passage, in passage order (docs/index-format.md §6.2). */

import type { Container } from "../format/container.js";
import type { ContainerWriter, FileEntry } from "../format/container-writer.js";
import { corrupt } from "../format/corrupt.js";
import type { Section } from "../format/section.js";

const ROWS_BLOCK = 4096;

export class VectorsWriter {
  readonly #container: ContainerWriter;

  constructor(container: ContainerWriter) {
    this.#container = container;
    container.beginSection("rows", ROWS_BLOCK);
  }

  /** @param rows  one or more whole vectors, int8 */
  async add(rows: Int8Array | Uint8Array): Promise<void> {
    await this.#container.append(new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength));
  }

  finish(): Promise<FileEntry> {
    return this.#container.finish();
  }
}

export class VectorsReader {
  readonly rows: Section;
  /** Bytes of one vector. */
  readonly rowBytes: number;

  /** @throws VerbatimError `corrupt-segment` if there is not one vector per passage */
  constructor(container: Container, { passages, vector }: { passages: number; vector: number }) {
    this.rows = container.section("rows");
    this.rowBytes = vector;
    if (this.rows.length !== passages * vector) throw corrupt(this.rows.where, `it does not have ${passages} vectors`);
  }

  /**
   * All vectors, in pieces of whole ones.
   * @param onRows  the rows are valid until it returns
   * @throws VerbatimError `corrupt-segment`, `aborted`
   */
  async read(onRows: (firstPassage: number, rows: Int8Array) => void, signal?: AbortSignal): Promise<void> {
    const pass = (bytes: Uint8Array, offset: number): void =>
      onRows(offset / this.rowBytes, new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length));
    if (this.rowBytes > 0) await this.rows.eachPiece(this.rowBytes, pass, signal);
  }

  /** The vectors of passages first … end − 1. @throws VerbatimError `corrupt-segment`, `aborted` */
  async range(first: number, end: number, signal?: AbortSignal): Promise<Int8Array> {
    const bytes = await this.rows.read(first * this.rowBytes, (end - first) * this.rowBytes, signal);
    return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  }
}
