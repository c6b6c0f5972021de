/** Raises the index in a folder to a level; an interrupted run can be resumed. */

import { openWriter } from "../../../src/api/writer.js";
import type { Encoder } from "../../../src/encode/types.js";
import { hasCode } from "../../../src/errors.js";
import type { IndexLevel } from "../../../src/index/format/level.js";
import type { UpgradeProgress } from "../../../src/index/write/upgrade.js";
import { type IndexTotals, readTotals, requireIndex } from "../index-info.js";
import type { ModelOptions } from "../models/choice.js";
import { openEncoder } from "../models/encoder/encoder.js";
import { FileStorage } from "../storage/file-storage.js";

/** The model is not opened when `encoder` is given. */
export interface UpgradePathOptions extends ModelOptions {
  level: IndexLevel;
  /** For level `thin`. */
  thinTerms?: number;
  /** Encoder threads, 1…64; default: one per core, at most 64. */
  threads?: number;
  /** An encoder to use; the caller closes it. */
  encoder?: Encoder;
  durability?: "full" | "relaxed";
  /** Stops the run: what was raised is kept, and `stopped` is set in the summary. The same call resumes it. */
  signal?: AbortSignal;
  onProgress?: (progress: UpgradeProgress) => void;
}

export interface UpgradeSummary extends UpgradeProgress {
  seconds: number;
  tokensPerSecond: number;
  stopped: boolean;
  /** What the index contains now. */
  total: IndexTotals;
}

export async function upgradePath(path: string, options: UpgradePathOptions): Promise<UpgradeSummary> {
  const { level, thinTerms, durability, signal } = options;
  await requireIndex(path);
  const storage = new FileStorage(path);
  const { model, modelFolder, threads } = options;
  const encoder = options.encoder ?? (await openEncoder({ model, modelFolder, index: path, threads }));
  const started = performance.now();
  let progress: UpgradeProgress = { documents: 0, documentsTotal: 0, passages: 0, passagesTotal: 0, tokens: 0 };
  let stopped = false;
  try {
    const writer = await openWriter({ storage, encoder, durability });
    try {
      const { version: _, ...done } = await writer.upgrade({
        level,
        thinTerms,
        signal,
        onProgress: (now) => {
          progress = now;
          options.onProgress?.(now);
        },
      });
      progress = done;
    } catch (error) {
      if (!(signal?.aborted && hasCode(error, "aborted"))) throw error;
      stopped = true;
    } finally {
      await writer.close();
    }
  } finally {
    if (options.encoder === undefined) await encoder.close();
  }
  const seconds = (performance.now() - started) / 1000;
  const total = (await readTotals(storage))!;
  return { ...progress, seconds, tokensPerSecond: progress.tokens / seconds, stopped, total };
}
