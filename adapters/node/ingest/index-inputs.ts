/** Files → commits: reads, encodes what is new, moves renamed documents, removes those whose files are gone. */

import type { Writer } from "../../../src/api/writer.js";
import { hasCode } from "../../../src/errors.js";
import { StoredDocumentsCache } from "../../../src/index/segment/stored-documents.js";
import { type IngestProgress, noProgress } from "../../../src/ingest/ingest.js";
import type { Document, MetadataValue } from "../../../src/types.js";
import { withFields } from "../documents/formats/fields.js";
import type { DocumentFormat } from "../documents/formats.js";
import type { InputFile, SkippedInput } from "../documents/input.js";
import type { ParserPool } from "../documents/isolation/parser-pool.js";
import { readFiles } from "../documents/read-documents.js";
import { isEmptyFile } from "../documents/skip.js";
import { ByteProgress } from "./byte-progress.js";
import { IdOwners } from "./id-owners.js";
import { KnownDocuments, MissingFiles } from "./known-documents.js";
import { type LanguageCount, LanguageCounts } from "./language-counts.js";
import { findPrunable, type NotPruned } from "./prune.js";
import { TimedCommits } from "./timed-commits.js";
import { withoutFileFields } from "./without-file-fields.js";

export interface IndexPathsProgress extends IngestProgress {
  /** Files read to their end, and files found. */
  files: number;
  filesTotal: number;
  /** Bytes processed so far, and of all files found; 0 if standard input is the only one. */
  bytes: number;
  bytesTotal: number;
  seconds: number;
  tokensPerSecond: number;
  /** Estimated from the speed so far; undefined at the start, and with standard input. */
  secondsLeft: number | undefined;
}

/** What happened to one document. */
export interface DocumentChange {
  change: "new" | "changed" | "renamed" | "fields" | "removed";
  id: string;
  /** Id before a renaming. */
  from?: string;
}

/** Options of a run besides its files. */
export interface InputOptions {
  /** Format of every file, whatever its name. Default: by its ending, else by its content. */
  format?: DocumentFormat;
  /** Recognise the text of scanned pages and pictures; needs `tesseract.js-core` to be installed. Default false. */
  ocr?: boolean;
  /** Metadata for every document of the run; overrides a document's own field of the same name. */
  fields?: Readonly<Record<string, MetadataValue>>;
  /**
   * Remove documents whose files, below the paths of this run, are gone, empty or ignored by an ignore file. Nothing is
   * removed below a path that cannot be read or that has no file at all: see `notPruned` of the summary. Default false.
   */
  prune?: boolean;
  /** Whether to index a document, by its id; the others are ignored. Default: all. */
  includes?: (id: string) => boolean;
  /** Folder that relative paths and document ids are relative to. Default: the process's. */
  cwd?: string;
  /** Content of `-`. Default: the process's standard input. */
  stdin?: AsyncIterable<Uint8Array>;
  /** @internal Processes that read the files; they stay the caller's to close. Default: one of the run's own. */
  parsers?: ParserPool;
  /** Stops the run: what is complete is committed, and `stopped` is set in the summary. */
  signal?: AbortSignal;
  onProgress?: (progress: IndexPathsProgress) => void;
  /** Called once for each document that the run changed, after the change is committed. */
  onChange?: (change: DocumentChange) => void;
}

export interface InputCounts extends IngestProgress {
  /** Languages of the added documents that have running text; of many, a part is counted. */
  languages: LanguageCount;
  files: number;
  /** Documents kept without being encoded again: under another name, … */
  renamed: number;
  /** … or with other fields. */
  fieldsChanged: number;
  /** Documents removed because their file (or record) is gone or ignored. */
  pruned: number;
  notPruned: NotPruned[];
  /** True if the signal ended the run early. The same call resumes it: what is in the index is not encoded again. */
  stopped: boolean;
}

interface InputRun {
  /** The files to read. */
  inputs: readonly InputFile[];
  /** Absolute paths of all files that the paths gave, read in this run or not. */
  listed: ReadonlySet<string>;
  /** As the user gave them. */
  paths: readonly string[];
  options: InputOptions;
  onSkip: (skip: SkippedInput) => void;
  /** Commit finished documents every 45 seconds and before long documents. Default: once at the end. */
  commitsMeanwhile?: boolean;
  /** Folder in which recognised pages are kept. Default: none. */
  ocrCache?: string;
  /** Documents of an index that are held in memory; of a larger one they are looked up. Default 500,000. */
  maxKnown?: number;
  /** Kept between runs on the same index, so that its documents are not read again. */
  names?: StoredDocumentsCache;
}

/** The part of a writer that a run uses: the writer of a folder, or of a cluster. */
type InputWriter = Pick<Writer, "documents" | "documentCount" | "add" | "move" | "delete" | "commit"> &
  Partial<Pick<Writer, "find">>;

