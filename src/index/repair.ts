/** "The index is damaged: keep what is whole, and say what must be read again." Never in silence, never without a way back until it is done. */

import { throwIfAborted } from "../errors.js";
import { checkOneSegment, type IndexProblem } from "./check.js";
import { commitManifest } from "./commit.js";
import { openContainer } from "./container.js";
import { DocumentsReader } from "./documents.js";
import { collectGarbage, removeUncommitted } from "./garbage.js";
import {
  freeSegmentNumber,
  type Manifest,
  type ManifestModel,
  type ManifestSegment,
  type SegmentComponent,
  segmentFile,
  segmentName,
  tombstonesFile,
} from "./manifest.js";
import { mergeSegments } from "./merge.js";
import type { Storage } from "./ports.js";
import { REBUILDABLE, rebuildSegment } from "./rebuild.js";
import { asProblem, findManifest, type ManifestOrigin, twice } from "./repair-manifest.js";
import { type OpenSegment, openSegment } from "./segment-reader.js";
import { readTombstones, Tombstones } from "./tombstones.js";
import { bury, type LiveSegment } from "./writer-state.js";

export interface RepairOptions {
  signal?: AbortSignal;
  /** Bytes that were checked, of how many. */
  onProgress?: (done: number, total: number) => void;
  /** The model that made the index. Only needed when no manifest at all can be read. */
  model?: ManifestModel;
}

/** A document whose stored form is lost, as its source is known. */
export interface LostDocument {
  id: string;
  source: string;
}

export interface RepairReport {
  /** False: nothing was damaged and nothing was written. */
  repaired: boolean;
  version: number;
  /** What the list of segments was taken from: the manifest, what is left of it, the one before it, or the segment files. */
  manifest: ManifestOrigin;
  /** What was wrong. */
  problems: IndexProblem[];
  /** Files that were made again from others: nothing of them is lost. */
  rebuiltFiles: string[];
  /** Segments of which the whole documents were kept. */
  salvagedSegments: string[];
  /** Segments of which nothing could be kept. */
  droppedSegments: string[];
  /** Add these again: index their sources once more. */
  documentsToReadAgain: LostDocument[];
  /** Further documents are lost whose names cannot be read. */
  unknownDocuments: number;
  /** The manifest could not be read, so what was deleted or replaced by the last commits may be there again. */
  deletionsMayBeBack: boolean;
  /** Live ones, from now on. */
  documents: number;
  passages: number;
}

/**
 * Checks every byte and commits a version of what is whole. Files that only repeat others are made again; of other damaged segments the
 * whole documents are kept; the rest is dropped and named. Until the commit nothing is removed, and damaged files that the version
 * before names stay one commit longer. An index that is whole is left alone.
 * @throws VerbatimError `index-missing`, `index-locked`, `unsupported-format`, `corrupt-manifest` (a model is needed), `out-of-space`,
 *   `aborted`, and what the storage throws; then the index is as it was
 */
export async function repairIndex(storage: Storage, options: RepairOptions = {}): Promise<RepairReport> {
  const lock = await storage.lock();
  try {
    return await new Repair(storage, options).run();
  } finally {
    await lock.release();
  }
}

class Repair {
  #storage: Storage;
  #options: RepairOptions;
  #manifest!: Manifest;
  #nextSegment = 1;
  #report!: RepairReport;
  /** What the repaired index is made of, in order. */
  #segments: LiveSegment[] = [];
  #checked = 0;
  #cleared: Promise<void> | undefined;

  constructor(storage: Storage, options: RepairOptions) {
    this.#storage = storage;
    this.#options = options;
  }

