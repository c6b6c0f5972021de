/** txt, md, html: text, titles, metadata and lines. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { placeOf } from "../../src/text/place.js";
import { encodeAs } from "../support/older-encodings.js";
import { placeOfPhrase, readContent, readOne } from "./fixtures/folder.js";

/** Whether an encoding has a character. */
const isIn = (label: string) => (character: string) => {
  try {
    return encodeAs(character, label).length > 0;
  } catch {
    return false;
  }
};

it("keeps a title that looks like a number as it is written", async () => {
  expect((await readOne("a.md", "---\ntitle: 1.10\nyear: 2020\n---\nText.\n")).title).toBe("1.10");
  expect((await readOne("a.jsonl", '{"title": 1984, "text": "Text."}\n')).title).toBe("1984");
});

it("decodes the other names of windows-1252", async () => {
  const page = Buffer.from("<meta charset=cp1252><p>It\x92s 5 \x80 \x96 nearly.", "latin1");
  expect((await readOne("a.html", page)).text).toBe("It’s 5 € – nearly.");
});

it("keeps a row of a table in its columns if a cell has several short paragraphs", async () => {
  const row = (...cells: string[]) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
  const rows = [
    row("Item", "Supplier", "Price"),
    row("Oil", "<p>Miller Ltd</p><p>12 High Street</p>", "40 euros"),
    row("Soap", "Smith", "3 euros"),
  ];
  expect((await readOne("a.html", `<table>${rows.join("")}</table>`)).text).toBe(
    "Item | Supplier | Price\nOil | Miller Ltd 12 High Street | 40 euros\nSoap | Smith | 3 euros",
  );
});

