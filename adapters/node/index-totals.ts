/** What an index holds, read without the model. */

import { resolve } from "node:path";
import { VerbatimError } from "../../src/errors.js";
import { openSnapshot } from "../../src/index/snapshot.js";
import type { TermUnit } from "../../src/index/types.js";
import { FileStorage } from "./storage.js";

export interface IndexTotals {
  version: number;
  formatVersion: number;
  documents: number;
  passages: number;
  phrases: number;
  tokens: number;
  segments: number;
  bytes: number;
  termUnit: TermUnit;
  /** Name of the model that the passages were encoded with, and the hash of what decides their encoding. */
  model: string;
  passageModelHash: string;
}

/**
 * @returns undefined when there is no committed version
 * @throws VerbatimError `corrupt-manifest`, `corrupt-segment`, `unsupported-format`
 */
export async function readTotals(storage: FileStorage): Promise<IndexTotals | undefined> {
  if (!(await hasManifest(storage))) return undefined;
  const snapshot = await openSnapshot(storage);
  try {
    const { segments } = snapshot;
    return {
      version: snapshot.version,
      formatVersion: snapshot.formatVersion,
      documents: snapshot.documentCount,
      passages: snapshot.passageCount,
      phrases: segments.reduce((sum, segment) => sum + segment.startRowCount, 0),
      tokens: segments.reduce((sum, segment) => sum + segment.tokenCount, 0),
      segments: segments.length,
      bytes: snapshot.bytes,
      termUnit: segments[0]?.termUnit ?? "passage",
      model: snapshot.manifest.model.name,
      passageModelHash: snapshot.passageModelHash,
    };
  } finally {
    await snapshot.close();
  }
}

/** True when there is a committed version to open. */
export async function hasManifest(storage: FileStorage): Promise<boolean> {
  return (await storage.exists()) && (await storage.list()).some((name) => /^manifest-\d+\.json$/.test(name));
}

/**
 * @param shown  the path as the person gave it, for the message
 * @throws VerbatimError `index-missing`
 */
export async function requireIndex(path: string, shown: string = path): Promise<void> {
  if (await hasManifest(new FileStorage(resolve(path)))) return;
  throw new VerbatimError("index-missing", `There is no index in ${shown}.`, {
    hint: `Make one: verbatim index PATH --index ${shown}`,
  });
}
