/**
 * A sequence of changes to an index, to be interrupted at every point: two versions exist; then
 * documents are added, replaced and deleted, with commits in between. Afterwards the index must be
 * one of the versions that were committed or being committed, complete.
 */

import { expect } from "vitest";
import type { IndexLevel } from "../../src/index/format/level.js";
import { checkIndex } from "../../src/index/maintain/check.js";
import { openSnapshot } from "../../src/index/open-snapshot.js";
import type { PreparedDocument } from "../../src/index/types.js";
import type { Durability } from "../../src/index/write/without-syncs.js";
import { type IndexWriter, openIndexWriter } from "../../src/index/write/writer.js";
import { encodeAgain } from "../support/encode-again.js";
import { madeUpModel, makePrepared } from "../support/made-up.js";
import { MemoryStorage } from "../support/memory-storage.js";

/**
 * Set by `npm run test:faults`: every point with more seeds, instead of a sample that is fast
 * enough for every run.
 */
export const WHOLE = process.env.VERBATIM_FAULTS === "whole";

const made = (seed: number, first: number): PreparedDocument =>
  makePrepared({ seed, documents: 1, first, passages: [1, 2], words: [3, 8] })[0]!;

type Step =
  | { add: PreparedDocument }
  | { delete: string }
  | { deleteTag: string }
  | { move: [from: string, to: string] }
  | "commit"
  | "compact"
  | "upgrade"
  | "compactFull";

/** Makes the index that a workload begins with. */
const SETUP: Step[] = [
  { add: made(1, 0) },
  { add: made(1, 1) },
  "commit",
  { add: made(1, 2) },
  { delete: "doc-0" },
  "commit",
];
/** A segment is full after two passages, so versions come about in `add`, too. */
const ADD_AND_DELETE: Step[] = [
  { add: made(1, 3) },
  { add: made(2, 1) }, // replaces
  { delete: "doc-2" },
  "commit",
  { add: made(2, 4) },
  { add: made(2, 0) }, // was deleted before
  { delete: "doc-4" },
  "commit",
];

/**
 * A sequence that frees space: renames, deletions by a predicate, merges with and without
 * uncommitted changes.
 */
const MOVE_AND_COMPACT: Step[] = [
  { move: ["doc-1", "doc-7"] },
  { add: made(3, 2) },
  "compact",
  { add: made(3, 5) },
  "commit",
  { deleteTag: "a" },
  { add: made(4, 6) },
  "compactFull",
  { delete: "doc-6" },
  "commit",
];

/**
 * A sequence in which a lexical index is raised, one document per commit, while others are added,
 * changed and deleted.
 */
const UPGRADE: Step[] = [
  { add: made(3, 2) },
  "upgrade",
  { add: made(3, 5) },
  { delete: "doc-1" },
  "commit",
  "compactFull",
];

const WORKLOADS = { addAndDelete: ADD_AND_DELETE, moveAndCompact: MOVE_AND_COMPACT, upgrade: UPGRADE } as const;

/** Ids and contents of an index, in a comparable form. */
export type Content = string;

/** What every version holds, from an undisturbed run. */
export interface Workload {
  steps: readonly Step[];
  /** Level of the index before the sequence; default full. */
  level?: IndexLevel;
  /** The index before the sequence. */
  before: ReadonlyMap<string, Uint8Array>;
  contents: Map<number, Content>;
  firstVersion: number;
  lastVersion: number;
}

async function play(
  storage: MemoryStorage,
  steps: readonly Step[],
  rest: { onStep: (writer: IndexWriter) => Promise<void> | void; durability?: Durability; level?: IndexLevel },
): Promise<void> {
  const { onStep, durability, level } = rest;
  const rules = { model: madeUpModel, segmentPassages: 2, durability, level };
  const encode = encodeAgain(
    [...SETUP, ...steps].flatMap((step) => (typeof step === "object" && "add" in step ? [step.add] : [])),
  );
  const writer = await openIndexWriter(storage, rules);
  try {
    for (const step of steps) {
      if (step === "commit") await writer.commit();
      else if (step === "compact") await writer.compact();
      else if (step === "upgrade") await writer.upgrade({ level: "full", encode, batchPassages: 1 });
      else if (step === "compactFull") await writer.compact({ full: true });
      else if ("move" in step)
        await writer.move([{ from: step.move[0], to: { id: step.move[1], source: "moved.txt" } }]);
      else if ("deleteTag" in step) await writer.deleteWhere(({ metadata }) => metadata.tag === step.deleteTag);
      else if ("add" in step) await writer.add(step.add);
      else writer.delete(step.delete);
      await onStep(writer);
    }
  } catch (error) {
    await onStep(writer); // acknowledged before it stopped
    throw error;
  } finally {
    await writer.close();
  }
}

