/**
 * `check` on files that are intact one by one but contradict each other. Damaged bytes are in
 * test/faults.
 */

import { describe, expect, it } from "vitest";
import { madeUpModel, makePrepared } from "../../../test/support/made-up.js";
import { MemoryStorage } from "../../../test/support/memory-storage.js";
import { seededRandom } from "../../../test/support/random.js";
import type { Component } from "../format/components.js";
import { openContainer } from "../format/container.js";
import { ContainerWriter, type FileEntry } from "../format/container-writer.js";
import { encodeManifest, type Manifest, manifestName, readManifest, totalsOf } from "../manifest/manifest.js";
import { openSnapshot } from "../open-snapshot.js";
import type { OpenSegment } from "../segment/segment-reader.js";
import { openIndexWriter } from "../write/writer.js";
import { checkIndex } from "./check.js";
import { doCheckJob } from "./check-job.js";

const { passageModelHash } = madeUpModel;

async function made(segmentPassages?: number): Promise<MemoryStorage> {
  const storage = new MemoryStorage();
  const writer = await openIndexWriter(storage, { model: madeUpModel, segmentPassages, autoCommit: false });
  for (const document of makePrepared({ seed: 11, documents: 4, passages: [2, 3] })) await writer.add(document);
  await writer.commit();
  await writer.close();
  expect((await checkIndex(storage)).ok).toBe(true);
  return storage;
}

it("checks the next version if a commit removes files of the one that is being checked", async () => {
  const storage = new MemoryStorage();
  const documents = makePrepared({ seed: 12, documents: 6, passages: [2, 3] });
  const add = async (some: typeof documents): Promise<void> => {
    const writer = await openIndexWriter(storage, { model: madeUpModel, autoCommit: false });
    for (const document of some) {
      await writer.add(document);
      await writer.commit();
    }
    if (some.length === 1) await writer.compact();
    await writer.close();
  };
  await add(documents.slice(0, 5));
  const opened = storage.open.bind(storage);
  storage.open = async (name) => {
    if (name.startsWith("s000002")) {
      storage.open = opened;
      await add(documents.slice(5));
    }
    return opened(name);
  };
  const { ok, problems, version, documents: found } = await checkIndex(storage);
  expect({ ok, problems, found }).toEqual({ ok: true, problems: [], found: 6 });
  expect(version).toBeGreaterThan(5);
});

/** The index with another manifest. */
async function withManifest(
  storage: MemoryStorage,
  change: (manifest: Manifest) => Manifest,
  files: ReadonlyMap<string, Uint8Array> = storage.files(),
): Promise<MemoryStorage> {
  const { manifest } = await readManifest(storage, 1);
  return MemoryStorage.of(new Map([...files, [manifestName(1), encodeManifest(change(manifest))]]));
}

/** The index with one section changed and all checksums valid. */
async function withSection(
  storage: MemoryStorage,
  [component, section]: readonly [Component, string],
  change: (bytes: Uint8Array) => unknown,
): Promise<MemoryStorage> {
  const { manifest } = await readManifest(storage, 1);
  const name = `s000001.${component}`;
  const file = manifest.segments[0]!.files.find((entry) => entry.name === name)!;
  const container = await openContainer(storage, file, { component, passageModelHash });
  const aside = new MemoryStorage();
  const writer = await ContainerWriter.create(aside, name, { component, passageModelHash });
  for (const { entry } of container.sections) {
    const bytes = (await container.section(entry.name).readAll()).slice();
    if (entry.name === section) change(bytes);
    await writer.section(entry.name, entry.blockSize, bytes);
  }
  const changed: FileEntry = await writer.finish();
  const files = new Map([...storage.files(), [name, aside.files().get(name)!]]);
  const segments = manifest.segments.map((segment) => ({
    ...segment,
    files: segment.files.map((entry) => (entry.name === name ? changed : entry)),
  }));
  return withManifest(storage, () => ({ ...manifest, segments }), files);
}

const problems = async (storage: MemoryStorage) => (await checkIndex(storage)).problems.map(String);

