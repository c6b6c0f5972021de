/**
 * `restore` of a snapshot that somebody forged, with valid checksums where there are any: it is
 * refused with an error that names the file, and the target keeps what it had.
 */

import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { restoreIndex } from "../../adapters/node/maintain-index.js";
import { VerbatimError } from "../../src/errors.js";
import { restoreIndex as restoreStorage } from "../../src/index/maintain/snapshot.js";
import { type Manifest, manifestName, readManifest } from "../../src/index/manifest/manifest.js";
import { MemoryStorage } from "../support/memory-storage.js";
import { seededRandom } from "../support/random.js";
import { type Content, contentOf, recordWorkload, WHOLE } from "./harness.js";
import { type Json, malformed, sealManifest } from "./malformed-index.js";

const INPUTS = WHOLE ? 10_000 : 300;

let sound: ReadonlyMap<string, Uint8Array>;
let manifest: Manifest;
let old: ReadonlyMap<string, Uint8Array>;
let oldContent: Content;
const folders: string[] = [];

beforeAll(async () => {
  const workload = await recordWorkload();
  sound = workload.before;
  ({ manifest } = await readManifest(MemoryStorage.of(sound), workload.firstVersion));
  old = (await recordWorkload("moveAndCompact")).before;
  oldContent = await contentOf(MemoryStorage.of(old));
});
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

/** The snapshot with another manifest, whose checksum is valid. */
function withManifest(change: (json: Record<string, Json>) => void): Map<string, Uint8Array> {
  const json = { format: "verbatim-index", termUnit: "passage", ...JSON.parse(JSON.stringify(manifest)) };
  for (const segment of json.segments) segment.units = segment.passages;
  change(json);
  return new Map([...sound, [manifestName(manifest.version), sealManifest(json)]]);
}

function withFile(name: string, change: (bytes: Uint8Array) => Uint8Array): Map<string, Uint8Array> {
  return new Map([...sound, [name, change(sound.get(name)!.slice())]]);
}

/** The first segment, and its first file, as JSON. */
const segmentOf = (json: Record<string, Json>) => (json.segments as Array<Record<string, Json>>)[0]!;
const fileOf = (json: Record<string, Json>) => (segmentOf(json).files as Array<Record<string, Json>>)[0]!;

const TEXT = "s000001.text";
const DOCUMENTS = "s000001.documents";

const forgeries: Array<[what: string, named: string, forge: () => Map<string, Uint8Array>]> = [
  ["a file of another program", ".text", () => withFile(TEXT, (bytes) => bytes.fill(0x50, 0, 8))],
  ["a file that is cut off", ".text", () => withFile(TEXT, (bytes) => bytes.subarray(0, bytes.length - 1))],
  ["an empty file", ".text", () => withFile(TEXT, () => new Uint8Array(0))],
  ["a file with something appended", ".text", () => withFile(TEXT, (bytes) => Uint8Array.from([...bytes, 0]))],
  ["a changed byte", ".text", () => withFile(TEXT, (bytes) => bytes.map((byte, at) => (at === 70 ? byte ^ 1 : byte)))],
  ["a file in the place of another", ".text", () => withFile(TEXT, () => sound.get(DOCUMENTS)!)],
  ["a missing file", TEXT, () => new Map([...sound].filter(([name]) => name !== TEXT))],
  ["another file's hash", ".documents", () => withManifest((json) => (fileOf(json).id = "0".repeat(32)))],
  ["another size", "manifest-", () => withManifest((json) => (fileOf(json).bytes = 2 ** 48))],
  ["a manifest of another program", "manifest-", () => withManifest((json) => (json.format = "zip"))],
  ["a manifest of a later version", "manifest-", () => withManifest((json) => (json.minimumReaderVersion = 99))],
  ["another file's version", "manifest-", () => withManifest((json) => (json.version = 99))],
  ["one file less", "manifest-", () => withManifest((json) => (segmentOf(json).files as Json[]).shift())],
  [
    "a manifest that is cut off",
    "manifest-",
    () => withFile(manifestName(manifest.version), (bytes) => bytes.subarray(0, bytes.length - 2)),
  ],
  ...["../outside.text", "/etc/passwd", "..\\outside.text", "s000001.text/../../x", "s000001.text\0.x", "lock"].map(
    (name): (typeof forgeries)[number] => [
      `the file name ${JSON.stringify(name)}`,
      "manifest-",
      () => withManifest((json) => (fileOf(json).name = name)),
    ],
  ),
  ...["../s000001", "..", "/tmp/s000001", ""].map((name): (typeof forgeries)[number] => [
    `the segment name ${JSON.stringify(name)}`,
    "manifest-",
    () => withManifest((json) => (segmentOf(json).name = name)),
  ]),
];

