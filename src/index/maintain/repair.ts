/** Repairs a damaged index: keeps what is intact and reports what must be indexed again. */

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
import { rebuildDamaged, salvage } from "./repair-segment.js";
import { lastingProblems, retryOnce } from "./retry-once.js";

interface RepairOptions {
  signal?: AbortSignal;
  /** Called with the bytes checked so far and the total. */
  onProgress?: (done: number, total: number) => void;
  /**
   * The model that made the index. Required if no manifest can be read; otherwise it serves to
   * rebuild inverted lists.
   */
  model?: ManifestModel;
}

export interface RepairReport {
  /** False: nothing was damaged and nothing was written. */
  repaired: boolean;
  version: number;
  /**
   * Source of the list of segments: the manifest, the rest of it, the one before it, or the segment
   * files.
   */
  manifest: ManifestOrigin;
  /** The problems that were found. */
  problems: IndexProblem[];
  /** Files that were rebuilt from others without loss. */
  rebuiltFiles: string[];
  /** Segments of which the intact documents were kept. */
  salvagedSegments: string[];
  /** Segments of which nothing could be kept. */
  droppedSegments: string[];
  /** Documents to index again. */
  documentsToReadAgain: LostDocument[];
  /** Number of further lost documents, whose names cannot be read. */
  unknownDocuments: number;
  /**
   * The manifest could not be read, so documents that the last commits deleted or replaced may be
   * back.
   */
  deletionsMayBeBack: boolean;
  /** Live documents and passages after the repair. */
  documents: number;
  passages: number;
}

/**
 * Checks every byte and commits a version of what is intact. Files that only repeat others are
 * rebuilt; of other damaged segments the intact documents are kept, and the rest is dropped and
 * reported. Nothing is removed before the commit, and damaged files that the version before names
 * stay one commit longer. An intact index is left alone.
 * @throws VerbatimError `index-missing`, `index-locked`, `unsupported-format`, `corrupt-manifest`
 *   (a model is needed), `model-mismatch` (another one is needed), `out-of-space`, `aborted`, and what the storage throws; then the index is
 *   unchanged
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
  /** Segments of the repaired index, in order. */
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
    this.#report.droppedSegments.push(...lost); // the number of their documents is unknown
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
    const options = { manifest, signal, newName: () => segmentName(this.#nextSegment++) };
    const remade = await rebuildDamaged(this.#storage, segment, { ...options, problems });
    if (remade !== undefined) {
      this.#report.rebuiltFiles.push(...remade.files);
      return this.#keep(remade.entry);
    }
    const salvaged = await salvage(this.#storage, segment, options);
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

  /** Runs once, and not for an intact index. */
  #beforeWriting(): Promise<void> {
    this.#cleared ??= removeUncommitted(this.#storage, this.#manifest.version);
    return this.#cleared;
  }

  /**
   * Without a manifest, segments may hold both a document and its replacement: the newer one is
   * kept.
   */
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
