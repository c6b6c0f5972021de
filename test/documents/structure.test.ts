/** Headings and table headers that readers keep next to the text. */

import { expect, it } from "vitest";
import { headingPath, tableHeader } from "../support/outline.js";
import { readContent } from "./fixtures/folder.js";
import { docxOf, epubOf, paragraph, WORD, xhtml } from "./fixtures/office.js";

const table = "<table><tr><th>Name</th><th>Torque</th></tr><tr><td>Bolt</td><td>40 Nm</td></tr></table>";
const html = `<h1>Pump</h1><p>About.</p><h2>Care</h2><h3>Seals</h3><p>Grease them.</p><h2>Parts</h2>${table}<p>End.</p>`;
const markdown = `# Pump

About.

## Care

### Seals

Grease them.

## Parts

| Name | Torque |
|---|---|
| Bolt | 40 Nm |

End.
`;
const heading = (text: string, level: number) =>
  paragraph(text).replace("<w:r>", `<w:pPr><w:pStyle w:val="Heading${level}"/></w:pPr><w:r>`);
const styles = `<w:styles ${WORD}>${[1, 2, 3]
  .map((n) => `<w:style w:type="paragraph" w:styleId="Heading${n}"><w:name w:val="heading ${n}"/></w:style>`)
  .join("")}</w:styles>`;
const docx = docxOf(
  heading("Pump", 1) +
    heading("Care", 2) +
    heading("Seals", 3) +
    paragraph("Grease them.") +
    heading("Parts", 2) +
    paragraph("End."),
  { more: { "word/styles.xml": Buffer.from(styles) } },
);

it.each([
  ["HTML", "a.html", html],
  ["Markdown", "a.md", markdown],
  ["docx", "a.docx", docx],
  ["EPUB", "a.epub", epubOf([["c.xhtml", xhtml("c", html)]])],
])("%s gives each place its heading path", async (_format, name, content) => {
  const [document] = (await readContent(name, content)).documents;
  const pathOf = (phrase: string) => headingPath(document!, document!.text.indexOf(phrase));
  expect(pathOf("Grease")).toEqual(["Pump", "Care", "Seals"]);
  expect(pathOf("End.")).toEqual(["Pump", "Parts"]);
  for (const { start, end } of document!.headings!)
    expect(document!.text.slice(start, end)).toMatch(/^(Pump|Care|Seals|Parts)$/);
});

it.each([
  ["HTML", "a.html", html],
  ["Markdown", "a.md", markdown],
])("%s gives table rows their header", async (_format, name, content) => {
  const [document] = (await readContent(name, content)).documents;
  const headerOf = (phrase: string) => tableHeader(document!, document!.text.indexOf(phrase));
  expect(await headerOf("40 Nm")).toBe("Name | Torque");
  expect(await headerOf("Torque")).toBeUndefined();
  expect(await headerOf("End.")).toBeUndefined();
});