  async run(): Promise<RepairReport> {
    const found = await findManifest(this.#storage, this.#options);
    const { manifest, origin, problems, lost } = found;
    const names = await this.#storage.list();
    this.#manifest = manifest;
    this.#nextSegment = Math.max(origin === "whole" ? manifest.nextSegment : 1, freeSegmentNumber(names));
    const { documents, passages } = manifest.totals;
    this.#report = {
      repaired: false,
      version: manifest.version,
      manifest: origin,
      problems,
      rebuiltFiles: [],
      salvagedSegments: [],
      droppedSegments: [],
      documentsToReadAgain: [],
      unknownDocuments: 0,
      deletionsMayBeBack: origin === "older" || origin === "rebuilt",
      documents,
      passages,
    };
    for (const name of lost) await this.#drop(name, undefined);
    for (const segment of manifest.segments) await this.#keepOrMend(segment);
    if (origin === "older" || origin === "rebuilt") await this.#buryDuplicates();
    if (this.#report.problems.length === 0) return this.#report;
    return this.#commit(origin);
  }

  async #commit(origin: ManifestOrigin): Promise<RepairReport> {
    throwIfAborted(this.#options.signal);
    await this.#beforeWriting();
    const { model, termUnit, version } = this.#manifest;
    const kept = this.#segments.filter(({ entry, deleted }) => deleted.size < entry!.documents);
    const previous = { version };
    const options = { previous, model, termUnit, nextSegment: this.#nextSegment };
    const committed = await commitManifest(this.#storage, kept, options);
    await collectGarbage(this.#storage, origin === "whole" ? [committed, this.#manifest] : [committed]);
    const { documents, passages } = committed.totals;
    const { documentsToReadAgain } = this.#report;
    const unique = [...new Map(documentsToReadAgain.map((document) => [document.id, document])).values()];
    return { ...this.#report, repaired: true, version: version + 1, documents, passages, documentsToReadAgain: unique };
  }

  async #keepOrMend(segment: ManifestSegment): Promise<void> {
    throwIfAborted(this.#options.signal);
    const { signal, onProgress } = this.#options;
    const before = this.#checked;
    const total = this.#manifest.totals.bytes;
    let done = before;
    const onBytes = (bytes: number): void => {
      done += bytes;
      onProgress?.(Math.min(total, done), total);
    };
    const options = { manifest: this.#manifest, signal, onBytes };
    const problems = await this.#problemsOf(segment, options);
    this.#checked += segment.files.reduce((sum, file) => sum + file.bytes, 0);
    if (problems.length === 0) {
      this.#segments.push(await this.#asLive(segment));
      return;
    }
    this.#report.problems.push(...problems);
    await this.#beforeWriting();
    if ((await this.#rebuild(segment, problems)) || (await this.#salvage(segment))) return;
    await this.#drop(segment.name, segment);
  }

  /** Once, and not in an index that is whole. */
  #beforeWriting(): Promise<void> {
    this.#cleared ??= removeUncommitted(this.#storage, this.#manifest.version);
    return this.#cleared;
  }

  /** Where only files are damaged that can be made again. */
  async #rebuild(segment: ManifestSegment, problems: readonly IndexProblem[]): Promise<boolean> {
    const damaged = REBUILDABLE.filter((component) =>
      problems.some(({ file }) => file === `${segment.name}.${component}`),
    );
    const components = new Set(problems.map(({ file }) => file.slice(segment.name.length + 1) as SegmentComponent));
    if (components.size !== damaged.length) return false;
    const manifest = this.#manifest;
    const options = { manifest, version: manifest.version + 1, damaged, signal: this.#options.signal };
    try {
      const rebuilt = await twice(() =>
        rebuildSegment(this.#storage, segment, { ...options, name: segmentName(this.#nextSegment++) }),
      );
      if (!(await this.#isWhole(rebuilt))) return false;
      this.#segments.push(await this.#asLive(rebuilt));
      this.#report.rebuiltFiles.push(...damaged.map((component) => `${segment.name}.${component}`));
      return true;
    } catch (error) {
      asProblem(error, segment.name);
      return false;
    }
  }

  /** Keeps the documents of which everything can be read. What is deleted stays deleted, or nothing is kept. */
  async #salvage(segment: ManifestSegment): Promise<boolean> {
    try {
      return await twice(() => this.#salvageOnce(segment));
    } catch (error) {
      asProblem(error, segment.name);
      return false;
    }
  }

  async #salvageOnce(segment: ManifestSegment): Promise<boolean> {
    const { signal } = this.#options;
    let open: OpenSegment | undefined;
    try {
      open = await openSegment(this.#storage, segment, { manifest: this.#manifest, signal });
      const lost: number[] = [];
      const whole = new Set<number>();
      for (let document = 0; document < segment.documents; document++) {
        if (open.isDeleted(document)) continue;
        if (await isReadable(open, document, signal)) whole.add(document);
        else lost.push(document);
      }
      if (whole.size === 0) return false;
      const name = segmentName(this.#nextSegment++);
      const source = { segment: open, keep: (document: number) => whole.has(document) };
      const { entry } = await mergeSegments(this.#storage, [source], { name, manifest: this.#manifest, signal });
      if (!(await this.#isWhole(entry))) return false; // the files do not agree: nobody knows which is right
      this.#segments.push(await this.#asLive(entry));
      this.#report.salvagedSegments.push(segment.name);
      await this.#nameLost(open.documents, lost);
      return true;
    } finally {
      await open?.close();
    }
  }

  /** What is wrong with files that are damaged twice in a row: nothing is given up for what failed once. */
  async #problemsOf(segment: ManifestSegment, options: Parameters<typeof checkOneSegment>[2]): Promise<IndexProblem[]> {
    const first = (await checkOneSegment(this.#storage, segment, options)).problems;
    if (first.length === 0) return first;
    const damaged = new Set(first.map(({ file }) => file));
    const second = (await checkOneSegment(this.#storage, segment, options)).problems;
    return second.filter(({ file }) => damaged.has(file));
  }

  async #isWhole(segment: ManifestSegment): Promise<boolean> {
    const { signal } = this.#options;
    return (await this.#problemsOf(segment, { manifest: this.#manifest, signal })).length === 0;
  }

  async #drop(name: string, segment: ManifestSegment | undefined): Promise<void> {
    this.#report.droppedSegments.push(name);
    if (segment === undefined) return; // how many documents it had stands nowhere
    const { signal } = this.#options;
    const { passageModelHash } = this.#manifest.model;
    let deleted = new Tombstones(segment.documents);
    try {
      const file = tombstonesFile(segment);
      const options = { documentCount: segment.documents, passageModelHash, signal };
      if (file) deleted = await twice(() => readTombstones(this.#storage, file, options));
    } catch (error) {
      asProblem(error, name); // then some are named that were deleted: reading their sources again does no harm
    }
    const numbers = Array.from({ length: segment.documents }, (_, document) => document).filter((d) => !deleted.has(d));
    try {
      const file = segmentFile(segment, "documents")!;
      const container = await twice(() =>
        openContainer(this.#storage, file, { component: "documents", passageModelHash, signal }),
      );
      try {
        await this.#nameLost(new DocumentsReader(container, segment.documents), numbers);
      } finally {
        await container.close();
      }
    } catch (error) {
      asProblem(error, name);
      this.#report.unknownDocuments += numbers.length;
    }
  }

  async #nameLost(documents: DocumentsReader, numbers: readonly number[]): Promise<void> {
    for (const document of numbers) {
      try {
        const { id, source } = await twice(() => documents.read(document, this.#options.signal));
        this.#report.documentsToReadAgain.push({ id, source });
      } catch (error) {
        asProblem(error, "documents");
        this.#report.unknownDocuments++;
      }
    }
  }

  /** Without a manifest, segments may hold a document and the one that took its place: the newer one counts. */
  async #buryDuplicates(): Promise<void> {
    const seen = new Set<string>();
    const { passageModelHash } = this.#manifest.model;
    for (const segment of [...this.#segments].reverse()) {
      const file = segmentFile(segment.entry!, "documents")!;
      const container = await openContainer(this.#storage, file, { component: "documents", passageModelHash });
      try {
        const keys = await new DocumentsReader(container, segment.entry!.documents).keys();
        for (const { idHash, document, passages } of keys) {
          if (segment.deleted.has(document)) continue;
          if (seen.has(idHash)) bury(segment, { document, passages });
          seen.add(idHash);
        }
      } finally {
        await container.close();
      }
    }
  }

  async #asLive(entry: ManifestSegment): Promise<LiveSegment> {
    const deleted = new Set<number>();
    const file = tombstonesFile(entry);
    if (file) {
      const { passageModelHash } = this.#manifest.model;
      const options = { documentCount: entry.documents, passageModelHash, signal: this.#options.signal };
      const tombstones = await twice(() => readTombstones(this.#storage, file, options));
      for (let document = 0; document < entry.documents; document++)
        if (tombstones.has(document)) deleted.add(document);
    }
    return { name: entry.name, entry, deleted, deletedPassages: entry.deletedPassages, tombstonesChanged: false };
  }
}

/** Whether everything that belongs to one document can be read, but for postings. */
async function isReadable(segment: OpenSegment, document: number, signal: AbortSignal | undefined): Promise<boolean> {
  const { document: documents } = segment.columns;
  const read = async (): Promise<boolean> => {
    const record = await segment.readDocument(document, signal);
    await segment.readText(document, 0, record.length, signal);
    const first = documents.indexOf(document);
    if (first < 0) return true;
    const numbers = Array.from({ length: record.passageCount }, (_, i) => first + i);
    await segment.readPassages(numbers, signal);
    const rows = segment.containers.coarse.section("rows");
    const bytes = segment.startRowCount === 0 ? 0 : rows.length / segment.startRowCount;
    const from = segment.firstStartRows[first]!;
    await rows.read(from * bytes, (segment.firstStartRows[first + record.passageCount]! - from) * bytes, signal);
    return true;
  };
  try {
    return await twice(read);
  } catch (error) {
    asProblem(error, segment.name);
    return false;
  }
}
