/**
 * Renames documents without encoding them again: what is stored for them is copied to a new
 * segment.
 */

import { VerbatimError } from "../../errors.js";
import { LEVELS } from "../format/level.js";
import { levelOf, type ManifestModel } from "../manifest/manifest.js";
import { type MergedSegment, mergeSegments } from "../merge/merge.js";
import type { MergeSource, NewName } from "../merge/merge-work.js";
import type { Storage } from "../ports.js";
import { openSegment } from "../segment/segment-reader.js";
import type { LiveDocument } from "./document-table.js";
import { type LiveSegment, newSegment, type WriterState } from "./writer-state.js";

export interface DocumentMove {
  /** Id of a document of the index. */
  from: string;
  /** The new name. */
  to: NewName;
}

interface MoveOptions {
  model: ManifestModel;
  /** Returns a name for each new segment. */
  newName: () => string;
  known: (id: string) => LiveDocument;
  signal?: AbortSignal;
}

/** A segment of moved documents, with the new id of each. */
type MovedSegment = MergedSegment & { ids: string[] };

/** Lists the new segments in the writer's state, and the documents under their new ids. */
export function putMoved(state: WriterState, moves: readonly DocumentMove[], moved: readonly MovedSegment[]): void {
  for (const { from } of moves) state.forget(from);
  for (const { entry, ids, passages, keys } of moved) {
    const segment = { ...newSegment(entry.name), entry };
    state.segments.push(segment);
    for (const [document, id] of ids.entries())
      state.put(id, { segment, document, passages: passages[document]!, contentHash: keys.contentHash(document) });
  }
}

/**
 * Writes the moved documents to new segments, one per level.
 * @param moves  of documents in complete segments
 * @returns the segments, lowest level first
 * @throws VerbatimError `invalid-argument` if two moves have the same name, `corrupt-segment`,
 *   `aborted`, and what the storage throws
 */
export async function moveDocuments(
  storage: Storage,
  moves: readonly DocumentMove[],
  options: MoveOptions,
): Promise<MovedSegment[]> {
  checkNames(moves);
  const segments: MovedSegment[] = [];
  try {
    for (const level of LEVELS) {
      const own = moves.filter(({ from }) => levelOf(options.known(from).segment.entry!) === level);
      if (own.length > 0) segments.push(await moveOfLevel(storage, own, options));
    }
  } catch (error) {
    for (const { entry } of segments) for (const { name } of entry.files) await storage.remove(name).catch(() => {});
    throw error;
  }
  return segments;
}

async function moveOfLevel(
  storage: Storage,
  moves: readonly DocumentMove[],
  options: MoveOptions,
): Promise<MovedSegment> {
  const { model, newName, known, signal } = options;
  const bySegment = new Map<LiveSegment, Map<number, DocumentMove["to"]>>();
  for (const { from, to } of moves) {
    const { segment, document } = known(from);
    const names = bySegment.get(segment) ?? new Map<number, DocumentMove["to"]>();
    bySegment.set(segment, names.set(document, to));
  }
  const sources: MergeSource[] = [];
  try {
    const ids: string[] = [];
    for (const [live, names] of bySegment) {
      const segment = await openSegment(storage, live.entry!, { manifest: { model }, signal });
      sources.push({ segment, keep: (document) => names.has(document), rename: (document) => names.get(document) });
      ids.push(...[...names.keys()].sort((a, b) => a - b).map((document) => names.get(document)!.id));
    }
    const name = newName();
    return { ...(await mergeSegments(storage, sources, { name, manifest: { model }, signal })), ids };
  } finally {
    await Promise.allSettled(sources.map(({ segment }) => segment.close()));
  }
}

function checkNames(moves: readonly DocumentMove[]): void {
  const seen = { from: new Set<string>(), to: new Set<string>() };
  for (const { from, to } of moves) {
    if (to.id === "") throw new VerbatimError("invalid-argument", `"${from}" cannot be moved to an empty id.`);
    if (seen.from.has(from) || seen.to.has(to.id))
      throw new VerbatimError("invalid-argument", `Two moves have the same old or new name: "${from}", "${to.id}".`, {
        hint: "Give each document one new id of its own.",
      });
    seen.from.add(from);
    seen.to.add(to.id);
  }
}
