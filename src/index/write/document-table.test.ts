import { describe, expect, it } from "vitest";
import { Random } from "../../vectors/random.js";
import { DocumentTable, type LiveDocument } from "./document-table.js";
import { newSegment } from "./writer-state.js";

const hex = (value: number): string => value.toString(16).padStart(8, "0");
/** Keys with few first words, so that many share a slot. */
const keyOf = (n: number): string => hex((n % 7) * 0x3fffffff) + hex(n) + hex(~n >>> 0) + hex(n * 3);
const contentOf = (n: number): string => hex(n) + hex(0xffffffff - n) + hex(0) + hex(n % 5);

describe("DocumentTable", () => {
  it("holds what a Map holds after any changes, also where keys collide and documents move", () => {
    const random = new Random(5);
    const segments = Array.from({ length: 4 }, (_, n) => newSegment(`s${n}`));
    const table = new DocumentTable();
    const map = new Map<string, LiveDocument>();
    for (let step = 0; step < 20_000; step++) {
      const n = random.int(1500);
      const key = keyOf(n);
      if (random.int(3) === 0) expect(table.delete(key)).toBe(map.delete(key));
      else {
        const document = {
          segment: segments[random.int(4)]!,
          document: n,
          passages: random.int(9),
          contentHash: contentOf(step),
        };
        table.set(key, document);
        map.set(key, document);
      }
      if (step % 5000 === 4999) {
        const target = newSegment(`merged${step}`);
        const moved = Int32Array.from({ length: 1500 }, (_, document) => (document % 3 === 0 ? -1 : document + 1500));
        table.reassign(target, new Map([[segments[1]!, moved]]));
        for (const known of map.values()) {
          if (known.segment !== segments[1] || known.document % 3 === 0) continue;
          known.document += 1500;
          known.segment = target;
        }
      }
    }
    expect(table.size).toBe(map.size);
    expect(map.size).toBeGreaterThan(800);
    for (let n = 0; n < 1500; n++) {
      expect(table.has(keyOf(n))).toBe(map.has(keyOf(n)));
      expect(table.get(keyOf(n))).toEqual(map.get(keyOf(n)));
      expect(table.get(keyOf(n))?.segment).toBe(map.get(keyOf(n))?.segment);
    }
  });

  it("grows with many documents", () => {
    const table = new DocumentTable();
    const segment = newSegment("s1");
    const scattered = (n: number): string => hex(Math.imul(n, 2654435761) >>> 0) + hex(n).repeat(3);
    const documentOf = (n: number): LiveDocument => ({
      segment,
      document: n,
      passages: n % 11,
      contentHash: contentOf(n),
    });
    for (let n = 0; n < 100_000; n++) table.set(scattered(n), documentOf(n));
    expect(table.size).toBe(100_000);
    for (let n = 0; n < 100_000; n += 997) expect(table.get(scattered(n))).toEqual(documentOf(n));
  });

  it("forgets a segment with its last document", () => {
    const table = new DocumentTable();
    for (let n = 0; n < 1000; n++) {
      const segment = newSegment(`s${n}`);
      table.set(keyOf(1), { segment, document: n, passages: 1, contentHash: contentOf(n) });
      expect(table.get(keyOf(1))!.segment).toBe(segment);
    }
    expect(table.delete(keyOf(1))).toBe(true);
    expect(table.delete(keyOf(1))).toBe(false);
    expect(table.size).toBe(0);
  });
});
