import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MetadataValue } from "../types.js";
import type { CompareOperator, Filter, FilterValue } from "./ast.js";
import { compileFilter, type FilterableDocument, fieldOf, type KindMismatch, passesFilter } from "./evaluate.js";
import { parseFilter } from "./parse.js";
import { printFilter } from "./print.js";
import { FilterSyntaxError } from "./syntax-error.js";

const SEED = 20261121;
const OPERATORS: CompareOperator[] = ["=", "!=", "<", "<=", ">", ">="];

const number = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true, noDefaultInfinity: true }));
const value: fc.Arbitrary<FilterValue> = fc.oneof(
  fc.constantFrom("a", "b", "ab", "2", "2020-01-31", 'quo"te\\', "line\nbreak"),
  fc.string({ unit: "binary" }),
  number.map((n) => (n === 0 ? 0 : n)),
  fc.boolean(),
);
const oddName = fc.constantFrom("and", "In", "due date", "a]b", "[x]", "true", "日付", "x.y-z", "1st");
const field = fc.oneof(fc.constantFrom("a", "b", "id", "title"), oddName, fc.string({ unit: "binary", minLength: 1 }));
const ordered = value.filter((v) => typeof v !== "boolean");

const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.record({
      kind: fc.constant("compare" as const),
      field,
      operator: fc.constantFrom(...OPERATORS),
      value: ordered,
    }),
    fc.record({
      kind: fc.constant("compare" as const),
      field,
      operator: fc.constantFrom("=" as const, "!=" as const),
      value,
    }),
    fc.record({ kind: fc.constant("in" as const), field, values: fc.array(value, { minLength: 1, maxLength: 3 }) }),
    fc.record({ kind: fc.constant("contains" as const), field, text: value.map(String) }),
    fc.record({ kind: fc.constant("exists" as const), field }),
    fc.record({ kind: fc.constant("not" as const), part: tie("filter") }),
    fc.record({
      kind: fc.constantFrom("and" as const, "or" as const),
      parts: fc.array(tie("filter"), { minLength: 2, maxLength: 3 }),
    }),
  ),
}));

const metadataValue: fc.Arbitrary<MetadataValue> = fc.oneof(
  value,
  fc.array(fc.constantFrom("a", "b", "ab", "2"), { maxLength: 3 }),
);
const document: fc.Arbitrary<FilterableDocument> = fc.record({
  id: fc.constantFrom("a", "b"),
  title: fc.constantFrom("a", "ab", ""),
  source: fc.constantFrom("notes/a.md", "b"),
  metadata: fc.option(fc.dictionary(fc.oneof(fc.constantFrom("a", "b", "title", "file.a"), oddName), metadataValue), {
    nil: undefined,
  }),
});

describe("parseFilter and printFilter", () => {
  it("parse(print(filter)) is the filter", () => {
    fc.assert(
      fc.property(filter, (f) => {
        expect(parseFilter(printFilter(f))).toEqual(f);
      }),
      { seed: SEED, numRuns: 1000 },
    );
  });

  it("any text is a filter or a mistake with its place and a next step", () => {
    const words = [
      "year",
      " ",
      ">=",
      "2020",
      "and",
      "or",
      "not",
      "(",
      ")",
      "in",
      "contains",
      "exists",
      '"',
      "'",
      "[",
      "]",
      ",",
      "true",
      "!",
      "\\",
      "-",
      "\u0000",
      "😀",
    ];
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(fc.constantFrom(...words)).map((parts) => parts.join(" ")),
    );
    fc.assert(
      fc.property(text, (written) => {
        try {
          const f = parseFilter(written);
          expect(parseFilter(printFilter(f))).toEqual(f);
        } catch (error) {
          if (!(error instanceof FilterSyntaxError)) throw error;
          expect(error.code).toBe("invalid-argument");
          expect(error.position).toBeGreaterThanOrEqual(0);
          expect(error.position).toBeLessThanOrEqual(written.length);
          expect(error.hint).toMatch(/\S.*[.)"\]]$/s);
          expect(error.excerpt[0]).not.toMatch(/\p{Cc}/u);
          expect(error.excerpt[1]).toMatch(/^ *\^$/);
        }
      }),
      { seed: SEED, numRuns: 2000 },
    );
  });

  it("binds not before and before or; keywords in any case; both quotes", () => {
    const f = parseFilter(`NOT a = 1 And b='x\\'"' or (c < -1.5e3 and exists [due date]) OR d in ("p", 2, true)`);
    expect(printFilter(f)).toBe('not a = 1 and b = "x\'\\"" or c < -1500 and exists [due date] or d in ("p", 2, true)');
    expect(f).toMatchObject({
      kind: "or",
      parts: [{ kind: "and", parts: [{ kind: "not" }, {}] }, { kind: "and" }, { kind: "in" }],
    });
  });

  it.each([
    ["", 0, "it is empty"],
    ["year >=", 7, "expected a value after >=, not the end"],
    ["year >= and", 8, "expected a value after >=, not and"],
    ["tag = ops", 6, "expected a value after =, not ops"],
    ["modified >= 2026-01-31", 12, "2026-01-31 is neither a number nor a text in quotes"],
    ["year == 2020", 5, "== is not an operator"],
    ["year 2020", 5, "expected a test after the field year, not 2020"],
    ["2020 < year", 0, "expected a field name, not 2020"],
    ["in = 3", 0, "in is a reserved word"],
    ["(a = 1", 6, "a parenthesis is not closed"],
    ["a = 1)", 5, "unmatched )"],
    ["a = 1 b = 2", 6, "b is not expected after a test"],
    ["a in 3", 5, "in needs a list"],
    ["a in (3", 7, "the list is not closed"],
    ["a contains 3", 11, "contains needs a text"],
    ["done > true", 7, "true and false cannot be ordered"],
    ['a = "x', 4, "a text is not closed"],
    ["a = “x”", 4, "“ is not a plain quote"],
    ["a = 1 && b = 2", 6, '"&" is not a filter operator'],
    ["a = 1e999", 4, "the number is too large"],
    [`${"(".repeat(300)}a = 1`, 200, "it is nested too deeply"],
    ["[] = 1", 0, "a field name is empty"],
  ])("%s: the mistake at %i", (written, position, problem) => {
    let found: unknown;
    try {
      parseFilter(written);
    } catch (error) {
      found = error;
    }
    expect(found).toBeInstanceOf(FilterSyntaxError);
    const { message, position: at, excerpt } = found as FilterSyntaxError;
    expect([message, at]).toEqual([`Invalid filter at character ${position + 1}: ${problem}.`, position]);
    const under = excerpt[1].length - 1;
    expect([...excerpt[0]][under]).toBe(written[position]);
  });

  it("shows a long filter around the mistake", () => {
    const written = `${'tag = "ops" or '.repeat(20)}year > or ${'tag = "net" or '.repeat(20)}`;
    expect(() => parseFilter(written)).toThrow("expected a value after >, not or");
    try {
      parseFilter(written);
    } catch (error) {
      const [line, caret] = (error as FilterSyntaxError).excerpt;
      expect(line.length).toBeLessThan(70);
      expect(line.slice(caret.length - 1)).toMatch(/^or tag/);
    }
  });
});