/** Runs a workload undisturbed, and records every version. */
export async function recordWorkload(kind: keyof typeof WORKLOADS = "addAndDelete"): Promise<Workload> {
  const steps = WORKLOADS[kind];
  const level = kind === "upgrade" ? "lexical" : undefined;
  const storage = new MemoryStorage();
  const contents = new Map<number, Content>();
  const rename = storage.rename.bind(storage);
  storage.rename = async (from, to) => {
    await rename(from, to); // a commit; some steps make several
    contents.set(Number(/\d+/.exec(to)![0]), await contentOf(MemoryStorage.of(storage.files())));
  };
  const onStep = () => {};
  await play(storage, SETUP, { onStep, level });
  const before = storage.files();
  const firstVersion = Math.max(...contents.keys());
  await play(storage, steps, { onStep });
  return { steps, level, before, contents, firstVersion, lastVersion: Math.max(...contents.keys()) };
}

/** Runs the disturbed sequence. @returns the last acknowledged version, and the error */
export async function runWorkload(
  storage: MemoryStorage,
  workload: Workload,
  durability: Durability = "full",
): Promise<{ acknowledged: number; error: unknown }> {
  let acknowledged = workload.firstVersion;
  const onStep = (writer: IndexWriter): void => {
    acknowledged = writer.version;
  };
  try {
    await play(storage, workload.steps, { onStep, durability });
    return { acknowledged, error: undefined };
  } catch (error) {
    return { acknowledged, error };
  }
}

/**
 * Every document that the steps add, in the form of `contentOf` for an index that holds it alone.
 */
export async function addedIn(workload: Workload): Promise<Content[]> {
  const contents: Content[] = [];
  for (const step of [...SETUP, ...workload.steps]) {
    if (typeof step === "string" || !("add" in step)) continue;
    const storage = new MemoryStorage();
    await play(storage, [step, "commit"], { onStep: () => {} });
    contents.push(await contentOf(storage));
  }
  return contents;
}

/** Everything that can be read of an index. */
export async function contentOf(storage: MemoryStorage): Promise<Content> {
  const snapshot = await openSnapshot(storage);
  try {
    const documents: string[] = [];
    for (const segment of snapshot.segments) {
      for (let document = 0; document < segment.documentCount; document++) {
        if (segment.isDeleted(document)) continue;
        const record = await segment.readDocument(document);
        const text = await segment.readText(document, 0, record.length);
        const numbers = [...segment.passageDocuments.keys()].filter((p) => segment.passageDocuments[p] === document);
        const passages = segment.level === "full" ? await segment.readPassages(numbers) : undefined;
        const rows = passages?.map((p) =>
          [...p.ids, ...p.startVectors, ...p.endVectors, ...p.startUnigrams.weights].join(),
        ) ?? [segment.level];
        documents.push(JSON.stringify([record, text, rows]));
      }
    }
    return documents.sort().join("\n");
  } finally {
    await snapshot.close();
  }
}

/**
 * Checks that the index is the last acknowledged version or the next, complete, and can be written
 * to again.
 * @param what  how to replay the failure
 */
export async function expectOldOrNew(
  storage: MemoryStorage,
  workload: Workload,
  rest: { acknowledged: number; what: string },
): Promise<void> {
  const { acknowledged, what } = rest;
  const report = await checkIndex(storage);
  expect(report.problems.map(String), what).toEqual([]);
  expect([acknowledged, acknowledged + 1], what).toContain(report.version);
  expect(await contentOf(storage), what).toBe(workload.contents.get(report.version));
  const writer = await openIndexWriter(storage, { model: madeUpModel, segmentPassages: 2 });
  await writer.add(made(9, 9));
  expect(await writer.commit(), what).toBe(report.version + 1);
  await writer.close();
  expect((await checkIndex(storage)).problems.map(String), what).toEqual([]);
  expect(await contentOf(storage), what).toContain('"doc-9"');
}
