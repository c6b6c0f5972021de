import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import type { ReadContext } from "../../input.js";
import { readLimits } from "../../limits.js";
import { OfficeArchive } from "./archive.js";
import { readXlsx } from "./xlsx.js";

const context = {
  input: { path: "a.xlsx", id: "a.xlsx" },
  name: "a",
  limits: readLimits(),
  onPart: () => {},
} as unknown as ReadContext;

describe("OfficeArchive", () => {
  it("finds parts whatever the case of their names, the exact name first", () => {
    const archive = new OfficeArchive(zipSync({ "A/Part.XML": strToU8("one"), "a/part.xml": strToU8("two") }), context);
    const textOf = (name: string) => Buffer.from(archive.part(name) ?? []).toString();
    expect(textOf("A/Part.XML")).toBe("one");
    expect(textOf("a/part.xml")).toBe("two");
    expect(archive.has("a/PART.xml")).toBe(true);
    expect(archive.has("a/other.xml")).toBe(false);
  });

  it("gives a workbook its texts from xl/SharedStrings.xml", async () => {
    const parts = {
      "xl/workbook.xml": '<workbook><sheets><sheet name="Rooms" r:id="r1"/></sheets></workbook>',
      "xl/_rels/workbook.xml.rels":
        '<Relationships><Relationship Id="r1" Type="x/worksheet" Target="Worksheets/sheet1.xml"/></Relationships>',
      "xl/worksheets/Sheet1.xml":
        '<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1"><v>42</v></c></row></sheetData></worksheet>',
      "xl/SharedStrings.xml": "<sst><si><t>Blue room</t></si></sst>",
    };
    const zip = zipSync(Object.fromEntries(Object.entries(parts).map(([name, xml]) => [name, strToU8(xml)])));
    const [document] = await readXlsx(zip, context);
    expect(document!.text).toContain("Blue room | 42");
  });
});