describe("restore", () => {
  it.each(forgeries)("refuses %s, and changes nothing", async (_what, named, forge) => {
    const folder = await mkdtemp(join(tmpdir(), "verbatim-forged-"));
    folders.push(folder);
    const [snapshot, index] = [join(folder, "snapshot"), join(folder, "index")];
    for (const [path, files] of [[snapshot, forge()] as const, [index, old] as const]) {
      await mkdir(path);
      for (const [name, bytes] of files) await writeFile(join(path, name), bytes);
    }
    for (const [target, replace] of [[join(folder, "new"), false] as const, [index, true] as const]) {
      const refused = await restoreIndex(snapshot, target, { replace }).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(VerbatimError);
      const { code, message } = refused as VerbatimError;
      expect(code).toMatch(/^(corrupt-segment|corrupt-manifest|unsupported-format|io-error)$/);
      expect(message).toContain(named);
    }
    expect((await readdir(folder)).sort()).toEqual(["index", "new", "snapshot"]);
    expect(await readdir(join(folder, "new"))).toEqual([]);
    const left = new Map<string, Uint8Array>();
    for (const name of await readdir(index)) left.set(name, await readFile(join(index, name)));
    expect(await contentOf(MemoryStorage.of(left))).toBe(oldContent);
    expect([...left.keys()].sort()).toEqual([...old.keys()].sort());
  });

  it("never publishes what cannot be opened, whatever is malformed", async () => {
    let refused = 0;
    for (let seed = 1; seed <= INPUTS; seed++) {
      const source = await malformed(sound, manifest, seededRandom(seed));
      const target = MemoryStorage.of(old);
      const error = await restoreStorage(source, target, { replace: true }).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      if (error === undefined) continue;
      refused++;
      expect(error, `seed ${seed}`).toBeInstanceOf(VerbatimError);
      expect(await contentOf(target), `seed ${seed}`).toBe(oldContent);
    }
    expect(refused).toBeGreaterThan(INPUTS / 4);
  });

  it("copies the content of symbolic links in a snapshot only if it is the index's", async () => {
    const folder = await mkdtemp(join(tmpdir(), "verbatim-forged-"));
    folders.push(folder);
    const snapshot = join(folder, "snapshot");
    await mkdir(join(snapshot, "originals"), { recursive: true });
    for (const [name, bytes] of sound) if (name !== TEXT) await writeFile(join(snapshot, name), bytes);
    await writeFile(join(folder, "secret"), "the secret of another folder");
    await writeFile(join(folder, TEXT), sound.get(TEXT)!);
    await symlink(join(folder, TEXT), join(snapshot, TEXT));
    const original = `${"a".repeat(32)}-${"b".repeat(32)}.pdf`;
    await symlink(join(folder, "secret"), join(snapshot, "originals", original));
    const index = join(folder, "index");
    await restoreIndex(snapshot, index);
    await writeFile(join(folder, TEXT), "changed afterwards");
    expect(await readFile(join(index, TEXT))).toEqual(Buffer.from(sound.get(TEXT)!));
    expect(await readdir(index)).not.toContain("originals");
  });
});
