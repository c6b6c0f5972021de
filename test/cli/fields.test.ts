import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openWhere } from "../../adapters/cli/filter-option.js";
import { addField, type Fields } from "../../adapters/cli/render/fields.js";

const fieldsOf = (...given: string[]): Fields => given.reduce<Fields>((fields, one) => addField(one, fields), {});

describe("--field", () => {
  it.each([
    [["year=2020"], { year: 2020 }],
    [["year=-1.5", "draft=true", "done=false"], { year: -1.5, draft: true, done: false }],
    [["code=007", "big=1e3", "phone=+49", "dot=1."], { code: "007", big: "1e3", phone: "+49", dot: "1." }],
    [['year="2020"', 'q="', "empty="], { year: "2020", q: '"', empty: "" }],
    [["tag=a", "tag=b", 'tag="c"'], { tag: ["a", "b", "c"] }],
    [["n=1", "n=2"], { n: ["1", "2"] }],
    [[" due date = 2026-01-31 "], { "due date": "2026-01-31" }],
    [["formula=a=b"], { formula: "a=b" }],
    [["constructor=x", "__proto__=y"], JSON.parse('{"constructor":"x","__proto__":"y"}')],
  ])("%j gives %j", (given, expected) => {
    expect(JSON.stringify(fieldsOf(...given))).toBe(JSON.stringify(expected));
  });

  it.each(["year", "=2020", " =x", "", "file.modified=2020-01-01"])("refuses %j", (given) => {
    expect(() => addField(given)).toThrow(/key=value|reserved/);
  });

  it("parses a value as a number only if it prints the same", () => {
    fc.assert(
      fc.property(fc.oneof(fc.double().map(String), fc.string(), fc.stringMatching(/^[-+0-9.e]{1,8}$/)), (text) => {
        const value = addField(`k=${text}`).k;
        if (typeof value === "number") expect(String(value)).toBe(text.trim());
      }),
      { seed: 20261121 },
    );
  });
});

describe("--where", () => {
  const document = { id: "a", title: "A", source: "a.md", metadata: { year: 2020, tags: ["x"] } };
  it("explains why no document matched", () => {
    const where = openWhere('year = "2020"');
    expect([where.passes(document), where.note()]).toEqual([
      false,
      "note: year is a number, such as 2020, but the filter compares it with a text, which never matches.",
    ]);
    const list = openWhere("tags = 3");
    expect([list.passes(document), list.note()]).toEqual([
      false,
      'note: tags is a list of texts, such as "x", but the filter compares it with a number, which never matches.',
    ]);
  });

  it("explains nothing if a document matched", () => {
    const either = openWhere('year = "2020" or year = 2020');
    expect([either.passes(document), either.note()]).toEqual([true, undefined]);
  });

  it("says what to try if no document matched and the types agree", () => {
    const other = openWhere("year = 1999 or missing = 1");
    expect([other.passes(document), other.note()]).toEqual([
      false,
      expect.stringMatching(/^note: No document matches --where; check the names and values of its fields/),
    ]);
  });
});