describe("txt", () => {
  it("is the file's text unchanged, with line and byte from the start", async () => {
    const text = "  History\r\n\r\nThe observatory was founded by Ines Calder.\tÉlan 😀\n";
    const document = await readOne("history.txt", text);
    expect(document).toMatchObject({ id: "history.txt", source: "history.txt", title: "History", text });
    expect(document.map).toEqual({ kind: "text", segments: [{ start: 0, line: 1, linear: true, byte: 0 }] });
    expect(placeOfPhrase(document, "Ines Calder")).toEqual({ line: 3 });
  });

  it("leaves out the colours of a log, and keeps its lines", async () => {
    const document = await readOne(
      "build.log",
      "Start\n\u001b[1;31merror:\u001b[0m the pump stopped\n\u001b[2K\u001b[1Gdone\n",
    );
    expect(document.text).toBe("Start\nerror: the pump stopped\ndone\n");
    expect(placeOfPhrase(document, "stopped")).toEqual({ line: 2 });
  });

  it("counts the lines of old Macs, which end in carriage returns alone", async () => {
    const document = await readOne(
      "press.txt",
      "Old notes\r\rThe press was bought in 1991.\r\rIt was repaired by Otto.\r",
    );
    expect(document.text).toBe("Old notes\n\nThe press was bought in 1991.\n\nIt was repaired by Otto.\n");
    expect(placeOfPhrase(document, "Otto")).toEqual({ line: 5 });
  });

  it("gives the right line for every offset of any text (property)", async () => {
    const line = fc.string({ unit: fc.constantFrom("a", "é", "漢", "😀", " ", "\t", "\r"), maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 8 }), async (lines) => {
        const text = `x${lines.join("\n")}`;
        fc.pre(text.includes("\n") || !text.includes("\r"));
        const document = await readOne("a.txt", text);
        expect(document.text).toBe(text);
        for (let offset = 0, at = 1; offset <= text.length; offset++) {
          const count = (from: number, to: number) => text.slice(from, to).split("\n").length - 1;
          expect(placeOf(document.map, offset, count)).toEqual({ line: at });
          if (text[offset] === "\n") at++;
        }
      }),
      { numRuns: 30 },
    );
  });

  it("takes off a UTF-8 byte order mark and counts its bytes", async () => {
    const document = await readOne("a.txt", Buffer.from("\ufeffGrüße\nText", "utf8"));
    expect(document.text).toBe("Grüße\nText");
    expect(document.map.segments[0]).toMatchObject({ byte: 3 });
  });

  it.each([
    ["little-endian with mark", Buffer.from("\ufeffGrüße 漢字\nhier 😀", "utf16le")],
    ["big-endian with mark", Buffer.from("\ufeffGrüße 漢字\nhier 😀", "utf16le").swap16()],
    ["little-endian without mark", Buffer.from("Grüße 漢字\nhier 😀", "utf16le")],
    ["big-endian without mark", Buffer.from("Grüße 漢字\nhier 😀", "utf16le").swap16()],
  ])("reads UTF-16 %s", async (_name, bytes) => {
    const document = await readOne("a.txt", bytes);
    expect(document.text).toBe("Grüße 漢字\nhier 😀");
    expect(document.map.segments).toEqual([{ start: 0, line: 1, linear: true }]);
    expect(placeOfPhrase(document, "hier")).toEqual({ line: 2 });
  });

  it("replaces a lone surrogate of UTF-16", async () => {
    const document = await readOne("a.txt", Buffer.from("\ufeffa\ud800b", "utf16le"));
    expect(document.text).toBe("a\ufffdb");
  });

  it("is not taken for UTF-16 because of a word that begins like its byte order mark", async () => {
    const bytes = Buffer.from(
      "The crew list of the Petrel.\nThe bosun was Gray. \xff\xfe\nThe caf\xe9 opens at eight.\n",
      "latin1",
    );
    expect((await readOne("crew.txt", bytes)).text).toContain("The café opens at eight.");
  });

  it("reads Latin-1 and windows-1252", async () => {
    const bytes = Buffer.concat([
      Buffer.from("Señor Müller zahlte ", "latin1"),
      Buffer.of(0x80), // €
      Buffer.from("5 ", "latin1"),
      Buffer.of(0x93, 0x94, 0x96), // “ ” –
    ]);
    const document = await readOne("a.txt", bytes);
    expect(document.text).toBe("Señor Müller zahlte €5 “”–");
    expect(document.map.segments[0]).not.toHaveProperty("byte");
  });

  it.each([
    ["windows-1250", "pl-basen.md"],
    ["iso-8859-2", "pl-wspolnota.md"],
    ["windows-1251", "ru-pamyatka-zhiltsam.md"],
    ["koi8-r", "ru-sadovoe-tovarishchestvo.md"],
    ["gb18030", "zh-zufang-hetong.md"],
    ["big5", "zh-dianfanbao.md"],
    ["shift_jis", "ja-tozankai.md"],
    ["euc-jp", "ja-mansion-kiyaku.md"],
    ["euc-kr", "ko-yeohaeng-boheom.md"],
    ["windows-1256", "ar-nadi-qiraa.md"],
    ["windows-1252", "fr-assurance-voyage.md"],
  ])("recognises %s", async (label, file) => {
    const whole = await readFile(join("test/languages/documents", file), "utf8");
    const text = Array.from(whole).filter(isIn(label)).join("");
    for (const part of [text, text.slice(0, 300), text.slice(-300)]) {
      const { text: read, map } = await readOne("a.txt", encodeAs(part, label));
      expect(read).toBe(part);
      expect(map.segments[0]).not.toHaveProperty("byte");
    }
    const line = text.split("\n").find(({ length }) => length > 20)!;
    const { documents } = await readContent("a.csv", encodeAs(`name,note\n1,"${text.replaceAll('"', "")}"\n`, label));
    expect(documents[0]!.text).toContain(line.replaceAll('"', "").trim());
  });

  it.each([
    "3 × 4 × 5",
    "½ cup\n¼ cup\n",
    "21.5°C,22.1°C,19.8°C\n".repeat(30),
    "£5.00 12 £7.10 4\n".repeat(20),
    "§ 5\n§ 6\n",
    "“Yes”",
    "± 5",
    "café",
    "MÜLLER",
    "René,12\nJosé,13\n",
    "• one\n• two\n",
    "Rødgrød med fløde",
  ])("reads %j as windows-1252", async (text) => {
    const bytes = encodeAs(text, "windows-1254"); // has these at the same places; Node.js reads "windows-1252" as Latin-1
    expect((await readOne("a.txt", bytes)).text).toBe(text);
  });

  it("recognises ISO-2022-JP, which is ASCII byte by byte", async () => {
    const bytes = Buffer.concat([Buffer.from("Re: \x1b$B"), Buffer.of(0x46, 0x7c, 0x4b, 0x5c), Buffer.from("\x1b(B!")]);
    expect((await readOne("a.txt", bytes)).text).toBe("Re: 日本!");
  });

  it("keeps UTF-8 with a few broken bytes as UTF-8", async () => {
    const document = await readOne(
      "a.txt",
      Buffer.concat([Buffer.from("Grüße aus Köln "), Buffer.of(0xff), Buffer.from(" ä")]),
    );
    expect(document.text).toBe("Grüße aus Köln \ufffd ä");
    expect(document.map.segments[0]).not.toHaveProperty("byte");
  });

  it.each([
    ["only emoji", "😀😀👩‍👩‍👧‍👦🎉"],
    ["right-to-left", "נוסד על ידי אינס\nבשנת 1911 مرحبا"],
    ["CJK", "天文台は1911年に設立された。\n第二行"],
    ["a word of 10,000 characters", "a".repeat(10_000)],
  ])("keeps %s", async (_name, text) => {
    expect((await readOne("a.txt", text)).text).toBe(text);
  });

  it("reads unknown endings as text", async () => {
    expect((await readOne("paper.xyz", "\\section{One}")).map.kind).toBe("text");
    expect((await readOne("README", "Plain")).title).toBe("README");
  });
});

