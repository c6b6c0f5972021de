/**
 * Rebuilds a damaged `tfidf` file from the other files of a segment, without the network.
 */

import type { SegmentComponent } from "../format/components.js";
import { type Container, openContainer } from "../format/container.js";
import type { FileEntry } from "../format/container-writer.js";
import { ContainerWriter } from "../format/container-writer.js";
import { type Manifest, type ManifestSegment, segmentFile, tombstonesFile } from "../manifest/manifest.js";
import type { Storage } from "../ports.js";
import { type PassageColumns, readPassageColumns } from "../segment/passages.js";
import { TextReader } from "../segment/text.js";
import { TfidfWriter } from "../segment/tfidf.js";
import { copyFile } from "./copy-file.js";

export const REBUILDABLE: readonly SegmentComponent[] = ["tfidf"];

interface RebuildOptions {
  manifest: Pick<Manifest, "model">;
  /** Name of the new segment, whose files may be hard links to the old one's. */
  name: string;
  /** Version that the segment's tombstones are written for. */
  version: number;
  damaged: readonly SegmentComponent[];
  signal?: AbortSignal;
}

/**
 * Creates a segment from the intact files of `segment`, with its damaged ones rebuilt.
 * @throws VerbatimError `corrupt-segment` if another file turns out to be damaged, `aborted`, and
 *   what the storage throws; the new files are removed then
 */
export async function rebuildSegment(
  storage: Storage,
  segment: ManifestSegment,
  options: RebuildOptions,
): Promise<ManifestSegment> {
  const made: string[] = [];
  const opened: Container[] = [];
  const { signal, name, damaged } = options;
  const { passageModelHash } = options.manifest.model;
  const open = async (component: SegmentComponent): Promise<Container> => {
    const file = segmentFile(segment, component)!;
    const container = await openContainer(storage, file, { component, passageModelHash, signal });
    opened.push(container);
    return container;
  };
  const tombstones = tombstonesFile(segment);
  try {
    const columns = await readPassageColumns(await open("passages"), segment, signal);
    const files: FileEntry[] = [];
    for (const file of segment.files) {
      const component = file.name.slice(segment.name.length + 1);
      const as = `${name}.${file === tombstones ? `tombstones-${options.version}` : component}`;
      made.push(as);
      if (!damaged.includes(component as SegmentComponent)) {
        await shareFile(storage, file, { as, signal });
        files.push({ ...file, name: as });
        continue;
      }
      const writer = await ContainerWriter.create(storage, as, {
        component: component as SegmentComponent,
        passageModelHash,
      });
      try {
        const text = new TextReader(await open("text"), segment.documents);
        files.push(await writeTfidf(writer, text, { columns, segment, signal }));
      } catch (error) {
        await writer.abandon().catch(() => {});
        throw error;
      }
    }
    return { ...segment, name, files };
  } catch (error) {
    for (const file of made) await storage.remove(file).catch(() => {});
    throw error;
  } finally {
    await Promise.allSettled(opened.map((container) => container.close()));
  }
}

/** The same bytes under another name of the same folder. */
async function shareFile(
  storage: Storage,
  file: FileEntry,
  { as, signal }: { as: string; signal?: AbortSignal },
): Promise<void> {
  if (await storage.link?.(storage, file.name, as)) return;
  const from = await storage.open(file.name);
  try {
    await copyFile(from, storage, { name: file.name, as, size: file.bytes, signal });
  } finally {
    await from.close();
  }
}

/** Counts the n-grams of all texts again. */
async function writeTfidf(
  writer: ContainerWriter,
  text: TextReader,
  options: { columns: PassageColumns; segment: ManifestSegment; signal?: AbortSignal },
): Promise<FileEntry> {
  const { columns, segment, signal } = options;
  const tfidf = new TfidfWriter();
  let passage = 0;
  for (let document = 0; document < segment.documents; document++) {
    const whole = await text.read(document, 0, await text.length(document, signal), signal);
    for (; passage < segment.passages && columns.document[passage] === document; passage++)
      tfidf.addPassage(whole.slice(columns.start[passage]!, columns.end[passage]!));
    tfidf.endDocument();
  }
  return tfidf.finish(writer);
}
