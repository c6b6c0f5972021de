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
  /** Others who do the work, in other threads. Default: one after the other, here. */
  helpers?: CheckHelpers;
}

/** A part of the work: the bytes of a segment's files, or whether the files agree. */
export interface CheckJob {
  part: "files" | "content";
  segment: ManifestSegment;
  manifest: Manifest;
}

export interface CheckFindings {
  problems: IndexProblem[];
  /** Bytes of files that were compared. */
  bytes: number;
  /** Live documents, as the index's table knows them, and their numbers: "content" only. */
  ids: ReadonlyMap<string, number>;
}

export interface CheckHelpers {
  /** As `doCheckJob`. */
  run(job: CheckJob, hooks: CheckHooks): Promise<CheckFindings>;
}

export interface CheckHooks {
  signal: AbortSignal | undefined;
  /** Told of bytes compared since the last call. */
  onBytes: (bytes: number) => void;
}

/**
 * Checks the version that counts: checksums, bounds and offsets of every file, then that the files of each segment agree with one another.
 * @throws VerbatimError `index-missing`, `unsupported-format`, `aborted`, and what the storage throws when it cannot be listed
 */
export async function checkIndex(storage: Storage, options: CheckOptions = {}): Promise<CheckReport> {
  const version = committedVersions(await storage.list())[0];
  if (version === undefined) throw indexMissing(storage);
  const report: CheckReport = { ok: true, problems: [], version: 0, files: 1, bytes: 0, documents: 0, passages: 0 };
  try {
    const { manifest, bytes } = await readManifest(storage, version, options.signal);
    report.version = manifest.version;
    report.bytes = bytes;
    report.documents = manifest.totals.documents;
    report.passages = manifest.totals.passages;
    const counted = totalsOf(manifest.segments);
    const { totals } = manifest;
    if (
      counted.documents !== totals.documents ||
      counted.passages !== totals.passages ||
      counted.bytes !== totals.bytes
    )
      report.problems.push(new IndexProblem(manifestName(version), "its totals are not the sums of its segments"));
    await checkSegments(storage, manifest, { report, options });
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

/** Problems come in the order of the segments, whoever is done first. */
async function checkSegments(
  storage: Storage,
  manifest: Manifest,
  { report, options }: { report: CheckReport; options: CheckOptions },
): Promise<void> {
  const { signal, onProgress, helpers } = options;
  let done = report.bytes;
  const onBytes = (bytes: number): void => {
    done += bytes;
    onProgress?.(done, manifest.totals.bytes);
  };
  const hooks = { signal, onBytes };
  const check = (segment: ManifestSegment) => checkOneSegment(storage, segment, { manifest, helpers, ...hooks });
  const ids = new Set<string>();
  const add = (segment: ManifestSegment, found: CheckFindings): void => {
    report.problems.push(...found.problems);
    report.files += segment.files.length;
    report.bytes += found.bytes;
    for (const [id, document] of found.ids) {
      if (ids.has(id))
        report.problems.push(
          new IndexProblem(`${segment.name}.documents`, `document ${document} is in an earlier segment, too`),
        );
      ids.add(id);
    }
  };
  if (helpers === undefined) {
    for (const segment of manifest.segments) add(segment, await check(segment));
    return;
  }
  const found = await Promise.all(manifest.segments.map(check)); // the helpers queue what is more than they can do
  for (const [i, segment] of manifest.segments.entries()) add(segment, found[i]!);
}

/**
 * Every byte of one segment, and whether its files agree. What files that are damaged say about one another is left out.
 * @throws VerbatimError `aborted`, and what the storage throws that is no damage
 */
export async function checkOneSegment(
  storage: Storage,
  segment: ManifestSegment,
  options: { manifest: Manifest; helpers?: CheckHelpers; signal?: AbortSignal; onBytes?: (bytes: number) => void },
): Promise<CheckFindings> {
  const { manifest, helpers, signal, onBytes = () => {} } = options;
  const job = (part: CheckJob["part"]): CheckJob => ({ part, segment, manifest });
  const hooks = { signal, onBytes };
  if (helpers !== undefined) {
    const content = helpers.run(job("content"), hooks);
    content.catch(() => {}); // counts only when the files are whole
    const files = await helpers.run(job("files"), hooks);
    return files.problems.length > 0 ? files : { ...(await content), bytes: files.bytes };
  }
  const files = await doCheckJob(storage, job("files"), hooks);
  if (files.problems.length > 0) return files;
  return { ...(await doCheckJob(storage, job("content"), hooks)), bytes: files.bytes };
}

/**
 * One part of one segment, in this thread.
 * @throws VerbatimError `aborted`, and what the storage throws that is no damage
 */
export async function doCheckJob(storage: Storage, job: CheckJob, hooks: CheckHooks): Promise<CheckFindings> {
  const { segment, manifest } = job;
  const findings = { problems: [] as IndexProblem[], bytes: 0, ids: new Map<string, number>() };
  const { problems } = findings;
  const guard = async (file: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      problems.push(problemOf(error, file));
    }
  };
  if (job.part === "content") {
    const { signal } = hooks;
    await guard(segment.name, async () => {
      const open = await openSegment(storage, segment, { manifest, signal, checked: true });
      try {
        const problem = (component: string, what: string) =>
          problems.push(new IndexProblem(`${segment.name}.${component}`, what));
        await checkSegment(open, { manifest, ids: findings.ids, problem, signal });
      } finally {
        await open.close();
      }
    });
    return findings;
  }
  const names = new Set(await storage.list());
  for (const file of segment.files) {
    throwIfAborted(hooks.signal);
    await guard(file.name, async () => {
      if (!names.has(file.name)) return void problems.push(new IndexProblem(file.name, "the file is missing"));
      await checkFile(storage, file, { ...job, ...hooks, problems });
      findings.bytes += file.bytes;
    });
  }
  return findings;
}

/** Every block of every section, all that differ and not only the first. */
async function checkFile(
  storage: Storage,
  file: FileEntry,
  rest: CheckJob & CheckHooks & { problems: IndexProblem[] },
): Promise<void> {
  const { segment, manifest, signal, onBytes, problems } = rest;
  const component = file.name.slice(segment.name.length + 1).replace(/-\d+$/, "") as Component;
  const { passageModelHash } = manifest.model;
  const container = await openContainer(storage, file, { component, passageModelHash, verifyId: true, signal });
  try {
    for (const section of container.sections) {
      const place = { section: section.entry.name };
      for (const block of await section.damagedBlocks(onBytes, signal))
        problems.push(new IndexProblem(file.name, "checksum does not match", { ...place, block }));
    }
  } finally {
    await container.close();
  }
}
