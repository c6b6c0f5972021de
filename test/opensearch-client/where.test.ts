/**
 * Fields as keywords, ordered and distinguished as in the filter language. The queries themselves
 * are tested on a cluster.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fieldKeywords, sortable } from "../../adapters/opensearch/where.js";

describe("numbers as keywords", () => {
  it("keep their order", () => {
    const number = fc.double({ noNaN: true });
    fc.assert(
      fc.property(number, number, (a, b) => {
        expect(sortable(a) < sortable(b)).toBe(a < b);
        expect(sortable(a) === sortable(b)).toBe(a === b);
      }),
    );
    expect(sortable(-0)).toBe(sortable(0));
  });
});

describe("a document's fields", () => {
  it("have every name that a filter may use, the document's own fields first", () => {
    const metadata = { title: "own", "file.modified": "2026-01", tags: ["x", "y"], year: 7, ok: true };
    const { texts, numbers, truths, names } = fieldKeywords({ id: "i", title: "t", source: "s", metadata });
    expect(texts.sort()).toEqual(
      [
        "file.modified\0" + "2026-01",
        "id\0i",
        "modified\0" + "2026-01",
        "source\0s",
        "tags\0x",
        "tags\0y",
        "title\0own",
      ].sort(),
    );
    expect(numbers).toEqual([`year\0${sortable(7)}`]);
    expect(truths).toEqual(["ok\0true"]);
    expect(names.sort()).toEqual(["file.modified", "id", "modified", "ok", "source", "tags", "title", "year"]);
  });
});
