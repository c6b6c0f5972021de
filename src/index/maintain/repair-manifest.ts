/**
 * Finds out what was in an index whose manifest is damaged: from the rest of it, the one before, or
 * the segment files.
 */

import { hasCode, VerbatimError } from "../../errors.js";
import { FORMAT_VERSION } from "../format/container-layout.js";
import { corrupt } from "../format/corrupt.js";
import { type IndexLevel, isBelow } from "../format/level.js";
import {
  committedVersions,
  isIndexFile,
  lacksManifest,
  levelOf,
  type Manifest,
  type ManifestModel,
  type ManifestSegment,
  manifestName,
  readManifest,
  tombstonesFile,
  totalsOf,
} from "../manifest/manifest.js";
import { parseManifestBody } from "../manifest/manifest-body.js";
import { indexMissing } from "../open-snapshot.js";
import type { Storage } from "../ports.js";
import { asProblem, type IndexProblem, missingManifest } from "./check-problem.js";
import { retryOnce } from "./retry-once.js";
import { describeSegment } from "./segment-entry.js";

/** Where the manifest's content comes from, best first. */
export type ManifestOrigin = "whole" | "salvaged" | "older" | "rebuilt";

interface FoundManifest {
  manifest: Manifest;
  origin: ManifestOrigin;
  problems: IndexProblem[];
  /** Segments with a missing or unreadable file; they are not in `manifest`. */
  lost: string[];
}

interface Options {
  /** Needed if no manifest can be read. */
  model?: ManifestModel;
  signal?: AbortSignal;
}

/**
 * @throws VerbatimError `index-missing`, `unsupported-format` (such an index is never changed),
 *   `corrupt-manifest` (it cannot be rebuilt without a model), `model-mismatch` (nor with another
 *   one; `found` has the first 32 digits of the right one's hash), `aborted`, and what the storage
 *   throws
 */
export async function findManifest(storage: Storage, options: Options): Promise<FoundManifest> {
  const names = await storage.list();
  const [version, ...older] = committedVersions(names);
  const segments = segmentNames(names);
  if (version === undefined && !lacksManifest(names)) throw indexMissing(storage);
  const problems: IndexProblem[] = [];
  if (version !== undefined) {
    const whole = await tryRead(storage, version, { problems, ...options });
    if (whole) return { manifest: whole, origin: "whole", problems, lost: [] };
  } else problems.push(missingManifest());
  let before: Manifest | undefined;
  for (const candidate of older) before ??= await tryRead(storage, candidate, { problems, ...options });
  const model = before?.model ?? options.model;
  const salvaged = version === undefined ? undefined : await salvage(storage, version, options.signal);
  if (salvaged && model && sameModel(salvaged.model, model)) {
    const wanted = salvaged.segments.map((entry) => ({ name: entry.name, tombstones: tombstonesFile(entry)?.name }));
    const { entries, lost } = await describeAll(storage, wanted, { model, problems, signal: options.signal });
    return { manifest: withSegments(salvaged, entries, version!), origin: "salvaged", problems, lost };
  }
  if (model === undefined) {
    throw new VerbatimError("corrupt-manifest", "No manifest of the index can be read, so its model is unknown.", {
      where: version === undefined ? storage.place : manifestName(version),
      hint: "Run the repair with the model that made the index, or index the documents again into a new folder.",
    });
  }
  const last = version ?? Math.max(0, ...segments.map((name) => Math.max(0, ...tombstoneVersions(names, name))));
  const wanted = segments.map((name) => {
    const deleted = tombstoneVersions(names, name).filter((candidate) => candidate <= last);
    return { name, tombstones: deleted.length === 0 ? undefined : `${name}.tombstones-${Math.max(...deleted)}` };
  });
  const { entries, lost, otherModel } = await describeAll(storage, wanted, { model, problems, signal: options.signal });
  if (before === undefined && entries.length === 0 && otherModel !== undefined) {
    const message = `The index in ${storage.place} was not made with the model ${model.name}.`;
    const hint = "Run the repair with the model that made the index: verbatim repair --model NAME.";
    throw new VerbatimError("model-mismatch", message, { ...otherModel, hint });
  }
  const base = before ?? { ...emptyManifest(model), level: highestOf(entries) };
  const manifest = withSegments(base, entries, last);
  return { manifest, origin: before ? "older" : "rebuilt", problems, lost };
}

