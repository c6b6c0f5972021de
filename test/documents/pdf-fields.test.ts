/** What people fill into the form of a PDF, or type on top of its pages. */

import { expect, it } from "vitest";
import { placeOfPhrase, readContent, readOne } from "./fixtures/folder.js";
import { pdfOf, streamObject } from "./fixtures/pdf.js";

interface Label {
  text: string;
  x: number;
  y: number;
}

const FIRST_FIELD = 6;

/** One page with labels, and with annotations of which those with a type of field are its form. */
function formOf(labels: Label[], annotations: string[]): Uint8Array {
  const ids = annotations.map((_, i) => `${FIRST_FIELD + i} 0 R`);
  const fields = ids.filter((_, i) => annotations[i]!.includes("/FT"));
  const content = labels.map(({ text, x, y }) => `BT /F1 12 Tf ${x} ${y} Td (${text}) Tj ET`).join("\n");
  return pdfOf([
    `<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [${fields.join(" ")}] /DA (/F1 10 Tf) >> >>`,
    "<< /Type /Pages /Count 1 /Kids [5 0 R] >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    streamObject(content),
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents 4 0 R /Annots [${ids.join(" ")}] >>`,
    ...annotations.map((annotation) => `<< /Type /Annot ${annotation} >>`),
  ]);
}

const widget = (content: string, [left, bottom, right, top]: number[]) =>
  `/Subtype /Widget /T (f${left}-${bottom}) ${content} /Rect [${left} ${bottom} ${right} ${top}] /F 4`;

async function textOf(labels: Label[], annotations: string[]): Promise<string> {
  return (await readOne("form.pdf", formOf(labels, annotations))).text;
}

it("values of a form are next to their labels", async () => {
  const labels = [
    { text: "Insured sum:", x: 72, y: 660 },
    { text: "Name:", x: 72, y: 700 },
    { text: "Born:", x: 320, y: 700 },
    { text: "Sign below.", x: 72, y: 560 },
  ];
  const text = await textOf(labels, [
    widget("/FT /Tx /V (45,000 crowns)", [150, 655, 300, 672]),
    widget("/FT /Tx /V (3 May 1971)", [360, 695, 500, 712]),
    widget("/FT /Tx /V (Ada Quist)", [120, 695, 300, 712]),
    widget("/FT /Tx", [150, 555, 300, 572]),
  ]);
  expect(text.replace(/\s+/g, " ")).toBe("Insured sum: 45,000 crowns Name: Ada Quist Born: 3 May 1971 Sign below.");
});

it("choices are read as they are shown, and boxes with their state", async () => {
  const box = "/FT /Btn /AP << /N << /Yes 4 0 R /Off 4 0 R >> >>";
  const labels = [
    { text: "Berth:", x: 72, y: 700 },
    { text: "Married", x: 90, y: 640 },
    { text: "Retired", x: 90, y: 580 },
  ];
  const text = await textOf(labels, [
    widget("/FT /Ch /Ff 131072 /V (b) /Opt [[(a) (Harbour)] [(b) (Breakwater)]]", [150, 695, 300, 712]),
    widget(`${box} /V /Yes /AS /Yes`, [72, 638, 84, 650]),
    widget(`${box} /V /Off /AS /Off`, [72, 578, 84, 590]),
  ]);
  expect(text.split("\n\n")).toEqual(["Berth: Breakwater", "☑ Married", "☐ Retired"]);
});

it("text that was typed on a page, and the lines of a long answer, are where they are shown", async () => {
  const labels = [
    { text: "Damage:", x: 72, y: 700 },
    { text: "Sign below.", x: 72, y: 500 },
  ];
  const annotations = [
    widget("/FT /Tx /Ff 4096 /V (The mast broke\\rin a gale)", [150, 640, 400, 712]),
    "/Subtype /FreeText /Contents (Paid on 4 June) /DA (/F1 10 Tf) /Rect [72 540 300 555] /F 4",
  ];
  const { documents } = await readContent("form.pdf", formOf(labels, annotations));
  expect(documents[0]!.text.split("\n\n")).toEqual([
    "Damage: The mast broke in a gale",
    "Paid on 4 June",
    "Sign below.",
  ]);
  expect(placeOfPhrase(documents[0]!, "Paid on")).toEqual({ page: 1 });
});

it("hidden fields, passwords and notes are not read", async () => {
  const text = await textOf(
    [{ text: "Name:", x: 72, y: 700 }],
    [
      widget("/FT /Tx /V (hidden)", [120, 695, 300, 712]).replace("/F 4", "/F 2"),
      widget("/FT /Tx /Ff 8192 /V (secret)", [120, 695, 300, 712]),
      "/Subtype /Text /Contents (ask her again) /Rect [300 690 320 710] /F 4",
    ],
  );
  expect(text).toBe("Name:");
});
