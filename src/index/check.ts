/** "Is this index whole?" Reads every byte; says what is damaged and where, and never throws for damage. */

import { throwIfAborted, VerbatimError } from "../errors.js";
import { checkSegment } from "./check-segment.js";
import { openContainer } from "./container.js";
import type { Component } from "./container-layout.js";
import type { FileEntry } from "./container-writer.js";
import {
  committedVersions,
  type Manifest,
  type ManifestSegment,
  manifestName,
  readManifest,
  totalsOf,
} from "./manifest.js";
import type { Storage } from "./ports.js";
import { openSegment } from "./segment-reader.js";
import { indexMissing } from "./snapshot.js";

/** One thing that is wrong. */
export class IndexProblem {
  readonly file: string;
  readonly section: string | undefined;
  readonly block: number | undefined;
  /** A clause: "checksum does not match". */
  readonly what: string;

  constructor(file: string, what: string, place: { section?: string; block?: number } = {}) {
    this.file = file;
    this.section = place.section;
    this.block = place.block;
    this.what = what;
  }

  toString(): string {
    const section = this.section === undefined ? "" : `, section "${this.section}"`;
    const block = this.block === undefined ? "" : `, block ${this.block}`;
    return `${this.file}${section}${block}: ${this.what}`;
  }
}

export interface CheckReport {
  ok: boolean;
  problems: IndexProblem[];
  /** Version that was checked; 0 when its manifest cannot be read. */
  version: number;
  files: number;
  /** Bytes that were read and compared. */
  bytes: number;
  /** Live documents and passages, as the manifest counts them. */
  documents: number;
  passages: number;
}

export interface CheckOptions {
  signal?: AbortSignal;
  /** Told about every megabyte or less: bytes compared so far, of how many. */
  onProgress?: (done: number, total: number) => void;
}

/**
 * Checks the version that counts: checksums, bounds and offsets of every file, then that the files of each segment agree with one another.
 * @throws VerbatimError `index-missing`, `unsupported-format`, `aborted`, and what the storage throws when it cannot be listed
 */
export async function checkIndex(storage: Storage, options: CheckOptions = {}): Promise<CheckReport> {
  const names = await storage.list();
  const version = committedVersions(names)[0];
  if (version === undefined) throw indexMissing(storage);
  const report: CheckReport = { ok: true, problems: [], version: 0, files: 1, bytes: 0, documents: 0, passages: 0 };
  try {
    const { manifest, bytes } = await readManifest(storage, version, options.signal);
    report.version = manifest.version;
    report.bytes = bytes;
    report.documents = manifest.totals.documents;
    report.passages = manifest.totals.passages;
    await new Checker(storage, manifest, { options, report, names: new Set(names) }).run();
  } catch (error) {
    report.problems.push(problemOf(error, manifestName(version)));
  }
  report.ok = report.problems.length === 0;
  return report;
}

/** @throws the error itself if it tells of no damage */
function problemOf(error: unknown, file: string): IndexProblem {
  const damage = ["corrupt-segment", "corrupt-manifest", "model-mismatch", "io-error"];
  if (!(error instanceof VerbatimError) || !damage.includes(error.code)) throw error;
  return new IndexProblem(
    file,
    error.message.replace("The index is damaged: ", "").replace(`${file}: `, "").replace(/\.$/, ""),
  );
}

/**
 * Every byte of one segment, and whether its files agree.
 * @returns what is wrong; empty when nothing is
 */
export async function checkOneSegment(
  storage: Storage,
  segment: ManifestSegment,
  options: { manifest: Manifest; names: ReadonlySet<string>; signal?: AbortSignal; onBytes?: (bytes: number) => void },
): Promise<IndexProblem[]> {
  const { manifest, names, signal, onBytes } = options;
  const report: CheckReport = { ok: true, problems: [], version: 0, files: 0, bytes: 0, documents: 0, passages: 0 };
  const onProgress = (done: number) => onBytes?.(done);
  await new Checker(storage, manifest, { options: { signal, onProgress }, report, names }).runSegment(segment);
  return report.problems;
}

class Checker {
  #storage: Storage;
  #manifest: Manifest;
  #options: CheckOptions;
  #report: CheckReport;
  #names: ReadonlySet<string>;
  /** Id hashes of the live documents so far, across segments. */
  #ids = new Set<string>();

  constructor(
    storage: Storage,
    manifest: Manifest,
    rest: { options: CheckOptions; report: CheckReport; names: ReadonlySet<string> },
  ) {
    this.#storage = storage;
    this.#manifest = manifest;
    this.#options = rest.options;
    this.#report = rest.report;
    this.#names = rest.names;
  }

  async run(): Promise<void> {
    const { segments, totals } = this.#manifest;
    const counted = totalsOf(segments);
    if (
      counted.documents !== totals.documents ||
      counted.passages !== totals.passages ||
      counted.bytes !== totals.bytes
    ) {
      this.#problem(manifestName(this.#manifest.version), "its totals are not the sums of its segments");
    }
    for (const segment of segments) await this.runSegment(segment);
  }

  async runSegment(segment: ManifestSegment): Promise<void> {
    const before = this.#report.problems.length;
    for (const file of segment.files) await this.#guard(file.name, () => this.#checkFile(segment, file));
    if (this.#report.problems.length === before) await this.#guard(segment.name, () => this.#checkContent(segment));
  }

  /** Every block of every section, all that differ and not only the first. */
  async #checkFile(segment: ManifestSegment, file: FileEntry): Promise<void> {
    throwIfAborted(this.#options.signal);
    const { signal, onProgress } = this.#options;
    const report = this.#report;
    report.files++;
    if (!this.#names.has(file.name)) return this.#problem(file.name, "the file is missing");
    const component = file.name.slice(segment.name.length + 1).replace(/-\d+$/, "") as Component;
    const { passageModelHash } = this.#manifest.model;
    const container = await openContainer(this.#storage, file, { component, passageModelHash, verifyId: true, signal });
    try {
      const begin = report.bytes;
      for (const section of container.sections) {
        const damaged = await section.damagedBlocks((bytes) => {
          report.bytes += bytes;
          onProgress?.(report.bytes, this.#manifest.totals.bytes);
        }, signal);
        const place = { section: section.entry.name };
        for (const block of damaged) this.#problem(file.name, "checksum does not match", { ...place, block });
      }
      report.bytes = begin + file.bytes;
    } finally {
      await container.close();
    }
  }

  async #checkContent(entry: ManifestSegment): Promise<void> {
    const { signal } = this.#options;
    const segment = await openSegment(this.#storage, entry, { manifest: this.#manifest, signal, checked: true });
    try {
      const problem = (component: string, what: string) => this.#problem(`${entry.name}.${component}`, what);
      await checkSegment(segment, { manifest: this.#manifest, ids: this.#ids, problem, signal });
    } finally {
      await segment.close();
    }
  }

  #problem(file: string, what: string, place: { section?: string; block?: number } = {}): void {
    this.#report.problems.push(new IndexProblem(file, what, place));
  }

  async #guard(file: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#report.problems.push(problemOf(error, file));
    }
  }
}
