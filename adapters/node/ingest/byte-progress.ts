/** How far a run over files is, in bytes of the files, and how long the rest may take. */

import type { IngestProgress } from "../../../src/ingest/ingest.js";
import type { InputFile } from "../documents/input.js";

/** Bytes of source text behind one token of the encoder, roughly: English prose has about 4.5 letters and spaces a token. */
const BYTES_PER_TOKEN = 4.5;

export interface BytesAt {
  files: number;
  filesTotal: number;
  bytes: number;
  bytesTotal: number;
  secondsLeft: number | undefined;
}

/**
 * A file counts as read far before it is encoded when it is one large document, so within a file the smaller of "bytes read" and
 * "tokens encoded since its start × bytes a token" counts. What is unchanged costs almost nothing, a file or records of one (a run that goes on where
 * another was stopped): it counts as done, but the speed that foretells the end is that of the rest.
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
  #tokens = 0;
  #tokensAtStart = 0;
  /** Bytes of the present file's records that were unchanged. */
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
    this.#skipped = 0;
    this.#tokensAtStart = this.#tokens;
    this.#unchangedAtStart = this.#unchanged;
  }

  /** Bytes of the present file that were read so far. */
  read(bytes: number): void {
    this.#read = Math.min(bytes, this.#size);
  }

  encoded(progress: IngestProgress): void {
    this.#tokens = progress.tokens;
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

  /** Of the present file, roughly. */
  get #encodedBytes(): number {
    return (this.#tokens - this.#tokensAtStart) * BYTES_PER_TOKEN;
  }

  at(seconds: number): BytesAt {
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
