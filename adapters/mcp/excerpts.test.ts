import fc from "fast-check";
import { expect, it } from "vitest";
import { countNewlines } from "../../src/text/newlines.js";
import { placeOf } from "../../src/text/place.js";
import type { SourceMap } from "../../src/types.js";
import type { DocumentStore } from "../server/document-store.js";
import { detach, ExcerptReader } from "./excerpts.js";

/** A store with one document that records how much of its text is read. */
function storeOf(text: string, map: SourceMap): { store: DocumentStore; read: () => number } {
  let units = 0;
  const record = { id: "a", title: "A", source: "a.txt", map, length: text.length };
  const store = {
    record: async (id: string) => (id === "a" ? record : undefined),
    text: async (id: string, from: number, to: number) => {
      units += to - from;
      return id === "a" ? text.slice(from, to) : undefined;
    },
  };
  return { store: store as unknown as DocumentStore, read: () => units };
}

it("an excerpt has the place that the whole text gives", async () => {
  const text = fc
    .array(fc.constantFrom("word ", "\n", "é", "x".repeat(9000)), { maxLength: 60 })
    .map((it) => it.join(""));
  await fc.assert(
    fc.asyncProperty(text, fc.nat(), fc.nat(), fc.nat(), async (whole, a, b, c) => {
      const [first, start] = [a % (whole.length + 1), b % (whole.length + 1)].sort((x, y) => x - y) as [number, number];
      const end = Math.min(whole.length, start + (c % 100));
      const map: SourceMap = {
        kind: "text",
        segments: [
          { start: 0, line: 1, linear: true },
          { start: first, line: 7, page: 2, linear: true },
        ],
      };
      const { store } = storeOf(whole, map);
      const reader = new ExcerptReader(store);
      const place = placeOf(map, start, (from, to) => countNewlines(whole.slice(from, to)));
      const expected = {
        documentId: "a",
        title: "A",
        source: "a.txt",
        start,
        end,
        place,
        text: whole.slice(start, end),
      };
      expect(await reader.read("a", start, end)).toEqual(expected);
      expect(await reader.read("a", start, end)).toEqual(expected);
      expect(await reader.read("b", start, end)).toBeUndefined();
    }),
    { seed: 3, numRuns: 60 },
  );
});

it("many excerpts of one long document read it about once", async () => {
  const whole = "a line of text\n".repeat(200_000);
  const { store, read } = storeOf(whole, { kind: "text", segments: [{ start: 0, line: 1, linear: true }] });
  const reader = new ExcerptReader(store);
  for (let n = 0; n < 50; n++) await reader.read("a", n * 50_000, n * 50_000 + 1000);
  expect(read()).toBeLessThan(whole.length + 50 * (65_536 + 1000));
});

it("a detached text is the same text, lone surrogates included", () => {
  for (const text of ["", "plain", "שלום 😀", "half \ud83d pair"]) expect(detach(text)).toBe(text);
});
