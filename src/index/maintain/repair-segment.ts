/**
 * Keeps the intact part of a damaged segment as a new segment; the damaged files stay as they are.
 */

import type { SegmentComponent } from "../format/components.js";
import type { Manifest, ManifestSegment } from "../manifest/manifest.js";
import { mergeSegments } from "../merge/merge.js";
import type { Storage } from "../ports.js";
import { type OpenSegment, openSegment } from "../segment/segment-reader.js";
import { asProblem, type IndexProblem } from "./check-problem.js";
import { REBUILDABLE, rebuildSegment } from "./rebuild.js";
import { type LostDocuments, namesOf } from "./repair-lost.js";
import { lastingProblems, retryOnce } from "./retry-once.js";

interface SegmentRepair {
  manifest: Manifest;
  signal?: AbortSignal;
  /** Returns a segment name that was never used. */
  newName: () => string;
}

/**
 * Rebuilds a segment in which only files are damaged that repeat others.
 * @param problems  of the segment
 * @returns undefined if other files are damaged
 */
export async function rebuildDamaged(
  storage: Storage,
  segment: ManifestSegment,
  options: SegmentRepair & { problems: readonly IndexProblem[] },
): Promise<{ entry: ManifestSegment; files: string[] } | undefined> {
  const { manifest, signal, newName, problems } = options;
  const damaged = REBUILDABLE.filter((component) =>
    problems.some(({ file }) => file === `${segment.name}.${component}`),
  );
  const components = new Set(problems.map(({ file }) => file.slice(segment.name.length + 1) as SegmentComponent));
  if (components.size !== damaged.length) return undefined;
  const rules = { manifest, version: manifest.version + 1, damaged, signal };
  try {
    return await retryOnce(async () => {
      const entry = await rebuildSegment(storage, segment, { ...rules, name: newName() });
      if ((await lastingProblems(storage, entry, { manifest, signal })).length > 0) return undefined;
      return { entry, files: damaged.map((component) => `${segment.name}.${component}`) };
    });
  } catch (error) {
    asProblem(error, segment.name);
    return undefined;
  }
}

/**
 * Creates a segment of the documents that can be read completely. Deletions must be readable too,
 * or nothing is kept.
 * @returns undefined if no document is intact, or it is unknown which are deleted
 */
export async function salvage(
  storage: Storage,
  segment: ManifestSegment,
  options: SegmentRepair,
): Promise<{ entry: ManifestSegment; lost: LostDocuments } | undefined> {
  try {
    return await retryOnce(() => salvageOnce(storage, segment, options));
  } catch (error) {
    asProblem(error, segment.name);
    return undefined;
  }
}

async function salvageOnce(
  storage: Storage,
  segment: ManifestSegment,
  { manifest, signal, newName }: SegmentRepair,
): ReturnType<typeof salvage> {
  const open = await openSegment(storage, segment, { manifest, signal });
  try {
    const lost: number[] = [];
    const whole = new Set<number>();
    for (let document = 0; document < segment.documents; document++) {
      if (open.isDeleted(document)) continue;
      if (await isReadable(open, document, signal)) whole.add(document);
      else lost.push(document);
    }
    if (whole.size === 0) return undefined;
    const source = { segment: open, keep: (document: number) => whole.has(document) };
    const { entry } = await mergeSegments(storage, [source], { name: newName(), manifest, signal });
    if ((await lastingProblems(storage, entry, { manifest, signal })).length > 0) return undefined; // the files contradict each other, and which one is right is unknown
    return { entry, lost: await namesOf(open.documents, lost, signal) };
  } finally {
    await open.close();
  }
}

/**
 * Whether everything of one document can be read, apart from postings, which are
 * rebuilt.
 */
async function isReadable(segment: OpenSegment, document: number, signal: AbortSignal | undefined): Promise<boolean> {
  const { document: documents } = segment.columns;
  const read = async (): Promise<boolean> => {
    const record = await segment.readDocument(document, signal);
    await segment.readText(document, 0, record.length, signal);
    const first = documents.indexOf(document);
    if (first < 0 || segment.level === "lexical") return true;
    await segment.vectors.range(first, first + record.passageCount, signal);
    if (segment.level !== "full") return true;
    const numbers = Array.from({ length: record.passageCount }, (_, i) => first + i);
    await segment.readPassages(numbers, signal);
    return true;
  };
  try {
    return await retryOnce(read);
  } catch (error) {
    asProblem(error, segment.name);
    return false;
  }
}
