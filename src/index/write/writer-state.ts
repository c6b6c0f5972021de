/** The writer's in-memory view of the index: which documents it has, and where. */

import { throwIfAborted, VerbatimError } from "../../errors.js";
import { openContainer } from "../format/container.js";
import { documentKey } from "../format/content-hash.js";
import { corrupt } from "../format/corrupt.js";
import type { IndexLevel } from "../format/level.js";
import {
  committedVersions,
  lacksManifest,
  type Manifest,
  type ManifestSegment,
  readManifest,
  segmentFile,
  segmentName,
  tombstonesFile,
} from "../manifest/manifest.js";
import { checkFilesExist, indexMissing, manifestMissing } from "../open-snapshot.js";
import type { Storage } from "../ports.js";
import { DocumentsReader } from "../segment/documents.js";
import { readTombstones } from "../segment/tombstones.js";
import { checkLevels, otherLevel } from "./check-level.js";
import { DocumentTable, type LiveDocument } from "./document-table.js";
import { collectGarbage, previousManifest } from "./garbage.js";
import { validateModel } from "./validate.js";
import type { IndexWriterOptions } from "./writer-options.js";

/** A segment as the writer sees it: what is on disk, and what was deleted since. */
export interface LiveSegment {
  name: string;
  /** undefined while its files are under construction. */
  entry: ManifestSegment | undefined;
  deleted: Set<number>;
  deletedPassages: number;
  /** `deleted` differs from the segment's tombstones file. */
  tombstonesChanged: boolean;
}

export function newSegment(name: string): LiveSegment {
  return { name, entry: undefined, deleted: new Set(), deletedPassages: 0, tombstonesChanged: false };
}

/** Marks a document of the segment as deleted from the next commit on. */
export function markDeleted(segment: LiveSegment, dead: { document: number; passages: number }): void {
  segment.deleted.add(dead.document);
  segment.deletedPassages += dead.passages;
  segment.tombstonesChanged = true;
}

/** The last commit and the changes since. */
export class WriterState {
  /** Manifest of the last commit. */
  manifest: Manifest | undefined;
  /** Complete segments, in order. */
  segments: LiveSegment[] = [];
  /** By id hash, 32 hex digits. */
  readonly documents = new DocumentTable();
  /** Whether a commit would make a new version. */
  changed = false;
  /** Level of documents that are added, and of the next commit. */
  level: IndexLevel;
  thinTerms: number | undefined;
  #nextSegment = 1;

  /** @param manifest  undefined if there was no commit yet */
  constructor(manifest?: Manifest) {
    this.manifest = manifest;
    this.level = manifest?.level ?? "full";
    this.thinTerms = manifest?.thinTerms;
    this.#nextSegment = manifest?.nextSegment ?? 1;
  }

  /** Number of the next segment. */
  get nextSegment(): number {
    return this.#nextSegment;
  }

