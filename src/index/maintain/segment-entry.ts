/** Rebuilds a segment's manifest entry from its files, for repair. */

import { copyU16, copyU32 } from "../format/columns.js";
import type { Component } from "../format/components.js";
import { COMPONENTS } from "../format/components.js";
import { type Container, openContainer } from "../format/container.js";
import { decodeFooter, FOOTER_BYTES } from "../format/container-layout.js";
import type { FileEntry } from "../format/container-writer.js";
import { corrupt } from "../format/corrupt.js";
import { readExactly } from "../format/section.js";
import type { ManifestModel, ManifestSegment } from "../manifest/manifest.js";
import type { Storage } from "../ports.js";
import { ID_BYTES } from "../segment/document-keys.js";
import { readLevel } from "../segment/passages.js";
import { readTombstones } from "../segment/tombstones.js";
import { mapInOrder } from "./map-in-order.js";

/**
 * @param tombstones  name of the file with the segment's deletions
 * @throws VerbatimError `corrupt-segment` if a file is missing, or damaged in a part that is needed
 */
export async function describeSegment(
  storage: Storage,
  name: string,
  options: { model: ManifestModel; tombstones: string | undefined; signal?: AbortSignal },
): Promise<ManifestSegment> {
  const { model, tombstones, signal } = options;
  const names = new Set(await storage.list());
  const opened: Container[] = [];
  const describe = (component: Component): Promise<FileEntry> => {
    const file = `${name}.${component}`;
    if (!names.has(file)) throw corrupt(file, "the file is missing");
    return describeFile(storage, file, signal);
  };
  try {
    const open = async (component: Component): Promise<Container> => {
      const { passageModelHash } = model;
      const file = await describe(component);
      const container = await openContainer(storage, file, { component, passageModelHash, signal });
      opened.push(container);
      return container;
    };
    const documents = (await open("documents")).section("ids").length / ID_BYTES;
    const columns = await open("passages");
    const level = await readLevel(columns, signal);
    const files = await mapInOrder(COMPONENTS[level], describe);
    const document = copyU32(await columns.section("document").readAll(signal));
    const last = async (section: string): Promise<number> =>
      level !== "full" ? 0 : (copyU32(await columns.section(section).readAll(signal)).at(-1) ?? 0);
    const tokens = copyU16(await columns.section("tokens").readAll(signal)).reduce((sum, count) => sum + count, 0);
    const entry: ManifestSegment = {
      name,
      documents,
      passages: document.length,
      startRows: await last("start-rows"),
      endRows: await last("end-rows"),
      tokens,
      deletedDocuments: 0,
      deletedPassages: 0,
      ...(level === "full" ? {} : { level }),
      files,
    };
    if (!Number.isInteger(documents)) throw corrupt(`${name}.documents`, "its table of ids is cut");
    if (tombstones === undefined) return entry;
    const file = await describeFile(storage, tombstones, signal);
    const { passageModelHash } = model;
    const deleted = await readTombstones(storage, file, { documentCount: documents, passageModelHash, signal });
    entry.deletedDocuments = deleted.count;
    for (const d of document) if (deleted.has(d)) entry.deletedPassages++;
    return { ...entry, files: [...files, file] };
  } finally {
    await Promise.allSettled(opened.map((container) => container.close()));
  }
}

/** Size and content id from the file's own footer. */
async function describeFile(storage: Storage, name: string, signal?: AbortSignal): Promise<FileEntry> {
  const source = await storage.open(name);
  try {
    const bytes = await source.size();
    if (bytes < 2 * FOOTER_BYTES) throw corrupt(name, `a file of ${bytes} bytes is too short`);
    const footer = await readExactly(source, name, { offset: bytes - FOOTER_BYTES, length: FOOTER_BYTES }, signal);
    return { name, bytes, id: decodeFooter(footer, name).id };
  } finally {
    await source.close();
  }
}
