import { describe, expect, it } from "vitest";
import { DOCUMENT_FORMATS, endingsOf, FORMATS } from "./formats.js";

describe("the table of formats", () => {
  it("gives each ending, in lower case, to one format", () => {
    const endings = DOCUMENT_FORMATS.flatMap(endingsOf);
    expect(endings.filter((ending, i) => endings.indexOf(ending) !== i)).toEqual([]);
    expect(endings.filter((ending) => !/^[a-z\d]+$/.test(ending))).toEqual([]);
  });

  it.each(DOCUMENT_FORMATS)("loads a parser for %s", async (format) => {
    expect(await FORMATS[format].load()).toBeTypeOf("function");
  });
});
