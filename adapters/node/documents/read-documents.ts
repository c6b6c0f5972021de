/** Files → their documents, read ahead in a process of their own that has limits on time and memory. */

import { throwIfAborted, VerbatimError } from "../../../src/errors.js";
import type { Document } from "../../../src/types.js";
import { deserializeError } from "../../rpc/serialize-error.js";
import type { DocumentFormat } from "./formats.js";
import type { InputFile, ResumePoint, SkippedInput } from "./input.js";
import { DocumentAssembly } from "./isolation/document-assembly.js";
import type { ReadJob } from "./isolation/messages.js";
import { failureOf } from "./isolation/parser-failure.js";
import { ParserPool } from "./isolation/parser-pool.js";
import type { ParserDeath, ParserProcess } from "./isolation/parser-process.js";
import { type ReadLimits, readLimits } from "./limits.js";
import { abortableBytes } from "./piped-content.js";

export interface ReadOptions {
  /** Parser to use whatever the files are called. Default: by ending, else by content. */
  format?: DocumentFormat;
  /** Whether to recognise the text of scanned pages, which takes seconds per page. Default false. */
  ocr?: boolean;
  /** Folder in which recognised pages are kept, so that they are not recognised again. Default: none. */
  ocrCache?: string;
  signal?: AbortSignal;
  /** See ReadLimits for the defaults. */
  limits?: Partial<ReadLimits>;
  /** Called once for each file or record that was not read. */
  onSkip(skip: SkippedInput): void;
  /** Called with the bytes of the current file read so far, a few times a second. */
  onProgress?(bytesRead: number): void;
  /** Content of inputs whose `absolutePath` is `-`. Default: `process.stdin`. */
  content?: AsyncIterable<Uint8Array>;
  /** Processes to use. Default: one for this call alone. */
  parsers?: ParserPool;
}

interface ReadFilesOptions extends ReadOptions {
  /** Called before the first document of a file, and after its last. */
  onBegin?(input: InputFile): void;
  /** @param complete  nothing of the file was skipped */
  onEnd?(input: InputFile, complete: boolean): void;
}

/** Files that the parser process is given ahead of the one whose documents are being consumed. */
const FILES_AHEAD = 128;
/**
 * A file whose process dies without a reason is tried this many times: the system may have killed it for another's
 * memory.
 */
const TRIES = 2;
/** Messages of one mailbox that may end their process; each time, the file is read from its beginning to find the next. */
const MAX_FAILED_RECORDS = 20;
/** Processes that may die before they are ready. */
const STARTS = 3;

/** The documents of one file, of standard input, or of content from elsewhere; see `readFiles`. */
export async function* readDocuments(input: InputFile, options: ReadOptions): AsyncGenerator<Document> {
  for await (const { document } of readFiles([input], options)) yield document;
}

/**
 * The documents of many files, in order. Parsing runs ahead in a child process, so neither a slow nor a hostile file
 * delays this process: a file that takes too long or too much memory is skipped, and the next ones are read.
 * JSONL and CSV are streamed with bounded memory, so some of their documents may come before the file proves to be
 * truncated or changed; the other formats give everything or nothing. In a mailbox, only the message that takes too long
 * or too much memory is skipped. A document's text is never empty.
 * @throws VerbatimError `aborted`; `internal` if the process cannot be started. Everything else goes to `onSkip`
 */
export async function* readFiles(
  inputs: Iterable<InputFile>,
  options: ReadFilesOptions,
): AsyncGenerator<{ input: InputFile; document: Document }> {
  const parsers = options.parsers ?? new ParserPool({ maxMemoryMiB: options.limits?.maxMemoryMiB });
  const reading = new FileReading(inputs, options, parsers);
  try {
    yield* reading.documents();
  } finally {
    await reading.close();
    if (options.parsers === undefined) parsers.close();
  }
}

/** A file that was sent to the process and has not ended. */
interface Pending {
  job: ReadJob;
  /** Documents and skipped records delivered so far; of a mailbox, since the last message that was delivered whole. */
  delivered: number;
  /** What was delivered before the process of a file died that is now read again. */
  repeated: number;
  tries: number;
  /** Number of the last message of a mailbox that was delivered whole. */
  lastRecord: number;
  failedRecords: ResumePoint["failures"][number][];
  complete: boolean;
  /** Why the file ended its process; it is not read again. */
  failure?: Omit<SkippedInput, "source">;
}

class FileReading {
  readonly #inputs: Iterator<InputFile>;
  readonly #options: ReadFilesOptions;
  readonly #parsers: ParserPool;
  readonly #limits: ReadLimits;
  readonly #pending: Pending[] = [];
  #process: ParserProcess | undefined;
  #content: AsyncIterator<Uint8Array> | undefined;
  #failedStarts = 0;
  #assembly = new DocumentAssembly();

  constructor(inputs: Iterable<InputFile>, options: ReadFilesOptions, parsers: ParserPool) {
    this.#inputs = inputs[Symbol.iterator]();
    this.#options = options;
    this.#parsers = parsers;
    this.#limits = { ...readLimits(options.limits), maxMemoryMiB: parsers.maxMemoryMiB };
  }

