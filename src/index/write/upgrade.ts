/**
 * Raises an index to a level: documents of lower segments are read back, encoded, and written to
 * new segments before what is left of the old ones, so documents keep their order. Each batch is
 * committed: the index stays usable, and nothing is lost when the upgrade stops.
 */

import { throwIfAborted, VerbatimError } from "../../errors.js";
import { type IndexLevel, isBelow } from "../format/level.js";
import { levelOf, type ManifestModel } from "../manifest/manifest.js";
import type { Storage } from "../ports.js";
import { checkLevel, otherLevel } from "./check-level.js";
import { type BatchOptions, type EncodeStored, SegmentUpgrade } from "./upgrade-segment.js";
import type { MergingWriter, WriterMerges } from "./writer-merges.js";
import type { LiveSegment } from "./writer-state.js";

/** Passages per batch: about a minute of encoding, which is what an early stop loses. */
const BATCH_PASSAGES = 2048;

export interface UpgradeProgress {
  /** Live documents and passages raised so far, out of all that were below the level. */
  documents: number;
  documentsTotal: number;
  passages: number;
  passagesTotal: number;
  /** Input tokens encoded in this call, those of a batch that was dropped included. */
  tokens: number;
}

export interface UpgradeOptions {
  level: IndexLevel;
  /** For level `thin`; default: that of the index, or else 64. */
  thinTerms?: number;
  encode: EncodeStored;
  /**
   * A batch is committed after the document that brings it to this many passages; ≥ 1, default
   * 2,048.
   */
  batchPassages?: number;
  signal?: AbortSignal;
  onProgress?: (progress: UpgradeProgress) => void;
}

export interface UpgradeReport extends UpgradeProgress {
  version: number;
}

/** @throws VerbatimError `invalid-argument` */
export function checkUpgrade(current: IndexLevel, { level, thinTerms, batchPassages = 1 }: UpgradeOptions): void {
  checkLevel(level);
  if (isBelow(level, current)) throw otherLevel(current, level);
  if (thinTerms !== undefined && level !== "thin")
    throw new VerbatimError("invalid-argument", `Level ${level} does not take a number of terms.`);
  if (!(Number.isInteger(batchPassages) && batchPassages >= 1))
    throw new VerbatimError("invalid-argument", `batchPassages is ${batchPassages}, not a whole number from 1.`);
}

/**
 * Raises segments, one batch per commit, until none is below the level. When it stops early the
 * last progress report counts only what was committed.
 * @throws as `IndexWriter.upgrade`
 */
export async function upgradeSegments(
  storage: Storage,
  parts: { writer: MergingWriter; merges: WriterMerges; model: ManifestModel },
  options: UpgradeOptions,
): Promise<UpgradeProgress> {
  const { writer, merges } = parts;
  const { level, encode, signal, onProgress, batchPassages = BATCH_PASSAGES } = options;
  const counts = { documents: 0, passages: 0, tokens: 0 };
  const left = (): { documents: number; passages: number } => leftOf(below(writer.state.segments, level));
  let batch = { documents: 0, passages: 0, tokens: 0 };
  const report = ({ documents, passages } = NOTHING): UpgradeProgress => {
    const rest = left();
    const progress = {
      documents: counts.documents + documents,
      documentsTotal: counts.documents + rest.documents,
      passages: counts.passages + passages,
      passagesTotal: counts.passages + rest.passages,
      tokens: counts.tokens + batch.tokens,
    };
    onProgress?.(progress);
    return progress;
  };
  const onBatch = (now: typeof batch): void => {
    batch = { ...now };
    report(now);
  };
  const upgradeBatch = async (): Promise<boolean> => {
    throwIfAborted(signal);
    const name = await writer.exclusive(async () => writer.state.newName());
    const done = await merges.withoutMerges(name, async (stop) => {
      const either = AbortSignal.any(signal ? [stop, signal] : [stop]);
      const { thinTerms } = writer.state;
      const rules: BatchOptions = { ...parts, level, thinTerms, name, batchPassages, signal: either };
      const upgrade = await writer.exclusive(async () => {
        const [live] = below(writer.state.segments, level);
        return live && SegmentUpgrade.begin(storage, live, { ...rules, manifest: writer.state.manifest! });
      });
      if (upgrade === undefined) return undefined;
      const written = await upgrade.write(storage, encode, { ...rules, onProgress: onBatch });
      await writer.exclusive(async () => {
        const { segments, documents } = writer.state;
        await writer.replace(upgrade.replace(segments, documents, written));
      });
      return written;
    });
    if (done === undefined) return false;
    const { documents, passages, tokens } = done.entry;
    counts.documents += documents;
    counts.passages += passages;
    counts.tokens += tokens;
    batch = { documents: 0, passages: 0, tokens: 0 };
    return true;
  };
  report();
  try {
    while (await upgradeBatch());
  } catch (error) {
    report(); // without the dropped batch
    throw error;
  }
  return report();
}

const NOTHING = { documents: 0, passages: 0 };

const below = (segments: readonly LiveSegment[], level: IndexLevel): LiveSegment[] =>
  segments.filter(({ entry, deleted }) => isBelow(levelOf(entry!), level) && deleted.size < entry!.documents);

function leftOf(segments: readonly LiveSegment[]): { documents: number; passages: number } {
  const sum = { documents: 0, passages: 0 };
  for (const { entry, deleted, deletedPassages } of segments) {
    sum.documents += entry!.documents - deleted.size;
    sum.passages += entry!.passages - deletedPassages;
  }
  return sum;
}