/** Does a whole run. A signal is not an error: it ends the reading, and what came before is committed. */
export async function indexInputs(run: InputRun, writer: InputWriter): Promise<InputCounts> {
  const { signal, cwd = process.cwd(), onChange } = run.options;
  const files = new MissingFiles(cwd, run.listed);
  const { names: cache = new StoredDocumentsCache() } = run;
  const readWhole = new Set<string>();
  const owners = new IdOwners({
    cwd,
    listed: run.listed,
    stored: (id) => (known.isComplete ? known.get(id) : writer.find?.(id)),
    isGone: (document) => files.isGone(document),
    readWhole,
  });
  const { seen } = owners;
  const documents = writer.documents({ signal, cache });
  const { maxKnown } = run;
  const known = await KnownDocuments.read(documents, writer.documentCount, { files, cwd, seen, maxKnown });
  const indexing = new InputIndexing(run, { known, owners, readWhole });
  const stopped = await indexing.addTo(writer);
  const { counts, changes } = indexing;
  let changed = counts.documents > 0;
  const { moves, left } = known;
  const reason = "has the content of a renamed file whose id another document has now";
  const hint = "Run the same command again to index it.";
  for (const { source } of left) run.onSkip({ source, code: "unreadable-document", reason, hint });
  let pruned: string[] = [];
  let notPruned: NotPruned[] = [];
  if (!stopped) {
    if (moves.length > 0) changed = (await writer.move(moves)) > 0 || changed;
    for (const { from, to, renamed } of moves)
      changes.push(renamed ? { change: "renamed", id: to.id, from } : { change: "fields", id: to.id });
    if (run.options.prune) {
      const { paths, listed } = run;
      const options = { cwd, paths, listed, readWhole, seen, files };
      ({ ids: pruned, notPruned } = await findPrunable(writer.documents({ cache }), options));
      if (pruned.length > 0) changed = (await writer.delete(pruned)) > 0 || changed;
      for (const id of pruned) changes.push({ change: "removed", id });
    }
  }
  if (changed) await writer.commit();
  for (const change of changes) onChange?.(change);
  const renamed = stopped ? 0 : moves.filter((move) => move.renamed).length;
  return {
    ...counts,
    languages: indexing.languages.counts,
    files: indexing.files,
    renamed,
    fieldsChanged: stopped ? 0 : moves.length - renamed,
    pruned: pruned.length,
    notPruned,
    stopped,
  };
}

/** Reads the files of a run and adds their documents to the writer. */
class InputIndexing {
  readonly #run: InputRun;
  readonly #known: KnownDocuments;
  readonly #started = performance.now();
  readonly #progress: ByteProgress;
  readonly #owners: IdOwners;
  #commits: TimedCommits | undefined;
  counts = noProgress();
  readonly changes: DocumentChange[] = [];
  readonly languages = new LanguageCounts();
  readonly #readWhole: Set<string>;

  /** @param parts.readWhole  receives the absolute paths of the files that were read completely */
  constructor(run: InputRun, parts: { known: KnownDocuments; owners: IdOwners; readWhole: Set<string> }) {
    this.#owners = parts.owners;
    this.#readWhole = parts.readWhole;
    this.#run = run;
    this.#known = parts.known;
    this.#progress = new ByteProgress(run.inputs);
  }

  get files(): number {
    return this.#progress.files;
  }

  /** @returns whether the signal ended it early */
  async addTo(writer: InputWriter): Promise<boolean> {
    const { options, onSkip } = this.#run;
    const { signal } = options;
    if (this.#run.commitsMeanwhile) this.#commits = new TimedCommits(() => writer.commit());
    try {
      this.counts = await writer.add(this.#documents(), {
        signal,
        onProgress: (now) => this.#report(now),
        onSkip: ({ source, reason, hint }) => onSkip({ source, reason, hint, code: "unreadable-document" }),
        seen: this.#owners.seen,
        isKept: (document, contentHash) => this.#known.isKept(document, contentHash),
        onAdded: (document, change) => {
          this.#commits?.added(document);
          this.languages.add(document.text);
          if (options.onChange) this.changes.push({ change, id: document.id });
        },
      });
      return false;
    } catch (error) {
      if (signal?.aborted && hasCode(error, "aborted")) return true;
      throw error;
    } finally {
      await this.#commits?.stop();
    }
  }

  #report(now: IngestProgress): void {
    this.counts = now;
    const seconds = (performance.now() - this.#started) / 1000;
    this.#progress.encoded(now);
    const tokensPerSecond = now.tokens / seconds;
    this.#run.options.onProgress?.({ ...now, ...this.#progress.at(seconds), seconds, tokensPerSecond });
  }

  async *#documents(): AsyncGenerator<Document> {
    const { inputs, options, onSkip } = this.#run;
    let intact = true;
    let isEmpty = false;
    /** Documents and skipped records of the file. */
    let items = 0;
    const files = readFiles(inputs, {
      format: options.format,
      ocr: options.ocr,
      ocrCache: this.#run.ocrCache,
      signal: options.signal,
      content: options.stdin,
      parsers: options.parsers,
      onSkip: (skip) => {
        isEmpty = items++ === 0 && isEmptyFile(skip);
        onSkip(skip);
      },
      onBegin: (input) => {
        intact = true;
        isEmpty = false;
        items = 0;
        this.#progress.beginFile(input);
      },
      onProgress: (bytesRead) => this.#progress.read(bytesRead),
      onEnd: (input, complete) => {
        if (intact && (complete || isEmpty)) this.#readWhole.add(input.absolutePath);
        this.#progress.endFile();
      },
    });
    for await (const { input, document } of files) {
      items++;
      this.#progress.document(document.text.length);
      if (!(options.includes?.(document.id) ?? true)) continue;
      const owner = await this.#owners.claim(document.id, input);
      if (owner !== undefined) {
        intact = false;
        onSkip(takenId(document, input, owner));
        continue;
      }
      this.#commits?.read(document);
      yield withFields(withoutFileFields(document), input, options.fields);
    }
  }
}

/** The line for a document whose id belongs to another file. */
function takenId({ id, map }: Document, input: InputFile, owner: string): SkippedInput {
  const { line } = map.segments[0] ?? {};
  const shown = JSON.stringify(id.length > 200 ? `${id.slice(0, 200)}…` : id);
  const where = line === undefined || id === input.id ? "has a document" : `line ${line}: has a record`;
  return {
    source: input.path,
    reason: `${where} with the id ${shown}, which belongs to ${owner}`,
    code: "unreadable-document",
    hint: "Give each document an id of its own.",
    otherSource: owner,
    ...(line === undefined ? {} : { line }),
  };
}
