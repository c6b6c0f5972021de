/**
 * Adds, updates, deletes, moves, merges, snapshots, refreshes and questions together, compared with
 * an oracle, while open files, memory and disk are watched. Twenty seconds in every run;
 * VERBATIM_SOAK_SECONDS=1800 for half an hour.
 */

import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { FileStorage } from "../../adapters/node/storage/file-storage.js";
import { openIndex } from "../../src/api/open-index.js";
import { openWriter } from "../../src/api/writer.js";
import { checkIndex } from "../../src/index/maintain/check.js";
import { snapshotIndex } from "../../src/index/maintain/snapshot.js";
import type { Storage } from "../../src/index/ports.js";
import type { Document } from "../../src/types.js";
import { MADE_UP_WORDS } from "../support/made-up.js";
import { MemoryStorage } from "../support/memory-storage.js";
import { seededRandom } from "../support/random.js";
import { WHOLE } from "./harness.js";
import { documentOf, encoder } from "./processes/documents.js";

const SECONDS = Number(process.env.VERBATIM_SOAK_SECONDS ?? (WHOLE ? 1800 : 20));
const SEED = Number(process.env.VERBATIM_SEED ?? 1);
const DOCUMENTS = 200;
/**
 * Open files beyond those at the start: readers hold eight per segment, and a reader may have two
 * versions open.
 */
const MAX_HANDLES = 400;
/**
 * Files of two versions and of pending merges, as a multiple of a compact index, plus manifests.
 */
const MAX_DISK = { times: 12, bytes: 2_000_000 };
/** Resident memory, including the test runner. */
const MAX_MEMORY = 700_000_000;

async function openFiles(): Promise<number | undefined> {
  return readdir("/proc/self/fd").then(
    (names) => names.length,
    () => undefined, // no Linux
  );
}

async function diskOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(folder)) {
    // a merge in the background may take a file away between the two calls
    const found = await stat(join(folder, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    });
    bytes += found?.size ?? 0;
  }
  return bytes;
}

async function answers(storage: Storage, question: string): Promise<unknown> {
  const index = await openIndex({ storage, encoder });
  try {
    const { answers: found } = await index.ask(question, { strategy: "exhaustive", topK: 10 });
    return found.map(({ documentId, source, start, end, text, score }) => ({
      documentId,
      source,
      start,
      end,
      text,
      score,
    }));
  } finally {
    await index.close();
  }
}

it(
  "runs for long without a wrong answer, a lost document or a leak",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "verbatim-soak-"));
    const what = `seed ${SEED} (VERBATIM_SEED=${SEED} VERBATIM_SOAK_SECONDS=${SECONDS})`;
    const random = seededRandom(SEED);
    const storage = new FileStorage(join(folder, "index"));
    const truth = new Map<string, Document>();
    const writer = await openWriter({ storage, encoder, durability: "relaxed" });
    await writer.commit();
    const index = await openIndex({ storage, encoder });
    const counts = { adds: 0, deletes: 0, moves: 0, commits: 0, merges: 0, snapshots: 0, questions: 0, compared: 0 };
    const most = { handles: 0, disk: 0, memory: 0 };
    const handles = await openFiles();
    const question = () => Array.from({ length: 4 }, () => random.pick(MADE_UP_WORDS)).join(" ");
    const compare = async (): Promise<void> => {
      await writer.commit();
      const documents: Document[] = [];
      for await (const { id } of writer.documents()) documents.push(truth.get(id)!);
      expect(documents.length, what).toBe(truth.size);
      const fresh = new MemoryStorage();
      const oracle = await openWriter({ storage: fresh, encoder });
      await oracle.add(documents);
      await oracle.commit();
      await oracle.close();
      for (let n = 0; n < 3; n++) {
        const asked = question();
        expect(await answers(storage, asked), `${what}: ${asked}`).toEqual(await answers(fresh, asked));
        counts.compared++;
      }
    };
    const until = performance.now() + SECONDS * 1000;
    for (let step = 0; performance.now() < until; step++) {
      const kind = random.next();
      const number = random.whole(0, DOCUMENTS - 1);
      const id = `doc-${number}`;
      if (kind < 0.45) {
        const document = documentOf(number, random.whole(0, 9_999));
        await writer.add([document]);
        truth.set(id, document);
        counts.adds++;
      } else if (kind < 0.55) {
        expect(await writer.delete([id]), what).toBe(truth.delete(id) ? 1 : 0);
        counts.deletes++;
      } else if (kind < 0.6) {
        const to = { id: `doc-${random.whole(0, DOCUMENTS - 1)}`, source: "moved.txt" };
        const document = truth.get(id);
        expect(await writer.move([{ from: id, to }]), what).toBe(document ? 1 : 0);
        truth.delete(id);
        if (document) truth.set(to.id, { ...document, ...to });
        counts.moves++;
      } else if (kind < 0.75) {
        const version = await writer.commit();
        expect(await index.refresh({ atLeastVersion: version }), what).toBeGreaterThanOrEqual(version);
        counts.commits++;
      } else if (kind < 0.99) {
        const { answers: found } = await index.ask(question(), { topK: 3 });
        for (const { start, end, text } of found) expect(end - start, what).toBe(text.length);
        counts.questions++;
      } else if (random.next() < 0.5) {
        counts.merges += (await writer.compact({ full: random.next() < 0.3 })).merged;
      } else {
        const target = new FileStorage(join(folder, `snapshot-${step}`));
        await snapshotIndex(storage, target);
        expect((await checkIndex(target)).problems.map(String), what).toEqual([]);
        await rm(target.place, { recursive: true });
        counts.snapshots++;
      }
      if (step % 250 === 249) await compare();
      if (step % 50 === 49) {
        most.handles = Math.max(most.handles, ((await openFiles()) ?? 0) - (handles ?? 0));
        most.disk = Math.max(most.disk, await diskOf(storage.place));
        most.memory = Math.max(most.memory, process.memoryUsage().rss);
      }
    }
    await compare();
    await writer.compact({ full: true });
    await writer.close();
    await index.close();
    const compact = await diskOf(storage.place);
    expect((await checkIndex(storage)).problems.map(String), what).toEqual([]);
    const memory = process.memoryUsage().rss;
    console.info(
      `soak: ${SECONDS} s, ${JSON.stringify(counts)}, at most ${JSON.stringify(most)}, in the end ${compact} bytes, ${memory} resident`,
    );
    expect(most.handles, what).toBeLessThan(MAX_HANDLES);
    expect(most.disk, what).toBeLessThan(MAX_DISK.times * compact + MAX_DISK.bytes);
    expect(most.memory, what).toBeLessThan(MAX_MEMORY);
    const left = await openFiles();
    if (handles !== undefined) expect(left, what).toBeLessThanOrEqual(handles + 8);
    await rm(folder, { recursive: true, force: true });
  },
  SECONDS * 1000 + 600_000,
);
