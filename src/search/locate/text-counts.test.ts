import { expect, it } from "vitest";
import type { Searcher } from "../searcher.js";
import { CHECKPOINT_UNITS, countsBefore, type TextCheckpoint } from "./text-counts.js";

/** A searcher over one document. */
function searcherOf(text: string): Searcher {
  const segment = { name: "s000001", readText: async (_: number, from: number, to: number) => text.slice(from, to) };
  const checkpoints = new Map<string, TextCheckpoint[]>();
  return { checkpoints, segment: () => segment } as unknown as Searcher;
}

it("counts before an offset behind several checkpoints", async () => {
  const text = "é\n".repeat(CHECKPOINT_UNITS);
  const place = { segment: 0, document: 0, length: text.length };
  const offset = text.length - 1;
  expect(await countsBefore(searcherOf(text), offset, { place })).toMatchObject({
    bytes: Buffer.byteLength(text.slice(0, offset)),
    newlines: CHECKPOINT_UNITS - 1,
  });
});

it("reports a place behind the end of its document instead of looking for it endlessly", async () => {
  const place = { segment: 0, document: 0, length: 10 };
  await expect(countsBefore(searcherOf("ten units."), CHECKPOINT_UNITS + 1, { place })).rejects.toMatchObject({
    code: "corrupt-segment",
    message: expect.stringContaining("s000001: a passage ends after its document"),
  });
});
