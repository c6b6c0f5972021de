import { describe, expect, it } from "vitest";
import { MemoryStorage } from "../../../test/support/memory-storage.js";
import { openContainer } from "../format/container.js";
import { ContainerWriter } from "../format/container-writer.js";
import { VectorsReader, VectorsWriter } from "./vectors.js";

const passageModelHash = "5eed".repeat(16);
const rows = Int8Array.from({ length: 300 * 16 }, (_, n) => ((n * 37) % 255) - 127);

async function reopened(passages: number, vector = 16): Promise<VectorsReader> {
  const storage = new MemoryStorage();
  const writer = new VectorsWriter(
    await ContainerWriter.create(storage, "s000001.vectors", { component: "vectors", passageModelHash }),
  );
  for (let p = 0; p < 300; p++) await writer.add(rows.subarray(p * vector, (p + 1) * vector));
  const container = await openContainer(storage, await writer.finish(), { component: "vectors", passageModelHash });
  return new VectorsReader(container, { passages, vector });
}

describe("the vectors of a segment", () => {
  it("are read as they were written, all or a range", async () => {
    const reader = await reopened(300);
    const all = new Int8Array(rows.length);
    await reader.read((first, values) => all.set(values, first * 16));
    expect(all).toEqual(rows);
    expect(Array.from(await reader.range(7, 9))).toEqual(Array.from(rows.subarray(7 * 16, 9 * 16)));
  });

  it("take no bytes for a model that has none", async () => {
    const reader = await reopened(300, 0);
    expect(reader.rows.length).toBe(0);
    await reader.read(() => expect.unreachable());
    expect(await reader.range(7, 9)).toHaveLength(0);
  });

  it("are damaged if there is not one per passage", async () => {
    for (const passages of [299, 301])
      await expect(reopened(passages)).rejects.toMatchObject({ code: "corrupt-segment" });
  });
});
