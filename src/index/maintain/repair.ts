/** "The index is damaged: keep what is whole, and say what must be read again." Never in silence, never without a way back until it is done. */

import { throwIfAborted } from "../../errors.js";
import { openContainer } from "../format/container.js";
import {
  freeSegmentNumber,
  type Manifest,
  type ManifestModel,
  type ManifestSegment,
  segmentFile,
  segmentName,
} from "../manifest/manifest.js";
import type { Storage } from "../ports.js";
import { DocumentsReader } from "../segment/documents.js";
import { commitManifest } from "../write/commit.js";
import { collectGarbage, removeUncommitted } from "../write/garbage.js";
import { lockStorage } from "../write/lock-storage.js";
import { type LiveSegment, liveSegment, markDeleted } from "../write/writer-state.js";
import type { IndexProblem } from "./check-problem.js";
import { type LostDocument, type LostDocuments, namesOfSegment } from "./repair-lost.js";
import { findManifest, type ManifestOrigin } from "./repair-manifest.js";
import { remake, salvage } from "./repair-segment.js";
import { lastingProblems, retryOnce } from "./retry-once.js";

export interface RepairOptions {
  signal?: AbortSignal;
  /** Bytes that were checked, of how many. */
  onProgress?: (done: number, total: number) => void;
  /** The model that made the index. Needed when no manifest at all can be read; else it serves to put coarse rows in lists that are made again. */
  model?: ManifestModel;
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
export async function repairIndex(place: Storage, options: RepairOptions = {}): Promise<RepairReport> {
  const { storage, lock } = await lockStorage(place);
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
    const { model } = this.#options;
    const isOwn = model?.passageModelHash === manifest.model.passageModelHash;
    this.#manifest = isOwn ? { ...manifest, model: { ...model!, ...manifest.model } } : manifest;
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
    this.#report.droppedSegments.push(...lost); // how many documents they had stands nowhere
    for (const segment of manifest.segments) await this.#keepOrRepair(segment);
    if (origin === "older" || origin === "rebuilt") await this.#markDuplicatesDeleted();
    if (this.#report.problems.length === 0) return this.#report;
    return this.#commit(origin);
  }

  async #commit(origin: ManifestOrigin): Promise<RepairReport> {
    throwIfAborted(this.#options.signal);
    await this.#beforeWriting();
    const { model, version, level, thinTerms } = this.#manifest;
    const kept = this.#segments.filter(({ entry, deleted }) => deleted.size < entry!.documents);
    const previous = { version };
    const options = { previous, model, level, thinTerms, nextSegment: this.#nextSegment };
    const committed = await commitManifest(this.#storage, kept, options);
    await collectGarbage(this.#storage, origin === "whole" ? [committed, this.#manifest] : [committed]);
    const { documents, passages } = committed.totals;
    const { documentsToReadAgain } = this.#report;
    const unique = [...new Map(documentsToReadAgain.map((document) => [document.id, document])).values()];
    return { ...this.#report, repaired: true, version: version + 1, documents, passages, documentsToReadAgain: unique };
  }

  async #keepOrRepair(segment: ManifestSegment): Promise<void> {
    throwIfAborted(this.#options.signal);
    const { signal, onProgress } = this.#options;
    const before = this.#checked;
    const total = this.#manifest.totals.bytes;
    let done = before;
    const onBytes = (bytes: number): void => {
      done += bytes;
      onProgress?.(Math.min(total, done), total);
    };
    const manifest = this.#manifest;
    const problems = await lastingProblems(this.#storage, segment, { manifest, signal, onBytes });
    this.#checked += segment.files.reduce((sum, file) => sum + file.bytes, 0);
    if (problems.length === 0) return this.#keep(segment);
    this.#report.problems.push(...problems);
    await this.#beforeWriting();
    const mending = { manifest, signal, newName: () => segmentName(this.#nextSegment++) };
    const remade = await remake(this.#storage, segment, { ...mending, problems });
    if (remade !== undefined) {
      this.#report.rebuiltFiles.push(...remade.files);
      return this.#keep(remade.entry);
    }
    const salvaged = await salvage(this.#storage, segment, mending);
    if (salvaged !== undefined) {
      this.#report.salvagedSegments.push(segment.name);
      this.#lose(salvaged.lost);
      return this.#keep(salvaged.entry);
    }
    this.#report.droppedSegments.push(segment.name);
    this.#lose(await namesOfSegment(this.#storage, segment, { manifest, signal }));
  }

  async #keep(entry: ManifestSegment): Promise<void> {
    const { passageModelHash } = this.#manifest.model;
    const options = { passageModelHash, signal: this.#options.signal };
    this.#segments.push(await retryOnce(() => liveSegment(this.#storage, entry, options)));
  }

  #lose({ named, unknown }: LostDocuments): void {
    this.#report.documentsToReadAgain.push(...named);
    this.#report.unknownDocuments += unknown;
  }

  /** Once, and not in an index that is whole. */
  #beforeWriting(): Promise<void> {
    this.#cleared ??= removeUncommitted(this.#storage, this.#manifest.version);
    return this.#cleared;
  }

  /** Without a manifest, segments may hold a document and the one that took its place: the newer one counts. */
  async #markDuplicatesDeleted(): Promise<void> {
    const seen = new Set<string>();
    const { passageModelHash } = this.#manifest.model;
    for (const segment of [...this.#segments].reverse()) {
      const file = segmentFile(segment.entry!, "documents")!;
      const container = await openContainer(this.#storage, file, { component: "documents", passageModelHash });
      try {
        const keys = await new DocumentsReader(container, segment.entry!.documents).keys();
        for (const { idHash, document, passages } of keys) {
          if (segment.deleted.has(document)) continue;
          if (seen.has(idHash)) markDeleted(segment, { document, passages });
          seen.add(idHash);
        }
      } finally {
        await container.close();
      }
    }
  }
}
