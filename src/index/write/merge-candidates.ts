/** The writer's segments as the merge policy sees them. */

import { levelOf } from "../manifest/manifest.js";
import type { MergeCandidate } from "../merge/merge-policy.js";
import type { LiveSegment } from "./writer-state.js";

export const candidateOf = ({ entry, deleted }: LiveSegment): MergeCandidate => ({
  bytes: bytesOf([{ entry }]),
  documents: entry!.documents,
  deleted: deleted.size,
  level: levelOf(entry!),
});

export const bytesOf = (segments: readonly Pick<LiveSegment, "entry">[]): number =>
  segments.reduce((sum, { entry }) => sum + entry!.files.reduce((bytes, file) => bytes + file.bytes, 0), 0);