describe("md", () => {
  const source = `---
title: The Observatory
tags: [stars, history]
year: 1911
draft: false
nested: {a: 1}
---

# Heading *one*

First paragraph with **bold** text,
on two [lines](http://x.y "t") and \`code\`.

- item one
- item two
  goes on
    1. nested

> quoted
> twice

\`\`\`js
let a = 1;
let b = 2;
\`\`\`

| Name | Born |
|------|-----:|
| Ines | 1880 |
| **Ada** | 1815 |

Setext
------

![A picture](x.png) and a note[^1].<br>Last

<div>
<p>Inside <b>HTML</b></p>
<script>no()</script>
</div>

[^1]: The note.

[ref]: http://example.org
`;

  it("extracts blocks apart by blank lines, with the marks of list items alone", async () => {
    const { text } = await readOne("a.md", source);
    expect(text).toBe(
      [
        "Heading one",
        "First paragraph with bold text,\non two lines and code.",
        "• item one\n• item two\ngoes on\n1. nested",
        "quoted\ntwice",
        "let a = 1;\nlet b = 2;",
        "Name | Born\nInes | 1880\nAda | 1815",
        "Setext",
        "A picture and a note. Last",
        "Inside HTML",
        "The note.",
      ].join("\n\n"),
    );
  });

  it("keeps the marks of tasks", async () => {
    const { text, map } = await readOne(
      "a.md",
      "- [x] Send **it**\n\n  to all\n- [ ] Pay\n  - [X] nested\n- [] none\n",
    );
    expect(text).toBe("☑ Send it\n\nto all\n\n☐ Pay\n☑ nested\n\n• [] none");
    expect(map.segments.map(({ line }) => line)).toEqual([1, 3, 4, 5, 6]);
  });

  it("numbers items as a browser does", async () => {
    const { text, headings } = await readOne(
      "a.md",
      "7. Seven\n7. Eight\n   - ## Inner\n   - \n   - ```\n     code\n     ```\n\nEnd\n\n- | a | b |\n  |---|---|\n  | 1 | 2 |\n",
    );
    expect(text).toBe("7. Seven\n8. Eight\n• Inner\n• code\n\nEnd\n\na | b\n1 | 2");
    expect(headings?.map(({ start, end }) => text.slice(start, end))).toEqual(["Inner"]);
  });

  it("keeps raised numbers apart from what is before them", async () => {
    const { text } = await readOne("a.md", "10<sup>6</sup> units, 1<sup>st</sup> of **m<sup>2</sup>**\n\nx<sup>2\n\n3");
    expect(text).toBe("10⁶ units, 1st of m²\n\nx²\n\n3");
  });

  it.each([
    ["~~Deadline: 3 May~~ Deadline: 10 May", "Deadline: 10 May"],
    ["- [x] ~~Buy milk~~\n- **~~Oil it~~**.\n- ~~Old~~ new", "☑ Buy milk\n• Oil it.\n• new"],
    ["It is <del>5</del> <ins>6</ins>.\n\n<s>Call Ada</s>", "It is 6.\n\nCall Ada"],
    ["It costs <s>5 euros", "It costs 5 euros"],
    ["| a | b |\n|---|---|\n| ~~5~~ | 6 |", "a | b\n | 6"],
    ["<p><del>5</del> 6</p>", "6"],
    ["5~10 and 20~30", "5~10 and 20~30"],
  ])("leaves out what is struck out of a line: %j", async (source, text) => {
    expect((await readOne("a.md", source)).text).toBe(text);
  });

  const table = (cell: string) => `| Tool | Needs |\n|---|---|\n| pump | ${cell} |`;
  it.each([
    ["a list", "<ul><li>oil</li><li>water</li></ul>", "oil water"],
    ["a list with spaces", "clean <ul> <li>oil</li> <li> water</li> </ul> daily", "clean oil water daily"],
    ["paragraphs", "<p>oil</p><P align=left>water</P>", "oil water"],
    ["blocks and a rule", "<div>oil</div><hr/>water", "oil water"],
    ["line breaks", "oil<br>water<br/><br />salt</br>sand", "oil water salt sand"],
    ["a table", "<table><tr><td>oil</td><td>water</td></tr></table>", "oil water"],
    ["marks inside a word", "<b>o</b>il <kbd>Ctrl</kbd>+<span>C</span> x<!-- note -->y", "oil Ctrl+C xy"],
  ])("keeps words apart where a cell has HTML: %s", async (_what, cell, text) => {
    const document = await readOne("a.md", table(cell));
    expect(document.text).toBe(`Tool | Needs\npump | ${text}`);
    expect(placeOfPhrase(document, text.split(" ").at(-1)!)).toEqual({ line: 3 });
  });

  it.each([
    ["a list", "Steps: <ol><li>open</li><li>close</li></ol>", "Steps:\n\nopen\nclose"],
    ["paragraphs", "a<p>one</p><p>two</p>", "a\n\none\n\ntwo"],
    ["a summary", "Text <details><summary>S</summary>inner</details>", "Text\n\nS\n\ninner"],
    ["a table", "a <table><tr><td>b</td> <td>c</td></tr> <tr><td>d</td></tr></table>", "a\n\nb | c\nd"],
    ["a rule", "a <hr> b", "a\n\nb"],
    ["a heading", "## Pump <div>red</div>", "Pump red"],
    ["an item", "- Steps: <ul><li>open</li></ul>\n- next", "• Steps:\n\nopen\n\n• next"],
    ["marks inside a word", "a<b>b</b>c <p-x>d</p-x>e <kbd>F</kbd><span>1</span>", "abc de F1"],
    ["a space that does not break", "10\u00a0<b>kg</b>", "10\u00a0kg"],
  ])("keeps words apart where a line has HTML: %s", async (_what, source, text) => {
    expect((await readOne("a.md", source)).text).toBe(text);
  });

  it("ties each word in the HTML of a paragraph to its line", async () => {
    const document = await readOne("a.md", "Steps: <ol><li>open</li>\nturn <li>it\nthen</li></ol> close");
    expect(document.text).toBe("Steps:\n\nopen\nturn\nit\nthen\n\nclose");
    const places = ["Steps", "open", "turn", "it", "then", "close"].map((word) => placeOfPhrase(document, word).line);
    expect(places).toEqual([1, 1, 2, 2, 3, 3]);
  });

  it("writes the names of columns without their tags", async () => {
    const { text } = await readOne("a.md", "| Oil<br>(litres) | <b>Note</b> |\n|---|---|\n| 9 | x |");
    expect(text).toBe("Oil (litres) | Note\n9 | x");
  });

  it("knows title and metadata of the front matter", async () => {
    const document = await readOne("a.md", source);
    expect(document.title).toBe("The Observatory");
    expect(document.metadata).toEqual({ tags: ["stars", "history"], year: 1911, draft: false });
  });

  it.each(["\n", "\r\n"])("ties every line to its line in the source (line ends %j)", async (lineEnd) => {
    const document = await readOne("a.md", source.replaceAll("\n", lineEnd));
    const lines = source.split("\n");
    const phrases = [
      "Heading",
      "First",
      "on two",
      "item two",
      "goes on",
      "nested",
      "twice",
      "let a",
      "let b",
      "Name",
      "Ines",
      "Ada",
      "Setext",
      "A picture",
      "Inside",
      "HTML",
      "The note",
    ];
    for (const phrase of phrases) {
      const from = lines.findIndex((line) => line.startsWith("# Heading"));
      const line = lines.findIndex((text, at) => at >= from && text.includes(phrase)) + 1;
      expect([phrase, placeOfPhrase(document, phrase)]).toEqual([phrase, { line }]);
    }
  });

  it("takes the first heading, then the file's name, for the title", async () => {
    expect((await readOne("a.md", "Text\n\n## Second `level`\n")).title).toBe("Second level");
    expect((await readOne("My notes.md", "Text")).title).toBe("My notes");
  });

  it("reads long files in pieces: the same text and lines as a block at a time", async () => {
    const block = (i: number) =>
      `## Part ${i}\n\nParagraph ${i} begins\nand goes on.\n\n\`\`\`\ncode ${i}\n\n# no heading\n\`\`\`\n\n- a\n\n  b\n\n`;
    const count = 1200;
    const source = `---\ntitle: Long\n---\n${Array.from({ length: count }, (_, i) => block(i)).join("")}`;
    expect(source.length).toBeGreaterThan(80_000);
    const document = await readOne("a.md", source);
    expect(document.title).toBe("Long");
    const text = (i: number) =>
      `Part ${i}\n\nParagraph ${i} begins\nand goes on.\n\ncode ${i}\n\n# no heading\n\n• a\n\nb`;
    expect(document.text).toBe(Array.from({ length: count }, (_, i) => text(i)).join("\n\n"));
    const lines = block(0).split("\n").length - 1;
    for (const i of [0, 1, 850, 1100, count - 1]) {
      expect(placeOfPhrase(document, `Paragraph ${i} begins`)).toEqual({ line: 3 + lines * i + 3 });
      expect(placeOfPhrase(document, `code ${i}\n`)).toEqual({ line: 3 + lines * i + 7 });
    }
  });

  it("skips front matter that is not YAML", async () => {
    const document = await readOne("a.md", "---\na: [\n---\n\nText");
    expect(document).toMatchObject({ text: "Text", metadata: undefined });
  });

  it.each([
    ["---\n\nThe mill opens at eight.\n\n---\n\nText\n", "The mill opens at eight.\n\nText", 3],
    ["---\n# Rules\n\nThe gate opens at eight: always.\nDogs: out: always.\n\n---\n\nText\n", "Rules\n\nThe gate", 4],
    ["---\r\n- opens at eight\r\n\r\n---\r\n\r\nText\r\n", "• opens at eight", 2],
    ["---\n\nIt opens at eight.\n\n...\n\n---\n\nText\n", "It opens at eight.\n\n...", 3],
  ])("keeps text between rules at the start: %j", async (between, expected, line) => {
    const document = await readOne("a.md", between);
    expect(document.text).toContain(expected);
    expect(document.text).toContain("Text");
    expect(placeOfPhrase(document, "opens at eight")).toEqual({ line });
  });

  it("ends front matter at three dots", async () => {
    const document = await readOne("a.md", "---\ntitle: Mill\n...\n\nThe mill.\n\n---\n\nThe yard.\n");
    expect(document).toMatchObject({ title: "Mill", text: "The mill.\n\nThe yard." });
    expect(placeOfPhrase(document, "The yard")).toEqual({ line: 9 });
  });
});

