/** Splits the check of one segment into parts that can run independently, in any thread. */

import { throwIfAborted } from "../../errors.js";
import type { Component, SegmentComponent } from "../format/components.js";
import { openContainer } from "../format/container.js";
import type { FileEntry } from "../format/container-writer.js";
import type { Hash } from "../format/sha256.js";
import { levelOf, type Manifest, type ManifestSegment, segmentFile } from "../manifest/manifest.js";
import type { Storage } from "../ports.js";
import { type OpenSegment, openSegment } from "../segment/segment-reader.js";
import { checkDocuments } from "./check-documents.js";
import { checkPassages } from "./check-passages.js";
import { checkTerms, checkTfidf } from "./check-postings.js";
import { asProblem, IndexProblem } from "./check-problem.js";

/**
 * Bytes of records per part: small enough to spread over threads, large compared with opening the
 * segment again.
 */
const PART_BYTES = 96 * 1024 * 1024;
/**
 * Bytes per part for documents and their texts, which are inflated and hashed: 25 times as much
 * work per byte.
 */
const DOCUMENTS_PART_BYTES = 4 * 1024 * 1024;
const MAX_STRETCHES = 64;

/** Either the bytes of one file, or whether the files agree in one respect. */
export type CheckPart =
  | { kind: "file"; file: FileEntry }
  | { kind: "documents"; first: number; end: number }
  | { kind: "passages"; first: number; end: number }
  | { kind: "terms" }
  | { kind: "tfidf" };

export interface CheckJob {
  part: CheckPart;
  segment: ManifestSegment;
  manifest: Manifest;
}

export interface CheckFindings {
  problems: IndexProblem[];
  /** Bytes of files that were compared. */
  bytes: number;
  /**
   * Id hashes of the segment's live documents with their numbers; only from the first part of
   * "documents".
   */
  ids: ReadonlyMap<string, number>;
}

export interface CheckHooks {
  signal: AbortSignal | undefined;
  /** Called with the bytes compared since the last call. */
  onBytes: (bytes: number) => void;
  /** The runtime's SHA-256, if it has a faster one. */
  sha256?: () => Hash;
}

/** What the parts of one segment share. */
export interface SegmentCheck {
  manifest: Manifest;
  problem: (component: string, what: string) => unknown;
  signal: AbortSignal | undefined;
}

/** In the order in which problems are reported. */
export const fileParts = (segment: ManifestSegment): CheckPart[] =>
  segment.files.map((file) => ({ kind: "file", file }));

/** Run only when every file is intact: damaged files say nothing useful about one another. */
export function contentParts(segment: ManifestSegment): CheckPart[] {
  const bytesOf = (...components: SegmentComponent[]): number =>
    components.reduce((sum, component) => sum + (segmentFile(segment, component)?.bytes ?? 0), 0);
  const rangesOf = (kind: "documents" | "passages", parts: number): CheckPart[] => {
    const count = Math.max(1, Math.min(MAX_STRETCHES, segment[kind], Math.ceil(parts)));
    const edge = (n: number): number => Math.floor((segment[kind] * n) / count);
    return Array.from({ length: count }, (_, n) => ({ kind, first: edge(n), end: edge(n + 1) }));
  };
  const level = levelOf(segment);
  return [
    ...rangesOf("documents", bytesOf("documents", "text") / DOCUMENTS_PART_BYTES),
    ...rangesOf("passages", bytesOf("phrases", "ngrams") / PART_BYTES),
    ...(level === "lexical" ? [] : [{ kind: "terms" } as const]),
    { kind: "tfidf" },
  ];
}

/**
 * Runs one part of the check of one segment in this thread.
 * @throws VerbatimError `aborted`, and what the storage throws apart from damage
 */
export async function doCheckJob(storage: Storage, job: CheckJob, hooks: CheckHooks): Promise<CheckFindings> {
  const { segment, manifest, part } = job;
  const { signal } = hooks;
  const findings = { problems: [] as IndexProblem[], bytes: 0, ids: new Map<string, number>() };
  throwIfAborted(signal);
  try {
    if (part.kind === "file") {
      findings.problems.push(...(await damageOf(storage, part.file, { ...job, ...hooks })));
      findings.bytes = part.file.bytes;
      return findings;
    }
    const open = await openSegment(storage, segment, { manifest, signal, checked: true });
    try {
      const problem = (component: string, what: string) =>
        findings.problems.push(new IndexProblem(`${segment.name}.${component}`, what));
      await checkContent(open, part, { manifest, problem, signal, ids: findings.ids, sha256: hooks.sha256 });
    } finally {
      await open.close();
    }
  } catch (error) {
    findings.problems.push(asProblem(error, part.kind === "file" ? part.file.name : segment.name));
  }
  return findings;
}

function checkContent(
  segment: OpenSegment,
  part: Exclude<CheckPart, { kind: "file" }>,
  options: SegmentCheck & { ids: Map<string, number>; sha256: CheckHooks["sha256"] },
): Promise<void> {
  if (part.kind === "documents") return checkDocuments(segment, part, options);
  if (part.kind === "passages") return checkPassages(segment, part, options);
  return part.kind === "terms" ? checkTerms(segment, options) : checkTfidf(segment, options);
}

/** Compares every block of every section, and reports all that differ. */
async function damageOf(
  storage: Storage,
  file: FileEntry,
  { segment, manifest, signal, onBytes }: CheckJob & CheckHooks,
): Promise<IndexProblem[]> {
  if (!(await storage.list()).includes(file.name)) return [new IndexProblem(file.name, "the file is missing")];
  const component = file.name.slice(segment.name.length + 1).replace(/-\d+$/, "") as Component;
  const { passageModelHash } = manifest.model;
  const container = await openContainer(storage, file, { component, passageModelHash, verifyId: true, signal });
  const problems: IndexProblem[] = [];
  try {
    for (const section of container.sections) {
      const place = { section: section.entry.name };
      for (const block of await section.damagedBlocks(onBytes, signal))
        problems.push(new IndexProblem(file.name, "checksum does not match", { ...place, block }));
    }
  } finally {
    await container.close();
  }
  return problems;
}