/**
 * Written another way than the evaluator: every test becomes the list of comparisons that it is,
 * each by a table.
 */
function oracle(f: Filter, d: FilterableDocument): boolean {
  if (f.kind === "not") return !oracle(f.part, d);
  if ("parts" in f) {
    const parts = f.parts.map((part) => oracle(part, d));
    return f.kind === "and" ? !parts.includes(false) : parts.includes(true);
  }
  const own = Object.entries(d.metadata ?? {});
  const layers = [...own, ["id", d.id], ["title", d.title], ["source", d.source]] as Array<[string, MetadataValue]>;
  const found = [...layers, ...own.map(([name, v]) => [name.replace(/^file\./, ""), v] as [string, MetadataValue])]
    .filter(([name]) => name === f.field)
    .map(([, v]) => v)[0];
  if (f.kind === "exists") return found !== undefined;
  if (found === undefined) return false;
  const elements = [found].flat() as FilterValue[];
  const tests = f.kind === "in" ? f.values : [f.kind === "contains" ? f.text : f.value];
  const pairs = elements.flatMap((e) => tests.map((t) => [e, t] as const)).filter(([e, t]) => typeof e === typeof t);
  const order = (e: FilterValue, t: FilterValue): number => Number(e > t) - Number(e < t);
  const operator = f.kind === "compare" ? f.operator : "=";
  const wanted = { "=": [0], "!=": [-1, 1], "<": [-1], "<=": [-1, 0], ">": [1], ">=": [1, 0] }[operator];
  return pairs.some(([e, t]) =>
    f.kind === "contains" ? String(e).split(String(t)).length > 1 || t === "" : wanted.includes(order(e, t)),
  );
}

describe("passesFilter", () => {
  it("agrees with a naive oracle", () => {
    let passed = 0;
    fc.assert(
      fc.property(filter, document, (f, d) => {
        const expected = oracle(f, d);
        if (expected) passed++;
        expect(passesFilter(f, d)).toBe(expected);
      }),
      { seed: SEED, numRuns: 5000 },
    );
    expect(passed).toBeGreaterThan(500);
    expect(passed).toBeLessThan(4500);
  });

  const note: FilterableDocument = {
    id: "notes/a.md",
    title: "Pumps",
    source: "notes/a.md",
    metadata: {
      year: 2020,
      tags: ["ops", "net"],
      draft: false,
      date: "2026-01-31",
      "file.folder": "notes",
      "file.modified": "2026-02-01",
      empty: [],
    },
  };
  it.each([
    ["year >= 2020 and tags = 'ops'", true],
    ["year > 2020", false],
    ["year != 2021", true],
    ['year = "2020"', false],
    ['year != "2020"', false],
    ["missing != 1", false],
    ["not missing = 1", true],
    ["not exists missing", true],
    ['tags in ("web", "net")', true],
    ['tags contains "op"', true],
    ['tags != "ops"', true],
    ['not tags = "ops"', false],
    ["exists empty", true],
    ['empty contains ""', false],
    ['date >= "2026" and date < "2026-02"', true],
    ['modified <= "2026-02-01" and folder = "notes"', true],
    ['file.folder = "notes"', true],
    ['title = "pumps"', false],
    ["draft = false", true],
    ['id = "notes/a.md" and source contains "notes/"', true],
    ["exists constructor", false],
  ])("%s is %s", (where, expected) => {
    expect(compileFilter(where).passes(note)).toBe(expected);
  });

  it("a document's own field goes before that of its file", () => {
    const own = { ...note, metadata: { ...note.metadata, modified: "2001-01-01", title: "Own" } };
    expect([fieldOf(own, "modified"), fieldOf(own, "file.modified"), fieldOf(own, "title")]).toEqual([
      "2001-01-01",
      "2026-02-01",
      "Own",
    ]);
  });

  it("reports a test that is false only because of its types", () => {
    const mismatches: KindMismatch[] = [];
    expect(passesFilter(parseFilter('year = "2020" or tags > 3'), note, (mismatch) => mismatches.push(mismatch))).toBe(
      false,
    );
    expect(mismatches.map(({ field: name, value: v }) => [name, v])).toEqual([
      ["year", "2020"],
      ["tags", 3],
      ["tags", 3],
    ]);
  });
});