  /** Returns a segment name that was never used. */
  newName(): string {
    return segmentName(this.#nextSegment++);
  }

  find(id: string): LiveDocument | undefined {
    return this.documents.get(documentKey(id));
  }

  /** Adds a document, replacing one with the same id. */
  put(id: string, document: LiveDocument): void {
    this.forget(id);
    this.documents.set(documentKey(id), document);
    this.changed = true;
  }

  /** Deletes a document from the next commit on. @returns false if there is none with this id */
  forget(id: string): boolean {
    const key = documentKey(id);
    const known = this.documents.get(key);
    if (known === undefined) return false;
    this.documents.delete(key);
    markDeleted(known.segment, known);
    this.changed = true;
    return true;
  }
}

/**
 * Reads the current version, checks that it can be written to, and removes what a crash left. The
 * lock must be held. @throws VerbatimError
 */
export async function loadWriterState(
  storage: Storage,
  options: Pick<IndexWriterOptions, "model" | "level" | "addedLevel" | "thinTerms" | "startEmpty" | "signal">,
): Promise<WriterState> {
  if (options.model) validateModel(options.model);
  checkLevels(options);
  throwIfAborted(options.signal);
  const names = await storage.list();
  const version = committedVersions(names)[0];
  if (lacksManifest(names)) throw manifestMissing(storage.place); // its segments may be all that is left of it
  if (version === undefined && options.model === undefined) throw indexMissing(storage);
  const manifest = version === undefined ? undefined : (await readManifest(storage, version, options.signal)).manifest;
  const state = new WriterState(manifest);
  if (manifest === undefined) {
    state.level = options.level ?? options.addedLevel ?? "full";
    state.thinTerms = options.thinTerms;
  }
  if (manifest !== undefined && options.startEmpty) state.changed = true;
  else if (manifest !== undefined) {
    checkSameKind(manifest, options);
    checkFilesExist(manifest, names);
    for (const entry of manifest.segments) await loadSegment(storage, entry, { state, signal: options.signal });
  }
  const previous = await previousManifest(storage, names);
  await collectGarbage(
    storage,
    [state.manifest, previous].filter((manifest) => manifest !== undefined),
  );
  return state;
}

function checkSameKind(
  manifest: Manifest,
  { model, level, thinTerms }: Pick<IndexWriterOptions, "model" | "level" | "thinTerms">,
): void {
  if (level !== undefined && level !== manifest.level) throw otherLevel(manifest.level, level);
  if (thinTerms !== undefined && thinTerms !== manifest.thinTerms) {
    const found = manifest.thinTerms ?? `level ${manifest.level}, without such a number`;
    const hint = "Leave the number out, or make another index.";
    throw new VerbatimError("invalid-argument", `The index was made with another number of terms: ${found}.`, {
      found,
      expected: thinTerms,
      hint,
    });
  }
  for (const name of ["passageModelHash", "dense", "coherency", "vector", "vocabularySize"] as const) {
    if (model === undefined || manifest.model[name] === model[name]) continue;
    const made = manifest.model.name;
    const instead =
      made === model.name ? `another version of ${made}: its ${name} differs` : `${made}, not ${model.name}`;
    throw new VerbatimError("model-mismatch", `The index was made with ${instead}.`, {
      found: manifest.model[name],
      expected: model[name],
      hint: "Write with the model that made the index, or change it: verbatim index PATH --model NAME --rebuild",
    });
  }
}

/**
 * A committed segment without later deletions. @throws VerbatimError `corrupt-segment` for its
 * tombstones
 */
export async function liveSegment(
  storage: Storage,
  entry: ManifestSegment,
  options: { passageModelHash: string; signal?: AbortSignal },
): Promise<LiveSegment> {
  const deleted = new Set<number>();
  const file = tombstonesFile(entry);
  if (file) {
    const tombstones = await readTombstones(storage, file, { documentCount: entry.documents, ...options });
    for (let document = 0; document < entry.documents; document++) if (tombstones.has(document)) deleted.add(document);
  }
  return { name: entry.name, entry, deleted, deletedPassages: entry.deletedPassages, tombstonesChanged: false };
}

async function loadSegment(
  storage: Storage,
  entry: ManifestSegment,
  rest: { state: WriterState; signal?: AbortSignal },
): Promise<void> {
  const { state, signal } = rest;
  const { passageModelHash } = state.manifest!.model;
  const segment = await liveSegment(storage, entry, { passageModelHash, signal });
  state.segments.push(segment);
  const file = segmentFile(entry, "documents");
  if (!file) throw corrupt(`${entry.name}.documents`, "the manifest does not name it");
  const container = await openContainer(storage, file, { component: "documents", passageModelHash, signal });
  try {
    for (const { idHash, contentHash, document, passages } of await new DocumentsReader(
      container,
      entry.documents,
    ).keys(signal)) {
      if (segment.deleted.has(document)) continue;
      if (state.documents.has(idHash))
        throw corrupt(`${entry.name}.documents`, `document ${document} is in the index twice`);
      state.documents.set(idHash, { segment, document, passages, contentHash });
    }
  } finally {
    await container.close();
  }
}