describe("html", () => {
  const source = `<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>The  Observatory
 &amp; more</title>
<style>p { color: red }</style></head>
<body>
<nav><a href="/">Home</a></nav>
<h1>Welcome</h1>
<p>It was founded by <b>Ines</b>
   Calder   in&nbsp;1911.<br>Next line</p>
<p hidden>secret</p>
<div style="display: none">secret</div>
<ul><li>one</li>
<li>two <em>more</em></li></ul>
<table><tr><th>Name</th><th>Born</th></tr>
<tr><td><p>Ada</p></td><td>1815</td></tr></table>
<pre>
  kept   as
    it is
</pre>
<script>var x = "secret";</script><noscript>secret</noscript><template><p>secret</p></template>
loose text<p>a<span>b</span>c
</body></html>`;

  it("extracts what is visible, by blocks", async () => {
    const document = await readOne("a.html", source);
    expect(document.title).toBe("The Observatory & more");
    expect(document.text).toBe(
      [
        "Welcome",
        "It was founded by Ines Calder in\u00a01911.\nNext line",
        "• one\n• two more",
        "Name | Born\nAda | 1815",
        "  kept   as\n    it is",
        "loose text",
        "abc",
      ].join("\n\n"),
    );
  });

  it.each([
    ["<ol><li>a<li>b<ol type=a><li>c<li>d</ol></ol>", "1. a\n2. b\n\na. c\nb. d"],
    ["<ol start=9><li>a<li value=20>b<li>c</ol><ol reversed><li>d<li>e</ol>", "9. a\n20. b\n21. c\n\n2. d\n1. e"],
    ["<ol type=I start=3><li>a<li>b</ol><ol start=x type=z><li>c</ol>", "III. a\nIV. b\n\n1. c"],
    [
      "<ul style='list-style: none'><li>a</ul><ul><li style='list-style-type:none'>b<li></li><li>c</ul>d",
      "a\n\nb\n• c\n\nd",
    ],
    ["<ol style='list-style-type: lower-alpha'><li>a</ol><ol type=toString><li>b</ol>", "a. a\n\n1. b"],
    ["<ul><li><input type=checkbox checked disabled> a<li><h2>b</h2>c</ul>", "☑ a\n\n• b\n\nc"],
    ["<table><tr><td>x<td><ul><li>a<li>b</ul></table>", "x\n\n• a\n• b"],
  ])("marks the items of lists: %s", async (source, text) => {
    expect((await readOne("a.html", source)).text).toBe(text);
  });

  it.each([
    ["10<sup>6</sup> m<sup><b>−2</b></sup>, 1<sup>st</sup>, CO<sub>2</sub>", "10⁶ m⁻², 1st, CO2"],
    ["the rent<sup><a href='#n1'>12</a></sup> is due", "the rent¹² is due"],
    [
      "<input type=checkbox checked>Gas<input type='checkbox' disabled> Oil <input type=radio>Wood",
      "☑ Gas ☐ Oil ☐ Wood",
    ],
    ["<input type=checkbox id=menu> a <input type=text value=b><input type=checkbox hidden checked> c", "a c"],
    ["<input type=checkbox name=a checked> <label>Gas</label><input type=checkbox name=b> Oil", "☑ Gas Oil"],
    ["<input type=radio name=t id=t1 checked><input type=radio name=t id=t2><div>Tabs</div>", "Tabs"],
    ["<table><tr><td>Pets<td><input type=checkbox checked><td>Smoking<td>no</table>", "Pets | ☑ | Smoking | no"],
  ])("shows raised numbers and check boxes: %s", async (source, text) => {
    expect((await readOne("a.html", `<p>${source}</p>`)).text).toBe(text);
  });

  it("reads headings that are buttons, and no other buttons", async () => {
    const fold =
      "<h2>Setup <button>Copy link</button></h2><h3><i></i><span><button>Are dogs <b>allowed</b>?</button></span></h3><div>Yes. <button>Show less</button></div>";
    const { text, headings } = await readOne("a.html", `<!DOCTYPE html><body>${fold}`);
    expect(text).toBe("Setup\n\nAre dogs allowed?\n\nYes.");
    expect(headings).toEqual([
      { start: 0, end: 5, level: 2 },
      { start: 7, end: 24, level: 3 },
    ]);
  });

  it("takes linear time for the check boxes of a very long form", async () => {
    const { text } = await readOne("a.html", `<body>${"<input type=checkbox name=a checked>x ".repeat(100_000)}`);
    expect(text.slice(0, 9)).toBe("x x x x x");
  });

  it("reads hidden tabs, sections and answers that one click shows", async () => {
    const html =
      '<div role="tabpanel" hidden>Run pumpd.</div><section hidden="until-found">The key.</section>' +
      '<div><button aria-expanded="false">How long is it?</button><div style="display:none">36 months.</div></div>' +
      '<h3>Can I return it?</h3><div aria-hidden="true"><p>Within 14 days.</p></div>' +
      '<button aria-expanded="false">Menu</button><p><span hidden>No</span></p><div hidden>No</div>' +
      '<button aria-expanded="false" aria-haspopup="true">My own account</button><div hidden>No</div>';
    expect((await readContent("a.html", html)).documents[0]!.text).toBe(
      "Run pumpd.\n\nThe key.\n\nHow long is it?\n\n36 months.\n\nCan I return it?\n\nWithin 14 days.",
    );
  });

  it.each([
    ["<mn>5</mn><mo>⋅</mo><msup><mn>10</mn><mn>6</mn></msup>", "5⋅10⁶"],
    [
      "<semantics><mfrac><mn>3</mn><mrow><mi>a</mi><mo>+</mo><mn>8</mn></mrow></mfrac><annotation>x</annotation></semantics>",
      "3/(a+8)",
    ],
    ["<msup><mi>x</mi><mrow><mi>n</mi> <mo>+</mo> <mn>1</mn></mrow></msup>", "x^(n+1)"],
    ["<msqrt><mi>x</mi><mo>+</mo><mn>1</mn></msqrt><mroot><mi>y</mi><mn>3</mn></mroot>", "√(x+1)³√y"],
    ["<mover><mi>x</mi><mo>¯</mo></mover><mo>=</mo><msub><mi>a</mi><mn>1</mn></msub>", "x̄=a_1"],
    [
      "<munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover><mi>sin</mi><mo>\u2061</mo><mi>f</mi><mo>\u2062</mo><mi>y</mi>",
      "∑_i^nsin fy",
    ],
  ])("reads the formula %j as a line", async (math, text) => {
    const { documents } = await readContent("a.html", `<p>It is <math>${math}</math>, they say.</p>`);
    expect(documents[0]!.text).toBe(`It is ${text}, they say.`);
  });

  it("reads formulas that are nested deeply, or that an image hides", async () => {
    const deep = `${"<math>".padEnd(6 + 6 * 20_000, "<mrow>")}x`;
    expect((await readContent("a.html", `<p>Deep ${deep}`)).documents[0]!.text).toBe("Deep x");
    const hidden =
      '<span class="mwe-math-mathml-inline" style="display: none;"><math><mi>E</mi></math></span><img alt="E">';
    expect((await readContent("a.html", `<p>Energy ${hidden}.</p>`)).documents[0]!.text).toBe("Energy E.");
  });

  it("reads text in superscript by its element or style, also if it is no whole number", async () => {
    const html =
      '<p>10<span style="vertical-align: super">3</span>, x<sup>n+1</sup>, 10<sup>-3.5</sup>, 2<sup>n</sup>, 1<sup>st</sup>, so<sup>1,2</sup></p>';
    expect((await readContent("a.html", html)).documents[0]!.text).toBe("10³, x^(n+1), 10^-3.5, 2^n, 1st, so¹,²");
  });

  it("keeps references to notes apart from the number before them", async () => {
    const html =
      '<p>Built in 1602<a role="doc-noteref" href="#n">3</a>, rebuilt in 1700<a epub:type="noteref">4</a>.</p>';
    expect((await readContent("a.html", html)).documents[0]!.text).toBe("Built in 1602³, rebuilt in 1700⁴.");
  });

  it("does not read furigana", async () => {
    const ruby = "<ruby>東<rp>(</rp><rt>とう</rt><rp>)</rp>京<rt>きょう</rt></ruby>";
    expect((await readOne("a.html", `<p>${ruby}に行く</p>`)).text).toBe("東京に行く");
  });

  it.each([
    ["<p>It is <del>5</del> <ins>6</ins>.", "It is 6."],
    ["<ul><li><s>Buy milk</s></li><li><s>Old</s> new</li></ul>", "• Buy milk\n• new"],
    ["<ul><li><strike>Oil <b>it</b></strike>.<ul><li>Twice</li></ul></li></ul>", "• Oil it.\n\n• Twice"],
    ["<del><p>Closed</p></del><p>Open</p>", "Closed\n\nOpen"],
    ["<table><tr><th>a<th>b<tr><td><del>5</del><td>6</table>", "a | b\n | 6"],
  ])("leaves out what is struck out of a line: %s", async (source, text) => {
    expect((await readOne("a.html", source)).text).toBe(text);
  });

  it("takes linear time for struck-out text", async () => {
    for (const source of ["<p><del>a</del> <del>b</del> ".repeat(20_000), `<p>${"<del>a</del> ".repeat(50_000)}`])
      expect((await readContent("a.html", source)).skips).toEqual([]);
    expect((await readContent("a.html", `<p>${"<del>".repeat(20_000)}a`)).skips).toEqual([]);
  });

  it("reads the texts of a drawing, and nothing of its shapes", async () => {
    const texts =
      '<text x="1">Inlet <tspan class="b">9</tspan> l</text><text><tspan y="1">Two</tspan><tspan y="2">lines</tspan></text>';
    const source = `<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"><title>Pump</title><desc>Of brass.</desc><style>p{}</style><path d="M10 10"/>\n<g>${texts}</g></svg>`;
    const document = await readOne("a.svg", source);
    expect(document).toMatchObject({ title: "Pump", text: "Pump\n\nOf brass.\n\nInlet 9 l\n\nTwo lines" });
    expect(placeOfPhrase(document, "Inlet")).toEqual({ line: 3 });
    expect((await readContent("b.svg", "<svg><path d='M1'/></svg>")).skips).toMatchObject([{ reason: "has no text" }]);
  });

  it("ties text to lines and node paths", async () => {
    const document = await readOne("a.html", source);
    expect(placeOfPhrase(document, "Welcome")).toEqual({ line: 7, path: "html/body/h1" });
    expect(placeOfPhrase(document, "founded")).toEqual({ line: 8, path: "html/body/p[1]" });
    expect(placeOfPhrase(document, "Calder")).toEqual({ line: 9, path: "html/body/p[1]" });
    expect(placeOfPhrase(document, "two")).toEqual({ line: 13, path: "html/body/ul/li[2]" });
    expect(placeOfPhrase(document, "1815")).toMatchObject({ line: 15 });
    expect(placeOfPhrase(document, "kept")).toMatchObject({ line: 17 });
    expect(placeOfPhrase(document, "it is")).toMatchObject({ line: 18 });
    expect(placeOfPhrase(document, "loose")).toMatchObject({ line: 21 });
  });

  it.each([
    ["<b>first</b>\nsecond line\n  third", "first\nsecond line\n  third"],
    ["<i># one</i>\nx = 1\n<b>def</b> f():\n    <b>return</b> 2", "# one\nx = 1\ndef f():\n    return 2"],
    ["<i>a</i>   <i>b</i>\n\n<i>c</i>  \n\t<i>d</i>", "a   b\n\nc\n\td"],
    ["\n  <i>a</i>  <br>b  <div>c </div>d  ", "  a\nb\n\nc\n\nd"],
  ])("keeps lines and indents of preformatted text around inline elements: %j", async (source, text) => {
    const document = await readOne("a.html", `<p>x</p><pre>${source}</pre><p>y</p>`);
    expect(document.text).toBe(`x\n\n${text}\n\ny`);
  });

  it("gives lines of preformatted text with inline elements their place", async () => {
    const document = await readOne("a.html", "<pre><i>a</i>\n\n  <i>b</i> c\n<i>d</i></pre>");
    for (const [phrase, line] of Object.entries({ a: 1, b: 3, c: 3, d: 4 }))
      expect(placeOfPhrase(document, phrase)).toMatchObject({ line });
  });

  it("takes the encoding from the page", async () => {
    const page = '<html><head><meta http-equiv="Content-Type" content="text/html; charset=';
    const shiftJis = Buffer.concat([
      Buffer.from(`${page}shift_jis"></head><p>`),
      Buffer.of(0x93, 0x56),
      Buffer.from("</p>"),
    ]);
    expect((await readOne("a.html", shiftJis)).text).toBe("天");
    const latin1 = Buffer.from(`${page}iso-8859-1"></head><p>Müller</p>`, "latin1");
    expect((await readOne("a.htm", latin1)).text).toBe("Müller");
    expect((await readOne("a.html", Buffer.from("\ufeff<p>Müller</p>", "utf16le"))).text).toBe("Müller");
    expect((await readOne("a.html", `${page}no-such-thing"></head><p>Müller</p>`)).text).toBe("Müller");
  });

  it("takes the first h1, then the file's name, for the title", async () => {
    expect((await readOne("a.html", "<p>x</p><h1>The <i>Title</i></h1>")).title).toBe("The Title");
    expect((await readOne("page.html", "<p>x</p>")).title).toBe("page");
  });

  it.each([
    ["<p>A <![CDATA[x < 1 & <b>y</b> -- ]> ]]>B</p>", "A x < 1 & <b>y</b> -- ]> B"],
    ["<pre><![CDATA[if (a<b)\n  c();]]></pre>", "if (a<b)\n  c();"],
    ["<style>/*<![CDATA[*/ p > a {} /*]]>*/</style><p>A</p>", "A"],
    ["<!-- <![CDATA[ --><p>A</p><!-- ]]> --><p>B</p>", "A\n\nB"],
    ["<p>A</p><![CDATA[B", "A"],
  ])("reads CDATA sections of XHTML as text: %s", async (body, shown) => {
    const page = `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body>${body}</body></html>`;
    expect((await readOne("a.xhtml", page)).text).toBe(shown);
  });

  it("reads XHTML with empty elements", async () => {
    const page =
      '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><a id="x"/><p>Text</p></body></html>';
    expect((await readOne("a.xhtml", page)).text).toBe("Text");
  });

  it("survives 20,000 nested elements", async () => {
    const deep = "<b>".repeat(20_000);
    expect((await readOne("a.html", `<p>${deep}x`)).text).toBe("x");
  });

  it("recognises HTML without an ending", async () => {
    expect((await readOne("page", "<!-- saved -->\n<!doctype html><p>Text")).map.kind).toBe("html");
  });
});

describe("ipynb", () => {
  it("reads the values NaN and Infinity of outputs as null", async () => {
    const data = '{"application/json": {"a": NaN, "b": -Infinity}, "text/plain": "NaN stays"}';
    const cell = `{"cell_type": "code", "source": "x", "outputs": [{"data": ${data}}]}`;
    expect((await readOne("a.ipynb", `{"cells": [${cell}], "metadata": {}}`)).text).toBe("x\n\nNaN stays");
  });

  it("reads Markdown that a cell shows", async () => {
    const plain = "<IPython.core.display.Markdown object>";
    const data = { "text/markdown": ["## Result\n", "It took **9** hours."], "text/plain": plain };
    const cells = [{ cell_type: "code", source: "show()", outputs: [{ data }, { text: "done\n" }, null, 5] }];
    const document = await readOne("a.ipynb", JSON.stringify({ cells, metadata: {} }));
    expect(document.text).toBe("show()\n\nResult\n\nIt took 9 hours.\n\ndone");
    expect(placeOfPhrase(document, "9 hours")).toEqual({ path: "cell 1, output" });
  });
});
