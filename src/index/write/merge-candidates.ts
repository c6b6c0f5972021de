/** The writer's segments as the merge policy sees them. */

import { openContainer } from "../format/container.js";
import { levelOf, type ManifestModel, segmentFile } from "../manifest/manifest.js";
import type { MergeCandidate } from "../merge/merge-policy.js";
import type { Storage } from "../ports.js";
import { readCentroids } from "../segment/coarse-lists.js";
import { LISTED_ROWS } from "../segment/coarse-writer.js";
import { centroidsOfModel } from "../segment/segment-writer.js";
import type { LiveSegment } from "./writer-state.js";

export const candidateOf = ({ entry, deleted, unlisted = false }: LiveSegment): MergeCandidate => ({
  bytes: bytesOf([{ entry }]),
  documents: entry!.documents,
  deleted: deleted.size,
  level: levelOf(entry!),
  unlisted,
});

/**
 * Marks segments with many coarse rows that are not in the model's inverted lists: it was not
 * loaded when they were written, or had other centroids.
 */
export async function markUnlisted(
  storage: Storage,
  segments: readonly LiveSegment[],
  { model, signal }: { model: ManifestModel; signal: AbortSignal | undefined },
): Promise<void> {
  const centroids = centroidsOfModel(model);
  if (centroids === undefined) return;
  for (const live of segments) {
    const { entry } = live;
    if (live.unlisted !== undefined || entry === undefined || entry.startRows < LISTED_ROWS) continue;
    const { passageModelHash } = model;
    const file = segmentFile(entry, "coarse")!;
    const container = await openContainer(storage, file, { component: "coarse", passageModelHash, signal });
    try {
      live.unlisted = (await readCentroids(container, model.coarse, signal)) !== centroids;
    } finally {
      await container.close();
    }
  }
}

export const bytesOf = (segments: readonly Pick<LiveSegment, "entry">[]): number =>
  segments.reduce((sum, { entry }) => sum + entry!.files.reduce((bytes, file) => bytes + file.bytes, 0), 0);