async function tryRead(
  storage: Storage,
  version: number,
  { problems, signal }: { problems: IndexProblem[]; signal?: AbortSignal },
): Promise<Manifest | undefined> {
  try {
    return (await retryOnce(() => readManifest(storage, version, signal))).manifest;
  } catch (error) {
    problems.push(asProblem(error, manifestName(version)));
    return undefined;
  }
}

/**
 * What can be parsed of a manifest whose checksum is wrong. Only its lists of names are used;
 * everything else comes from the files.
 */
async function salvage(storage: Storage, version: number, signal?: AbortSignal): Promise<Manifest | undefined> {
  const source = await storage.open(manifestName(version));
  try {
    const bytes = await source.read(0, await source.size(), signal);
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return parseManifestBody(JSON.parse(text), (what) => corrupt(manifestName(version), what));
  } catch (error) {
    if (error instanceof VerbatimError && error.code !== "corrupt-segment") throw error;
    return undefined;
  } finally {
    await source.close();
  }
}

async function describeAll(
  storage: Storage,
  wanted: ReadonlyArray<{ name: string; tombstones: string | undefined }>,
  options: { model: ManifestModel; problems: IndexProblem[]; signal?: AbortSignal },
): Promise<{
  entries: ManifestSegment[];
  lost: string[];
  /** First half of the hash of another model that wrote a segment, and of `model`. */
  otherModel: { found: unknown; expected: unknown } | undefined;
}> {
  const entries: ManifestSegment[] = [];
  const lost: string[] = [];
  let otherModel: { found: unknown; expected: unknown } | undefined;
  for (const { name, tombstones } of wanted) {
    try {
      entries.push(await retryOnce(() => describeSegment(storage, name, { ...options, tombstones })));
    } catch (error) {
      if (hasCode(error, "model-mismatch")) otherModel ??= { found: error.found, expected: error.expected };
      options.problems.push(asProblem(error, name));
      lost.push(name);
    }
  }
  return { entries, lost, otherModel };
}

const sameModel = (one: ManifestModel, other: ManifestModel): boolean =>
  (["passageModelHash", "vocabularySize", "dense", "coherency", "vector"] as const).every(
    (name) => one[name] === other[name],
  );

function withSegments(manifest: Manifest, segments: ManifestSegment[], version: number): Manifest {
  return { ...manifest, version, segments, totals: totalsOf(segments) };
}

function emptyManifest({ name, passageModelHash, vocabularySize, dense, coherency, vector }: ManifestModel): Manifest {
  const model = { name, passageModelHash, vocabularySize, dense, coherency, vector };
  const totals = { documents: 0, passages: 0, bytes: 0 };
  const versions = { formatVersion: FORMAT_VERSION, minimumReaderVersion: FORMAT_VERSION, version: 0, nextSegment: 1 };
  return { ...versions, level: "full", model, totals, segments: [] };
}

/** The level of the index is unknown: assume the highest, so that no segment has to be lowered. */
const highestOf = (entries: readonly ManifestSegment[]): IndexLevel =>
  entries.map(levelOf).reduce((one, other) => (isBelow(one, other) ? other : one), entries[0]?.level ?? "full");

/** In the order in which they were written. */
function segmentNames(names: readonly string[]): string[] {
  const own = names.filter((name) => isIndexFile(name) && name.startsWith("s")).map((name) => name.split(".")[0]!);
  return [...new Set(own)].sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)));
}

function tombstoneVersions(names: readonly string[], segment: string): number[] {
  const prefix = `${segment}.tombstones-`;
  return names.filter((name) => name.startsWith(prefix)).map((name) => Number(name.slice(prefix.length)));
}
