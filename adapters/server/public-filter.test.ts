import fc from "fast-check";
import { expect, it } from "vitest";
import { compileFilter, type FilterableDocument } from "../../src/filter/evaluate.js";
import { FilterSyntaxError } from "../../src/filter/syntax-error.js";
import { PathRedactor } from "./http/path-redactor.js";
import { withoutPaths, withPublicFilter } from "./public-filter.js";

const redactor = new PathRedactor(["/data/notes"], { cwd: "/home/ann/project" });
const inFolder = {
  ...{ id: "/data/notes/sub/a.md", title: "Pumps", source: "../../../data/notes/sub/a.md" },
  metadata: { "file.folder": "/data/notes/sub", year: 2020 },
} satisfies FilterableDocument;
const note = {
  ...{ id: "docs/a.md", title: "Bells", source: "docs/a.md" },
  metadata: { "file.folder": "docs", tags: ["/ops", "net"] },
} satisfies FilterableDocument;

it.each([
  ['folder = "notes/sub"', true],
  ['file.folder = "notes/sub" and year = 2020', true],
  ['id = "notes/sub/a.md"', true],
  ['source = "notes/sub/a.md"', true],
  ['title = "Pumps"', true],
  ['folder = "/data/notes/sub"', false],
  ['id contains "data" or source contains "data" or folder contains "data"', false],
  ['id >= "/d" and id < "/e"', false],
  ['source contains ".."', false],
])("a filter sees public fields: %s is %s", (where, expected) => {
  const { filter, where: rest, advanced } = withPublicFilter({ where }, redactor);
  expect(filter!(inFolder)).toBe(expected);
  expect(rest).toBeUndefined();
  expect(advanced!.filterKey).not.toBe(compileFilter(where).key);
});

it.each([
  ['folder = "/data/notes/sub"'],
  ['id contains "data"'],
  ['id >= "/data" and id < "/e"'],
  ['source != "x"'],
  ['source contains "data"'],
  ['folder in ("docs", "/data/notes/sub")'],
])("in a cluster, a path that leads out of the working folder never matches: %s", (where) => {
  expect(compileFilter(where).passes(inFolder)).toBe(true);
  expect(compileFilter(withoutPaths({ where }).where!).passes(inFolder)).toBe(false);
});

it("in a cluster, other documents match as they do elsewhere", () => {
  const test = fc.constantFrom(
    ...[
      'folder = "docs"',
      'id contains "a"',
      'source in ("docs/a.md", "b")',
      "exists folder",
      'tags = "/ops"',
      "year > 1",
    ],
  );
  const where = fc
    .array(fc.tuple(fc.boolean(), test, fc.constantFrom("and", "or")), { minLength: 1, maxLength: 4 })
    .map((parts) =>
      parts.map(([not, one, word], n) => `${n > 0 ? `${word} ` : ""}${not ? "not " : ""}${one}`).join(" "),
    );
  fc.assert(
    fc.property(where, (written) => {
      const converted = withoutPaths({ where: written }).where!;
      expect(compileFilter(converted).passes(note)).toBe(compileFilter(written).passes(note));
    }),
    { seed: 20261203 },
  );
});

it("an invalid filter is refused at its position, and options without one are unchanged", () => {
  for (const convert of [withoutPaths, (options: object) => withPublicFilter(options, redactor)]) {
    expect(() => convert({ where: "year >" })).toThrow(FilterSyntaxError);
    expect(convert({ topK: 3 })).toEqual({ topK: 3 });
  }
});
