/** Writes the component `tombstones-<n>` (docs/index-format.md §9). */

import { ContainerWriter, type FileEntry } from "../format/container-writer.js";
import type { Storage } from "../ports.js";
import type { Tombstones } from "../segment/tombstones.js";

const BLOCK = 65_536;

export async function writeTombstones(
  storage: Storage,
  tombstones: Tombstones,
  options: { name: string; passageModelHash: string },
): Promise<FileEntry> {
  const container = await ContainerWriter.create(storage, options.name, { ...options, component: "tombstones" });
  try {
    await container.section("documents", BLOCK, tombstones.bytes());
    return await container.finish();
  } catch (error) {
    await container.abandon().catch(() => {});
    throw error;
  }
}
