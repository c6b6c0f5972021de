/** Generates malformed indexes: manifests and segments with invalid content and valid checksums. */

import type { Component } from "../../src/index/format/components.js";
import { openContainer } from "../../src/index/format/container.js";
import { contentId, encodeFooter, FOOTER_BYTES, HEADER_BYTES } from "../../src/index/format/container-layout.js";
import { ContainerWriter, type FileEntry } from "../../src/index/format/container-writer.js";
import { crc32c } from "../../src/index/format/crc32c.js";
import { encodeManifest, type Manifest, manifestName } from "../../src/index/manifest/manifest.js";
import { madeUpModel } from "../support/made-up.js";
import { MemoryStorage } from "../support/memory-storage.js";
import type { Random } from "../support/random.js";

/** Numbers at the edges of widths and signs. */
const EDGES = [
  0,
  1,
  2,
  127,
  128,
  255,
  256,
  65_535,
  65_536,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32 - 1,
  2 ** 32,
  2 ** 48,
  2 ** 53 - 1,
];

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Changes one place of a JSON value: another number, another type, one item less, one twice. */
function mutateJson(value: Json, random: Random): Json {
  if (value !== null && typeof value === "object" && random.next() < 0.85) {
    const keys = Object.keys(value);
    if (keys.length > 0) {
      const key = random.pick(keys);
      const copy: Json = Array.isArray(value) ? [...value] : { ...value };
      const fields = copy as { [name: string]: Json };
      if (random.next() < 0.1) delete fields[key];
      else if (Array.isArray(copy) && random.next() < 0.2) copy.push(fields[key]!);
      else fields[key] = mutateJson(fields[key]!, random);
      return copy;
    }
  }
  if (typeof value === "number" && random.next() < 0.8)
    return random.next() < 0.5 ? value + random.whole(-2, 2) : random.pick(EDGES);
  if (typeof value === "string" && random.next() < 0.8)
    return random.pick([
      `${value}x`,
      value.slice(1),
      value.replace(/\d/, (digit) => String((Number(digit) + 1) % 10)),
      "",
    ]);
  return random.pick<Json>([null, true, -1, 0.5, 1e300, "", "s000001", [], {}, random.pick(EDGES)]);
}

/**
 * Changes bytes so that the structure sometimes survives: edge values, ranges repeated, cut,
 * swapped.
 */
function mutateBytes(bytes: Uint8Array, random: Random): Uint8Array {
  const copy = bytes.slice();
  const at = random.whole(0, Math.max(0, copy.length - 1));
  const kind = random.whole(0, 6);
  if (copy.length === 0 || kind === 0)
    return Uint8Array.from({ length: random.whole(0, 80) }, () => random.whole(0, 255));
  if (kind === 1) return copy.slice(0, at);
  if (kind === 2) return Uint8Array.from([...copy.slice(0, at), ...copy.slice(Math.max(0, at - random.whole(1, 40)))]);
  const view = new DataView(copy.buffer);
  const aligned = at & ~3;
  if (kind === 3 && aligned + 4 <= copy.length) view.setUint32(aligned, random.pick(EDGES) >>> 0, true);
  else if (kind === 4 && aligned + 8 <= copy.length) view.setBigUint64(aligned & ~7, BigInt(random.pick(EDGES)), true);
  else if (kind === 5) copy.fill(random.pick([0, 127, 128, 255]), at, at + random.whole(1, 12));
  else copy[at] = random.whole(0, 255);
  return copy;
}

/** The file with a section changed, removed, renamed or duplicated; checksums and id are valid. */
async function rewriteSections(
  storage: MemoryStorage,
  file: FileEntry,
  random: Random,
): Promise<[FileEntry, Uint8Array]> {
  const component = componentOf(file.name);
  const options = { component, passageModelHash: madeUpModel.passageModelHash };
  const container = await openContainer(storage, file, options);
  const chosen = random.whole(0, container.sections.length - 1);
  const kind = random.next();
  const aside = new MemoryStorage();
  const writer = await ContainerWriter.create(aside, file.name, options);
  for (const [i, section] of container.sections.entries()) {
    const bytes = await section.readAll();
    const { name, blockSize } = section.entry;
    if (i !== chosen) await writer.section(name, blockSize, bytes);
    else if (kind < 0.9) await writer.section(name, blockSize, mutateBytes(bytes, random));
    else if (kind < 0.93) continue;
    else if (kind < 0.96) await writer.section(`${name}2`.slice(0, 32), blockSize, bytes);
    else for (let n = 0; n < 2; n++) await writer.section(name, random.pick([512, 4096, 65_536]), bytes);
  }
  const entry = await writer.finish();
  return [entry, aside.files().get(file.name)!];
}

/** The file with other numbers in its directory; all checksums are valid. */
function rewriteDirectory(bytes: Uint8Array, name: string, random: Random): [FileEntry, Uint8Array] {
  const footer = new DataView(bytes.buffer, bytes.byteOffset + bytes.length - FOOTER_BYTES, FOOTER_BYTES);
  const offset = Number(footer.getBigUint64(0, true));
  const header = bytes.subarray(0, HEADER_BYTES);
  const directory = mutateBytes(bytes.slice(offset, bytes.length - FOOTER_BYTES), random);
  const id = contentId(header, directory);
  const fileSize = offset + directory.length + FOOTER_BYTES;
  const directoryOffset = random.next() < 0.1 ? random.pick(EDGES) : offset;
  const directoryLength = directory.length;
  const end = encodeFooter({ directoryOffset, directoryLength, directoryCrc: crc32c(directory), fileSize, id });
  const out = new Uint8Array(fileSize);
  out.set(bytes.subarray(0, offset));
  out.set(directory, offset);
  out.set(end, offset + directory.length);
  return [{ name, bytes: fileSize, id }, out];
}

const componentOf = (name: string) => name.slice(8).replace(/-\d+$/, "") as Component;

/** Encodes any JSON with a valid checksum, including what the real encoder never writes. */
export function sealManifest(json: Json): Uint8Array {
  const text = JSON.stringify(json);
  const body = new TextEncoder().encode(text.endsWith("}") ? text.slice(0, -1) : text);
  return new TextEncoder().encode(
    `${new TextDecoder().decode(body)},\n "crc32c": "${crc32c(body).toString(16).padStart(8, "0")}"\n}\n`,
  );
}

/** The index with one thing changed; the seed decides what. */
export async function malformed(
  files: ReadonlyMap<string, Uint8Array>,
  manifest: Manifest,
  random: Random,
): Promise<MemoryStorage> {
  const name = manifestName(manifest.version);
  if (random.next() < 0.35) {
    let json = { format: "verbatim-index", ...JSON.parse(JSON.stringify(manifest)) } as Json;
    for (let changes = random.whole(1, 3); changes > 0; changes--) json = mutateJson(json, random);
    return MemoryStorage.of(new Map([...files, [name, sealManifest(json)]]));
  }
  const segment = random.pick(manifest.segments);
  const file = random.pick(segment.files);
  const [entry, bytes] =
    random.next() < 0.7
      ? await rewriteSections(MemoryStorage.of(files), file, random)
      : rewriteDirectory(files.get(file.name)!, file.name, random);
  const segments = manifest.segments.map((other) => ({
    ...other,
    files: other.files.map((known) => (known.name === file.name ? entry : known)),
  }));
  return MemoryStorage.of(new Map([...files, [file.name, bytes], [name, encodeManifest({ ...manifest, segments })]]));
}