describe("files that do not agree", () => {
  it("are named, with what is wrong", async () => {
    const storage = await made();
    const cases: Array<
      [place: readonly [Component, string], change: (bytes: Uint8Array) => unknown, reported: RegExp]
    > = [
      [["tfidf", "passages.norms"], (b) => b.fill(0, 0, 4), /^s000001\.tfidf: the norm of passage 0 is 0/],
      [["tfidf", "documents.norms"], (b) => b.fill(0, 4, 8), /^s000001\.tfidf: the norm of document 1 is 0/],
      [
        ["documents", "ids"],
        (b) => b.fill(b[20]! ^ 1, 20, 21),
        /^s000001\.documents: document \d does not match the table of ids/,
      ],
      [
        ["documents", "ids"],
        (b) => b.copyWithin(40, 0, 40),
        /^s000001\.documents: document \d is in the table of ids twice/,
      ],
      [
        ["text", "bytes"],
        (b) => b.fill(b[0] === 65 ? 66 : 65, 0, 1),
        /^s000001.*(document 0 has another content hash|piece 0)/,
      ],
      [["passages", "end"], (b) => b.fill(255, b.length - 4, b.length - 1), /^s000001: .*passage \d+: its span is/],
      [["ngrams", "records"], (b) => b.fill(255, 1, 3), /^s000001.*passage 0: an id is not below 512/],
    ];
    for (const [place, change, reported] of cases) {
      const found = await problems(await withSection(storage, place, change));
      expect(
        found.some((line) => reported.test(line)),
        `${place}: ${found}`,
      ).toBe(true);
    }
  });

  it("are records that cannot be read, and only those: looking at the outline finds as much as reading all", async () => {
    const random = seededRandom(5);
    const storage = await made();
    const counts = { read: 0, refused: 0 };
    for (let n = 0; n < 300; n++) {
      const changed = await withSection(storage, ["phrases", "records"], (bytes) => {
        bytes[random.whole(0, bytes.length - 1)] = random.pick([0, 0x11, 0x99, 0xff, random.whole(0, 255)]);
      });
      const snapshot = await openSnapshot(changed);
      const [segment] = snapshot.segments;
      const numbers = Array.from({ length: segment!.passageCount }, (_, p) => p);
      for (const p of numbers) {
        const what = `${n}: passage ${p}`;
        const [read] = await Promise.allSettled([segment!.phrases.read([p])]);
        const [outline] = await Promise.allSettled([outlineOf(segment!, p)]);
        expect(outline.status, what).toBe(read.status);
        counts[read.status === "fulfilled" ? "read" : "refused"]++;
        if (read.status === "fulfilled" && outline.status === "fulfilled")
          expect(read.value[0], what).toMatchObject(outline.value);
      }
      await snapshot.close();
    }
    expect(Math.min(counts.read, counts.refused)).toBeGreaterThan(5); // otherwise nothing was tested
  });

  it("are found in whatever ranges a segment is checked", async () => {
    const sound = await made();
    const cases: Array<readonly [Component, string, (bytes: Uint8Array) => unknown]> = [
      ["text", "bytes", (bytes) => bytes.fill(65, bytes.length - 9)],
      ["text", "pieces", (bytes) => bytes.copyWithin(16, 32, 40)],
      ["documents", "ids", (bytes) => bytes.copyWithin(80, 0, 16)],
      ["documents", "ids", (bytes) => bytes.fill(9, bytes.length - 4)],
      ["passages", "end", (bytes) => bytes.fill(255, bytes.length - 4, bytes.length - 1)],
      ["documents", "records", () => {}],
    ];
    for (const [component, section, change] of cases) {
      const storage = await withSection(sound, [component, section], change);
      const { manifest } = await readManifest(storage, 1);
      const [segment] = manifest.segments;
      const find = async (edges: readonly number[]) => {
        const all = { problems: new Set<string>(), ids: new Map<string, number>() };
        for (const [i, first] of edges.slice(0, -1).entries()) {
          const part = { kind: "documents", first, end: edges[i + 1]! } as const;
          const hooks = { signal: undefined, onBytes: () => {} };
          const { problems, ids } = await doCheckJob(storage, { part, segment: segment!, manifest }, hooks);
          for (const problem of problems) all.problems.add(String(problem));
          for (const [id, document] of ids) all.ids.set(id, document);
        }
        return all;
      };
      const whole = await find([0, 4]);
      expect(whole.problems.size > 0, `${component} ${section}`).toBe(section !== "records");
      for (const edges of [
        [0, 1, 2, 3, 4],
        [0, 3, 4],
      ]) {
        const { problems, ids } = await find(edges);
        expect([problems.size > 0, ids], `${component} ${section} ${edges}`).toEqual([
          section !== "records",
          whole.ids,
        ]);
        for (const problem of whole.problems) expect([...problems], `${component} ${edges}`).toContain(problem);
      }
    }
  });

  it("are a document in two segments", async () => {
    const storage = await made(1);
    const twice = await withManifest(
      storage,
      (manifest) => {
        const segments = [...manifest.segments, renamed(manifest.segments[0]!, "s000009")];
        return { ...manifest, nextSegment: 10, segments, totals: totalsOf(segments) };
      },
      new Map([
        ...storage.files(),
        ...[...storage.files()].map(([name, bytes]) => [name.replace("s000001", "s000009"), bytes] as const),
      ]),
    );
    expect(await problems(twice)).toEqual(["s000009.documents: document 0 is also in an earlier segment"]);
  });

  it("are totals that are not the sums", async () => {
    const storage = await made();
    const other = await withManifest(storage, (manifest) => ({
      ...manifest,
      totals: { ...manifest.totals, documents: 3 },
    }));
    expect(await problems(other)).toEqual(["manifest-1.json: its totals are not the sums of its segments"]);
  });
});

/** The fields of a passage that are validated, in arrays of their own length. */
async function outlineOf(segment: OpenSegment, passage: number): Promise<object> {
  const { startPositions, endPositions } = (await segment.phrases.outline([passage]))[0]!;
  return { startPositions, endPositions };
}

function renamed(segment: Manifest["segments"][number], name: string): Manifest["segments"][number] {
  const files = segment.files.map((file) => ({ ...file, name: file.name.replace(segment.name, name) }));
  return { ...segment, name, files };
}
