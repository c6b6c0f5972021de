/** Progress of a run over files in bytes, and an estimate of the time left. */

import type { IngestProgress } from "../../../src/ingest/ingest.js";
import type { InputFile } from "../documents/input.js";
import type { IndexPathsProgress } from "./index-inputs.js";

/**
 * A large document is read long before it is encoded, so within a file the smaller of "bytes read" and "text encoded
 * since its start × bytes per unit of text" counts; bytes per unit are those of what was read of the file. Unchanged
 * files and records (as in a run that resumes another) cost almost nothing: they count as done, but not for the speed
 * from which the time left is estimated.
 */
export class ByteProgress {
  readonly #filesTotal: number;
  readonly #bytesTotal: number;
  readonly #open: boolean;
  #files = 0;
  #doneBytes = 0;
  #cheapBytes = 0;
  #size = 0;
  #read = 0;
  /** UTF-16 units of the current file's documents so far. */
  #units = 0;
  /** UTF-16 units that are encoded, of all files. */
  #encoded = 0;
  #encodedAtStart = 0;
  /** Bytes of unchanged records of the current file. */
  #skipped = 0;
  #unchanged = 0;
  #unchangedAtStart = 0;

  constructor(inputs: readonly InputFile[]) {
    this.#filesTotal = inputs.length;
    this.#bytesTotal = inputs.reduce((sum, input) => sum + input.size, 0);
    this.#open = inputs.some((input) => input.absolutePath === "-");
  }

  get files(): number {
    return this.#files;
  }

  beginFile(input: InputFile): void {
    this.#size = input.size;
    this.#read = 0;
    this.#units = 0;
    this.#skipped = 0;
    this.#encodedAtStart = this.#encoded;
    this.#unchangedAtStart = this.#unchanged;
  }

  /** @param bytes  of the current file, read so far */
  read(bytes: number): void {
    this.#read = Math.min(bytes, this.#size);
  }

  /** @param units  UTF-16 units of the next document of the current file, which may be packed or have markup */
  document(units: number): void {
    this.#units += units;
  }

  encoded(progress: IngestProgress): void {
    this.#encoded = progress.textLength;
    if (progress.unchanged > this.#unchanged) this.#skipped = Math.max(this.#skipped, this.#read - this.#encodedBytes);
    this.#unchanged = progress.unchanged;
  }

  endFile(): void {
    this.#files++;
    this.#doneBytes += this.#size;
    if (this.#unchanged > this.#unchangedAtStart)
      this.#cheapBytes += Math.max(this.#skipped, this.#size - this.#encodedBytes);
    this.#size = 0;
    this.#read = 0;
    this.#skipped = 0;
  }

  /** Approximate number of the current file's bytes that are encoded. */
  get #encodedBytes(): number {
    const bytesPerUnit = this.#units > 0 && this.#read > 0 ? this.#read / this.#units : 1;
    return (this.#encoded - this.#encodedAtStart) * bytesPerUnit;
  }

  at(seconds: number): Pick<IndexPathsProgress, "files" | "filesTotal" | "bytes" | "bytesTotal" | "secondsLeft"> {
    const within = Math.min(this.#read, this.#skipped + this.#encodedBytes);
    const bytes = this.#doneBytes + within;
    const speed = (bytes - this.#cheapBytes - this.#skipped) / seconds;
    const known = !this.#open && speed > 0 && Number.isFinite(speed);
    return {
      files: this.#files,
      filesTotal: this.#filesTotal,
      bytes,
      bytesTotal: this.#bytesTotal,
      secondsLeft: known ? (this.#bytesTotal - bytes) / speed : undefined,
    };
  }
}