  async *documents(): AsyncGenerator<{ input: InputFile; document: Document }> {
    const { signal, onBegin, onEnd } = this.#options;
    throwIfAborted(signal);
    this.#sendMore();
    for (let current = this.#pending[0]; current !== undefined; current = this.#pending[0]) {
      throwIfAborted(signal);
      const { input } = current.job;
      onBegin?.(input);
      for await (const document of this.#documentsOf(current)) yield { input, document };
      this.#pending.shift();
      onEnd?.(input, current.complete);
      this.#sendMore();
    }
  }

  /** Gives the process back if it is idle, else ends it. */
  async close(): Promise<void> {
    if (this.#process !== undefined) {
      if (this.#pending.length === 0) this.#parsers.giveBack(this.#process);
      else this.#process.kill();
    }
    await this.#content?.return?.();
  }

  async *#documentsOf(pending: Pending): AsyncGenerator<Document> {
    const { signal, onProgress } = this.#options;
    while (pending.failure === undefined) {
      const item = await this.#next(signal);
      if (item.kind === "died") this.#restart(item);
      else if (item.kind === "text" || item.kind === "segments") this.#assembly.addPiece(item);
      else if (item.kind === "document") {
        const document = this.#assembly.complete(item.document);
        if (!this.#isRepeated(pending)) yield document;
        throwIfAborted(signal);
      } else if (item.kind === "skip") {
        pending.complete = false;
        if (!this.#isRepeated(pending)) this.#options.onSkip(item.skip);
      } else if (item.kind === "record-end") {
        pending.lastRecord = item.record;
        pending.delivered = 0;
        pending.repeated = 0;
      } else if (item.kind === "progress") onProgress?.(item.bytesRead);
      else if (item.kind === "pull") await this.#sendContent();
      else if (item.kind === "failed") throw deserializeError(item.error);
      else if (item.kind === "end") {
        onProgress?.(pending.job.input.size);
        if (item.retire) this.#replace(this.#pending.slice(1));
        return;
      }
    }
    pending.complete = false;
    this.#options.onSkip({ source: pending.job.input.path, ...pending.failure });
  }

  async #next(signal: AbortSignal | undefined): ReturnType<ParserProcess["next"]> {
    try {
      return await this.#process!.next(signal);
    } catch (error) {
      throwIfAborted(signal);
      throw error;
    }
  }

  /** Counts an item; true if it was delivered before the process died. */
  #isRepeated(pending: Pending): boolean {
    if (pending.repeated > 0) {
      pending.repeated--;
      return true;
    }
    pending.delivered++;
    return false;
  }

  #sendMore(): void {
    if (this.#pending.length > FILES_AHEAD / 2) return;
    const added: Pending[] = [];
    while (this.#pending.length + added.length < FILES_AHEAD) {
      const { value: input, done } = this.#inputs.next();
      if (done) break;
      const { format, ocr = false, ocrCache } = this.#options;
      const job = {
        id: this.#parsers.newJobId(),
        input,
        format,
        limits: this.#limits,
        ocr,
        ocrCache,
        piped: input.absolutePath === "-",
        resume: undefined,
      };
      added.push({ job, delivered: 0, repeated: 0, tries: 0, lastRecord: 0, failedRecords: [], complete: true });
    }
    if (added.length === 0) return;
    this.#pending.push(...added);
    this.#process ??= this.#parsers.lease();
    this.#process.read(added.map(({ job }) => job));
  }

  #replace(pending: Pending[]): void {
    this.#process?.kill();
    this.#process = this.#parsers.lease();
    this.#assembly = new DocumentAssembly();
    const open = pending.filter(({ failure }) => failure === undefined);
    for (const each of open) {
      const { delivered, lastRecord: after, failedRecords: failures } = each;
      each.repeated = delivered;
      if (after > 0 || failures.length > 0) each.job = { ...each.job, resume: { after, failures: [...failures] } };
    }
    if (open.length > 0) this.#process.read(open.map(({ job }) => job));
  }

  /** Finds the file or message that ended the process, and has the rest read by a new one. */
  #restart(death: ParserDeath): void {
    if (!this.#process!.ready && ++this.#failedStarts >= STARTS) {
      const hint = "Check that the system lets this program start processes, and its limits on memory.";
      throw new VerbatimError("internal", `The document parser did not start (${death.how}).`, { hint });
    }
    const culprit = this.#pending.find(({ job }) => job.id === death.job);
    if (culprit !== undefined) {
      culprit.tries++;
      const { piped } = culprit.job;
      if (death.reason !== undefined || piped || culprit.tries >= TRIES) this.#fail(culprit, death);
    }
    this.#replace(this.#pending);
  }

  /** Has a file skipped, or the message of a mailbox that was being read. */
  #fail(culprit: Pending, death: ParserDeath): void {
    const { record } = death;
    const failure = failureOf(death, culprit.job.limits);
    if (record === undefined || culprit.job.piped || culprit.failedRecords.length >= MAX_FAILED_RECORDS) {
      culprit.failure = { code: "unreadable-document", ...failure };
      return;
    }
    culprit.failedRecords.push({ record, ...failure, hint: "Save its attachments as files." });
    culprit.tries = 0;
  }

  async #sendContent(): Promise<void> {
    const { signal, content = process.stdin } = this.#options;
    this.#content ??= abortableBytes(content, signal);
    const next = await this.#content.next();
    this.#process!.sendBytes(next.done ? undefined : next.value);
  }
}
