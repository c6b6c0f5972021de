/**
 * Checks every byte of an index and reports what is damaged and where, without throwing for damage.
 */

import { throwIfAborted } from "../../errors.js";
import type { Hash } from "../format/sha256.js";
import {
  committedVersions,
  lacksManifest,
  type Manifest,
  type ManifestSegment,
  manifestName,
  readManifest,
  totalsOf,
} from "../manifest/manifest.js";
import { indexMissing } from "../open-snapshot.js";
import type { Storage } from "../ports.js";
import {
  type CheckFindings,
  type CheckHooks,
  type CheckJob,
  type CheckPart,
  contentParts,
  doCheckJob,
  fileParts,
} from "./check-job.js";
import { asProblem, IndexProblem, missingManifest } from "./check-problem.js";
import { mapInOrder } from "./map-in-order.js";

export interface CheckReport {
  ok: boolean;
  problems: IndexProblem[];
  /** Version that was checked; 0 if its manifest cannot be read. */
  version: number;
  files: number;
  /** Bytes that were read and compared. */
  bytes: number;
  /** Live documents and passages, as counted by the manifest. */
  documents: number;
  passages: number;
}

export interface CheckOptions {
  signal?: AbortSignal;
  /** Called about once per megabyte with the bytes compared so far and the total. */
  onProgress?: (done: number, total: number) => void;
  /** Runs parts of the check in other threads. Default: one after the other, in this thread. */
  helpers?: CheckHelpers;
  /** The runtime's SHA-256, if it has a faster one. */
  sha256?: () => Hash;
}

/** Runs parts of the check as `doCheckJob` does. */
export interface CheckHelpers {
  run(job: CheckJob, hooks: CheckHooks): Promise<CheckFindings>;
}

/** How often a version that another one has replaced meanwhile is given up for its successor. */
const ATTEMPTS = 5;

/**
 * Checks the current version: checksums, bounds and offsets of every file, then that the files of
 * each segment agree. If a commit of another program removes files of it meanwhile, the version of
 * that commit is checked instead; segments that were found intact are not read again.
 * @throws VerbatimError `index-missing`, `unsupported-format`, `aborted`, and what the storage
 *   throws if it cannot be listed
 */
export async function checkIndex(storage: Storage, options: CheckOptions = {}): Promise<CheckReport> {
  const intact = new Map<string, CheckFindings>();
  for (let attempt = 1; ; attempt++) {
    const names = await storage.list();
    const version = committedVersions(names)[0];
    if (version === undefined && !lacksManifest(names)) throw indexMissing(storage);
    const report = await checkVersion(storage, version, { ...options, intact });
    if (report.ok || attempt === ATTEMPTS || committedVersions(await storage.list())[0] === version) return report;
  }
}

/** @param options.intact  findings of segments without a problem, to which new ones are added */
async function checkVersion(
  storage: Storage,
  version: number | undefined,
  options: CheckOptions & { intact: Map<string, CheckFindings> },
): Promise<CheckReport> {
  const report: CheckReport = { ok: true, problems: [], version: 0, files: 1, bytes: 0, documents: 0, passages: 0 };
  if (version === undefined) return { ...report, ok: false, problems: [missingManifest()], files: 0 };
  try {
    const { manifest, bytes } = await readManifest(storage, version, options.signal);
    report.version = manifest.version;
    report.bytes = bytes;
    report.documents = manifest.totals.documents;
    report.passages = manifest.totals.passages;
    const counted = totalsOf(manifest.segments);
    const { totals } = manifest;
    if (
      counted.documents !== totals.documents ||
      counted.passages !== totals.passages ||
      counted.bytes !== totals.bytes
    )
      report.problems.push(new IndexProblem(manifestName(version), "its totals are not the sums of its segments"));
    await checkSegments(storage, manifest, { report, options });
  } catch (error) {
    report.problems.push(asProblem(error, manifestName(version)));
  }
  report.ok = report.problems.length === 0;
  return report;
}

/** Problems are ordered by segment, whichever part finishes first. */
async function checkSegments(
  storage: Storage,
  manifest: Manifest,
  { report, options }: { report: CheckReport; options: CheckOptions & { intact: Map<string, CheckFindings> } },
): Promise<void> {
  const { signal, onProgress, helpers, sha256, intact } = options;
  let done = report.bytes;
  const onBytes = (bytes: number): void => {
    done += bytes;
    onProgress?.(done, manifest.totals.bytes);
  };
  const hooks = { signal, onBytes, sha256 };
  const check = async (segment: ManifestSegment): Promise<CheckFindings> => {
    const key = JSON.stringify(segment); // names its files by their ids: equal files have equal bytes
    const known = intact.get(key);
    if (known !== undefined) {
      onBytes(known.bytes);
      return known;
    }
    const found = await checkOneSegment(storage, segment, { manifest, helpers, ...hooks });
    if (found.problems.length === 0) intact.set(key, found);
    return found;
  };
  const ids = new Set<string>();
  const add = (segment: ManifestSegment, found: CheckFindings): void => {
    report.problems.push(...found.problems);
    report.files += segment.files.length;
    report.bytes += found.bytes;
    for (const [id, document] of found.ids) {
      if (ids.has(id))
        report.problems.push(
          new IndexProblem(`${segment.name}.documents`, `document ${document} is also in an earlier segment`),
        );
      ids.add(id);
    }
  };
  if (helpers === undefined) {
    for (const segment of manifest.segments) {
      throwIfAborted(signal);
      add(segment, await check(segment));
    }
    return;
  }
  const found = await Promise.all(manifest.segments.map(check)); // the helpers queue what exceeds their capacity
  for (const [i, segment] of manifest.segments.entries()) add(segment, found[i]!);
}

/**
 * Checks every byte of one segment, and whether its files agree if none is damaged.
 * @throws VerbatimError `aborted`, and what the storage throws apart from damage
 */
export async function checkOneSegment(
  storage: Storage,
  segment: ManifestSegment,
  options: { manifest: Manifest; helpers?: CheckHelpers; signal?: AbortSignal } & Partial<CheckHooks>,
): Promise<CheckFindings> {
  const { manifest, helpers, signal, onBytes = () => {}, sha256 } = options;
  const hooks = { signal, onBytes, sha256 };
  const run = (part: CheckPart): Promise<CheckFindings> => {
    const job = { part, segment, manifest };
    return helpers === undefined ? doCheckJob(storage, job, hooks) : helpers.run(job, hooks);
  };
  if (helpers === undefined) {
    const files = merged(await mapInOrder(fileParts(segment), run));
    if (files.problems.length > 0) return files;
    return { ...merged(await mapInOrder(contentParts(segment), run)), bytes: files.bytes };
  }
  const parts = fileParts(segment).map(run); // the helpers queue what exceeds their capacity
  const content = Promise.all(contentParts(segment).map(run));
  content.catch(() => {}); // used only if the files are intact
  const files = merged(await Promise.all(parts));
  return files.problems.length > 0 ? files : { ...merged(await content), bytes: files.bytes };
}

/** Several parts may find the same problem; it is reported once. */
function merged(parts: readonly CheckFindings[]): CheckFindings {
  const problems = new Map(
    parts.flatMap((part) => part.problems.map((problem) => [String(problem), problem] as const)),
  );
  const ids = new Map(parts.flatMap((part) => [...part.ids]));
  return { problems: [...problems.values()], bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0), ids };
}
