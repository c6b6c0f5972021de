/** csv, json, jsonl, squad, and .gz around the text formats. */

import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { SeenIds } from "../../adapters/node/documents/formats/records.js";
import { readDocuments } from "../../adapters/node/documents/read-documents.js";
import { encodeAs } from "../support/older-encodings.js";
import { placeOfPhrase, readContent, TestFolder } from "./fixtures/folder.js";

const lines = (...records: unknown[]) => records.map((record) => `${JSON.stringify(record)}\n`).join("");

describe("jsonl", () => {
  it("gives a document a line, with the record's own id and exact text", async () => {
    const { documents, skips } = await readContent(
      "a.jsonl",
      lines(
        { id: "one", title: "First", text: " a \n b ", metadata: { year: 1911, tags: ["x"], deep: {} }, lang: "en" },
        { _id: 2, text: "second" },
        { text: "third" },
      ),
    );
    expect(skips).toEqual([]);
    expect(documents).toEqual([
      {
        id: "one",
        title: "First",
        text: " a \n b ",
        source: "a.jsonl",
        map: { kind: "jsonl", segments: [{ start: 0, line: 1 }] },
        metadata: { lang: "en", year: 1911, tags: ["x"] },
      },
      expect.objectContaining({ id: "2", title: "", text: "second", metadata: undefined }),
      expect.objectContaining({ id: "a.jsonl#3", map: { kind: "jsonl", segments: [{ start: 0, line: 3 }] } }),
    ]);
    expect(placeOfPhrase(documents[0]!, "b")).toEqual({ line: 1 });
  });

  it("skips broken lines and says which, and reads the rest", async () => {
    const { documents, skips } = await readContent(
      "a.jsonl",
      `${lines({ id: "a", text: "x" })}{"id": \n\n[1]\n{"id":"b"}\n{"id":"c","text":7}\n{"id":"d","text":"  "}\n{"id":{},"text":"x"}\n${lines({ id: "a", text: "again" })}{"id":"z","text":"last"}`,
    );
    expect(documents.map((document) => document.id)).toEqual(["a", "z"]);
    expect(skips.map((skip) => [skip.line, skip.reason])).toEqual([
      [2, "line 2 is not valid JSON"],
      [4, "line 4 is not an object"],
      [5, "line 5 has no text"],
      [6, "line 6 has a text that is not a string"],
      [7, "line 7 has an empty text"],
      [8, "line 8 has an id that is neither a string nor a number"],
      [9, 'line 9 repeats the id "a"'],
    ]);
    for (const skip of skips) expect(skip).toMatchObject({ source: "a.jsonl", hint: expect.any(String) });
  });

  it("keeps all digits of an id that is too large for a number", async () => {
    const { documents, skips } = await readContent(
      "a.jsonl",
      '{"id": 1234567890123456781, "text": "1234567890123456789"}\n{"text":"\\"id\\": 9", "n":[1.5, 2e9], "_id":-12345678901234567892}\n',
    );
    expect(skips).toEqual([]);
    expect(documents.map(({ id, text }) => [id, text])).toEqual([
      ["1234567890123456781", "1234567890123456789"],
      ["-12345678901234567892", '"id": 9'],
    ]);
  });

  it("reports the first twenty broken lines and counts the others", async () => {
    const { documents, skips } = await readContent("a.jsonl", `${"broken\n".repeat(50)}{"text":"x"}\n`);
    expect(documents).toHaveLength(1);
    expect(skips).toHaveLength(21);
    expect(skips[20]).toMatchObject({ reason: "has 30 more records that were skipped", count: 30 });
  });

  it("says so when no line is a document", async () => {
    const { skips } = await readContent("a.jsonl", "{}\n");
    expect(skips.map((skip) => skip.reason)).toEqual(["line 1 has no text", "gave no documents"]);
  });

  it("drops a line longer than the limit, not the file", async () => {
    const { documents, skips } = await readContent(
      "a.jsonl",
      lines({ id: "a", text: "x" }, { id: "b", text: "y".repeat(1000) }, { id: "c", text: "z" }),
      { limits: { maxRecordUnits: 500 } },
    );
    expect(documents.map((document) => document.id)).toEqual(["a", "c"]);
    expect(skips).toMatchObject([{ line: 2, reason: "line 2 is too long" }]);
  });

  it("replaces lone surrogates; keeps offsets", async () => {
    const { documents } = await readContent("a.jsonl", '{"id":"\\ud800","text":"a\\ud83db😀"}\n');
    expect(documents).toMatchObject([{ id: "\ufffd", text: "a\ufffdb😀" }]);
  });

  it("keeps a metadata field called __proto__ a field", async () => {
    const { documents } = await readContent("a.jsonl", '{"text":"x","__proto__":["a"]}\n');
    expect(Object.keys(documents[0]!.metadata!)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(documents[0]!.metadata)).toBe(Object.prototype);
  });

  it("reads UTF-16, a byte order mark and \\r\\n, and characters cut by a read", async () => {
    const record = lines({ id: "a", text: "Grüße 漢字 and more" }, { id: "b", text: "x" }).replaceAll("\n", "\r\n");
    for (const bytes of [
      Buffer.from(`\ufeff${record}`),
      Buffer.from(`\ufeff${record}`, "utf16le"),
      Buffer.from(record, "utf16le"),
    ]) {
      const { documents, skips } = await readContent("a.jsonl", bytes);
      expect(skips).toEqual([]);
      expect(documents.map((document) => document.text)).toEqual(["Grüße 漢字 and more", "x"]);
    }
    const many = lines(...Array.from({ length: 30_000 }, (_, id) => ({ id, text: "漢字€😀" })));
    const { documents } = await readContent("a.jsonl", many);
    expect(new Set(documents.map((document) => document.text))).toEqual(new Set(["漢字€😀"]));
    expect(documents).toHaveLength(30_000);
  });

  it("recognises JSON lines without an ending, and on standard input", async () => {
    const { documents } = await readContent("corpus", lines({ id: "a", text: "x" }));
    expect(documents[0]!.map.kind).toBe("jsonl");
    const input = { path: "-", absolutePath: "-", id: "stdin", size: 0, mtimeMs: 0 };
    const seen: string[] = [];
    async function* stdin() {
      yield Buffer.from('{"id":"a","te');
      yield Buffer.from('xt":"x"}\n{"id":"b","text":"y"}');
    }
    for await (const document of readDocuments(input, { content: stdin(), onSkip() {} })) seen.push(document.id);
    expect(seen).toEqual(["a", "b"]);
  });

  it("reads NaN and Infinity, which Python writes, as no value", async () => {
    const { documents, skips } = await readContent(
      "a.jsonl",
      '{"id": 12345678901234567890, "text": "NaN is", "score": NaN}\n{"text": "two", "score": -Infinity}\n',
    );
    expect(skips).toEqual([]);
    expect(documents).toMatchObject([
      { id: "12345678901234567890", text: "NaN is", metadata: undefined },
      { text: "two" },
    ]);
  });

  it("reads the values of records that have no text, as JSON does", async () => {
    const source = lines({ prompt: "What?", answer: "That." }, { prompt: "Who?", answer: "Me." });
    const { documents, skips } = await readContent("a.jsonl", `\n${source}`);
    expect(skips).toEqual([]);
    expect(documents).toMatchObject([
      { id: "a.jsonl", text: "prompt: What?\nanswer: That.\n\nprompt: Who?\nanswer: Me." },
    ]);
    expect(placeOfPhrase(documents[0]!, "Who")).toEqual({ line: 3 });
    const mixed = await readContent("a.jsonl", lines({ id: "a" }, { id: "b", text: "x" }));
    expect(mixed.documents.map(({ id }) => id)).toEqual(["b"]);
  });

  it("streams: documents come before the stream ends", async () => {
    const input = { path: "-", absolutePath: "-", id: "stdin", size: 0, mtimeMs: 0 };
    let produced = 0;
    async function* endless() {
      for (;;) yield Buffer.from(lines({ id: produced++, text: "x".repeat(10_000) }));
    }
    const seen: string[] = [];
    for await (const document of readDocuments(input, { format: "jsonl", content: endless(), onSkip() {} })) {
      if (seen.push(document.id) === 1000) break;
    }
    expect(seen).toHaveLength(1000);
    expect(produced).toBeLessThan(1500);
  });

  it("knows ids that were seen, like a Set", () => {
    const seen = new SeenIds();
    for (let i = 0; i < 200_000; i++) if (!seen.add(`id-${i}`)) throw new Error(`id-${i} was never added`);
    for (let i = 0; i < 200_000; i++) if (seen.add(`id-${i}`)) throw new Error(`id-${i} is forgotten`);
  });
});

describe("csv", () => {
  it("gives a document a row when there is a column text", async () => {
    const source =
      '\ufeffid,title,text,year,note\n1,One,"first ""quoted""",1911,\n\n2,Two,"a\r\nb\nc",1912,x\n,No id,third,,\n';
    const { documents, skips } = await readContent("a.csv", source);
    expect(skips).toEqual([]);
    expect(documents).toMatchObject([
      { id: "1", title: "One", text: 'first "quoted"', metadata: { year: "1911" }, map: { kind: "csv" } },
      { id: "2", title: "Two", text: "a\r\nb\nc", metadata: { year: "1912", note: "x" } },
      { id: "a.csv#3", title: "No id", text: "third" },
    ]);
    expect(placeOfPhrase(documents[0]!, "quoted")).toEqual({ line: 2, path: "row 1" });
    expect(placeOfPhrase(documents[1]!, "c")).toEqual({ line: 6, path: "row 2" });
    expect(placeOfPhrase(documents[2]!, "third")).toEqual({ line: 7, path: "row 3" });
  });

  it("gives one document with a sentence a value otherwise", async () => {
    const source = 'Name;Born;Known for\nInes Calder;1880;The observatory.\nAda;;"Notes,\non the engine"\nLast;1;x\n';
    const { documents, skips } = await readContent("people.csv", source);
    expect(skips).toEqual([]);
    expect(documents).toHaveLength(1);
    const [document] = documents;
    expect(document).toMatchObject({
      id: "people.csv",
      title: "people",
      metadata: { columns: ["Name", "Born", "Known for"] },
    });
    expect(document!.text).toBe(
      "Name: Ines Calder. Born: 1880. Known for: The observatory.\n\nName: Ada. Known for: Notes,\non the engine.\n\nName: Last. Born: 1. Known for: x.",
    );
    expect(placeOfPhrase(document!, "1880")).toEqual({ line: 2, path: "row 1" });
    expect(placeOfPhrase(document!, "Ada")).toEqual({ line: 3, path: "row 2" });
    expect(placeOfPhrase(document!, "Last")).toEqual({ line: 5, path: "row 3" });
  });

  it("reads quoted values after spaces", async () => {
    const { documents, skips } = await readContent(
      "a.csv",
      'name, city, note\n"Smith, John", "New York, NY", "a, b\nc"\nAda,  Köln , \n',
    );
    expect(skips).toEqual([]);
    expect(documents[0]!.text).toMatch(
      /^name: Smith, John\. city: New York, NY\. note: a, b\s?\n?c\.\n\nname: Ada\. city: Köln ?\.$/,
    );
  });

  it("reads tabs, Latin-1, and rows of other lengths", async () => {
    const tsv = await readContent("a.tsv", "id\ttext\n1\ta, b; c\textra\n2\n");
    expect(tsv.documents.map((document) => document.text)).toEqual(["a, b; c"]);
    expect(tsv.skips).toMatchObject([{ line: 3, reason: "row 2 (line 3) has no text" }]);
    const latin1 = await readContent("a.csv", Buffer.from("id,text\n1,Müller\n", "latin1"));
    expect(latin1.documents[0]!.text).toBe("Müller");
  });

  it.each([
    ["the last value", '1\t"Rome\t2001\n2\tPlain\t2002\n3\t"Weird" name\t2003\n4\tX\t2004\n5\t"End\t2005\n', 5],
    ["a value on the last line", '1\tRome\t2001\n2\t"End\t2002\n', 2],
    ["a value of a long file", `${'1\t"Rome\t2001\n'.repeat(6000)}2\tOslo\t2002\n`, 6001],
  ])("knows that a file of tabs quotes nothing by %s", async (_by, rows, count) => {
    const { documents, skips } = await readContent("a.tsv", `id\tname\tyear\n${rows}`);
    expect(skips).toEqual([]);
    const { text } = documents[0]!;
    expect(text.split("\n\n")).toHaveLength(count);
    expect(text).toMatch(/name: "(?:Rome|End)\. year: 200[12]\./);
  });

  it.each(["", `3\t"${"A long note.\n".repeat(9000)}"\n`])("reads quoted values between tabs (%#)", async (more) => {
    const { documents } = await readContent("a.tsv", `id\tnote\n1\t"a\tb\nc"\n2\t"x ""y"" z"\n${more}`);
    expect(documents[0]!.text).toMatch(/^id: 1\. note: a\tb\nc\.\n\nid: 2\. note: x "y" z\./);
  });

  it("makes a document of each row only if its text is one", async () => {
    const bank = await readContent("a.csv", "Date;Text;Amount\n2 May;Rent;-800\n3 May;Oil and bread;-12\n");
    expect(bank.documents.map(({ text }) => text)).toEqual([
      "Date: 2 May. Text: Rent. Amount: -800.\n\nDate: 3 May. Text: Oil and bread. Amount: -12.",
    ]);
    const reviews = await readContent(
      "a.csv",
      "stars,text\n5,I liked it very much.\n1,The pump leaked after a week.\n",
    );
    expect(reviews.documents).toMatchObject([{ metadata: { stars: "5" } }, { metadata: { stars: "1" } }]);
    const japanese = await readContent("a.csv", "year,text\n1990,登山会の規約と会費について\n");
    expect(japanese.documents[0]!.metadata).toEqual({ year: "1990" });
  });

  it.each([
    [
      '"Account","123456"\n"Owner","Ana"\n"Date","Payee","Amount"\n"May","Rent","5"\n"June","Oil","6"\n"July","Tax","7"\n',
      "Account 123456\nOwner Ana\n\nDate: May.",
    ],
    ["Account,123456\nDate,Payee,Amount\nMay,Rent,5\n", "Account 123456\n\nDate: May."],
    ["Bank,Oslo,North\n\nDate,Payee,Note,Amount\nMay,Rent,x,5\nJune,Oil,y,6\n", "Bank Oslo North\n\nDate: May."],
    ["Account,123456,\n,,\nDate,Payee,Amount\nMay,Rent,5\nJune,Oil,6\n", "Account 123456\n\nDate: May."],
    ["age,height\nAna,30,170\nBen,31,171\n", "age: Ana. height: 30. 170."],
    ["name,town\nAna,Rome,x\nBen,Oslo,y\n", "name: Ana. town: Rome. x."],
  ])("finds the header of %j", async (source, start) => {
    const { text } = (await readContent("a.csv", source)).documents[0]!;
    expect(text.slice(0, start.length)).toBe(start);
  });

  it.each([",", ";", "\t"])("does not read the line that names the delimiter %j for Excel", async (delimiter) => {
    const lines = [`sep=${delimiter}`, ["part", "price"], ["Bolt", "7"]];
    const { documents } = await readContent("a.csv", lines.map((line) => [line].flat().join(delimiter)).join("\r\n"));
    expect(documents[0]).toMatchObject({ text: "part: Bolt. price: 7.", metadata: { columns: ["part", "price"] } });
  });

  it("writes lines above the header before the rows, and counts rows below the header", async () => {
    const bank = "Account: DE12\n\nDay;Payee;Note;Amount\n2 May;City;Bread, rolls;-84,50\n3 May;Huber;Oil;-12,30\n";
    const { documents } = await readContent("a.csv", bank);
    expect(documents[0]!.text).toBe(
      "Account: DE12\n\nDay: 2 May. Payee: City. Note: Bread, rolls. Amount: -84,50.\n\nDay: 3 May. Payee: Huber. Note: Oil. Amount: -12,30.",
    );
    expect(placeOfPhrase(documents[0]!, "DE12")).toEqual({ line: 1 });
    expect(placeOfPhrase(documents[0]!, "Huber")).toEqual({ line: 5, path: "row 2" });
    const excel = await readContent("a.csv", "Report 2024,,\nRegion,Manager,Revenue\nNorth,Ada,1200\n");
    expect(excel.documents[0]!.text).toBe("Report 2024\n\nRegion: North. Manager: Ada. Revenue: 1200.");
  });

  it.each([
    ["id|name|price\n1|Smith, John|12,50\n", "id: 1. name: Smith, John. price: 12,50."],
    ["note\nThe mill, built in 1602, stands.\n", "note: The mill, built in 1602, stands."],
    ["a, b\n1, 2\n", "a: 1. b: 2."],
    ["a, b, c\n1,2,3\n4,5,6\n", "a: 1. b: 2. c: 3.\n\na: 4. b: 5. c: 6."],
    [
      "name,note\nAda,likes oil, water, air\nBen,none\n",
      "name: Ada. note: likes oil. water. air.\n\nname: Ben. note: none.",
    ],
    [",value\nNorth,12\n", "North. value: 12."],
    ["text\nfoo,bar\nbaz,qux\n", "foo,bar"],
  ])("finds the delimiter of %j", async (source, text) => {
    expect((await readContent("a.csv", source)).documents[0]!.text).toBe(text);
  });

  it.each([
    ["utf-8", "Müller"],
    ["windows-1254", "Müller"],
    ["windows-1251", "Правила пользования бассейном"],
    ["shift_jis", "登山会の規約と会費について"],
  ])("decides about the encoding where ASCII ends: %s", async (label, name) => {
    const rows = "1,the pump needs nine litres of oil\n".repeat(10_000); // more than is read at once
    const last = label === "utf-8" ? Buffer.from(name) : encodeAs(name, label);
    const { documents } = await readContent("a.csv", Buffer.concat([Buffer.from(`id,note\n${rows}2,`), last]));
    expect(documents[0]!.text.endsWith(`id: 2. note: ${name}.`)).toBe(true);
  });

  it("says where rows repeat an id or a quote is never closed", async () => {
    const { documents, skips } = await readContent("a.csv", 'id,text\n1,a\n1,b\n2,"never closed\n3,c\n');
    expect(documents.map((document) => document.text)).toEqual(["a"]);
    expect(skips.map((skip) => skip.reason).sort()).toEqual([
      'row 2 (line 3) repeats the id "1"',
      "the row that begins at line 4 opens a quote that is never closed, so the rest of the file was not read",
    ]);
  });

  it.each(["text", "note"])("drops a row longer than the limit, not the file (with a column %s)", async (column) => {
    const long = `2,"${"y\r\n".repeat(1000)}"`;
    const good = Array.from({ length: 998 }, (_, i) => `${i + 3},z${i}`);
    const source = [`id,${column}`, "1,x", long, ...good].join("\n");
    const { documents, skips } = await readContent("a.csv", source, { limits: { maxRecordUnits: 2000 } });
    const hint = expect.any(String);
    expect(skips).toMatchObject([{ line: 3, reason: "the row that begins at line 3 is too long", hint }]);
    expect(documents).toHaveLength(column === "text" ? 999 : 1);
    expect(placeOfPhrase(documents.at(-1)!, "z997")).toEqual({ line: 4 + 1000 + 997, path: "row 999" });
  });

  it("reports once that a quote is open, and keeps the rows before it", async () => {
    const source = `id,text\n1,a\n2,"oops\n${"3,b\n".repeat(1000)}`;
    const { documents, skips } = await readContent("a.csv", source, { limits: { maxRecordUnits: 2000 } });
    expect(documents.map(({ text }) => text)).toEqual(["a"]);
    expect(skips).toMatchObject([{ line: 3, reason: expect.stringContaining("never closed") }]);
  });

  it("is not read if its header is too long", async () => {
    const source = `id,text,${"x".repeat(3000)}\n1,text\n2,b\n`;
    const { documents, skips } = await readContent("a.csv", source, { limits: { maxRecordUnits: 2000 } });
    expect(documents).toEqual([]);
    expect(skips[0]!.reason).toBe("the row that begins at line 1 is too long");
  });

  it("says when there is only a header", async () => {
    expect((await readContent("a.csv", "name,born\n")).skips).toMatchObject([
      { reason: "has no rows below its header" },
    ]);
    expect((await readContent("a.csv", "id,text\n")).skips).toMatchObject([{ reason: "gave no documents" }]);
  });
});

describe("squad", () => {
  const squad = {
    version: "1.1",
    data: [
      {
        title: "Super_Bowl_50",
        paragraphs: [
          { context: "  Exact\ntext. ", qas: [] },
          { context: " ", qas: [] },
        ],
      },
      { title: "Warsaw", paragraphs: [{ context: "Second", qas: [] }, { qas: [] }] },
    ],
  };

  it("gives a document a paragraph, its context unchanged", async () => {
    const { documents, skips } = await readContent("dev.json", JSON.stringify(squad));
    expect(documents).toEqual([
      {
        id: "Super_Bowl_50#0",
        title: "Super Bowl 50",
        text: "  Exact\ntext. ",
        source: "dev.json",
        map: { kind: "squad", segments: [{ start: 0, path: "data[0].paragraphs[0]" }] },
      },
      expect.objectContaining({ id: "Warsaw#0", text: "Second" }),
    ]);
    expect(skips.map((skip) => skip.reason)).toEqual([
      "data[0].paragraphs[1] is empty",
      "data[1].paragraphs[1] has no context",
    ]);
    expect(placeOfPhrase(documents[0]!, "text")).toEqual({ path: "data[0].paragraphs[0]" });
  });

  it("recognises it without an ending", async () => {
    expect((await readContent("dev", JSON.stringify(squad))).documents[0]!.map.kind).toBe("squad");
  });

  it("is read with --format squad whatever the file is called", async () => {
    const { documents } = await readContent("dev.txt", JSON.stringify(squad), { format: "squad" });
    expect(documents.map(({ id }) => id)).toEqual(["Super_Bowl_50#0", "Warsaw#0"]);
  });

  it.each([
    ['{"name": "package", "data": [1]}', "is JSON, but not in the form of SQuAD"],
    ["[]", "is JSON, but not in the form of SQuAD"],
    ["null", "is JSON, but not in the form of SQuAD"],
    ['{"data": [', "is not valid JSON"],
  ])("says why %s is not read with --format squad", async (content, reason) => {
    const { skips } = await readContent("a.json", content, { format: "squad" });
    expect(skips).toMatchObject([{ reason, hint: expect.any(String) }]);
  });
});

describe("json", () => {
  it("writes a value on each line, below its keys, and leaves empty values out", async () => {
    const source = `{
  "name": "Chat of the mill",
  "id": 12345678901234567890123, "empty": {}, "nothing": null, "deep": {"a": [{}, null, {"x": " "}]},
  "tags": ["oil", 1.50, false],
  "messages": [
    {"from": "Ada", "text": "First\\nsecond\\n\\nthird", "reactions": [{"emoji": "👍", "by": {"name": "Ben"}}]},
    {"from": "Ben", "text": "No."}
  ],
  "grid": [[1, 2], [3, "a\\nb"]],
  "last": "\\u00e9"
}`;
    const { documents, skips } = await readContent("export.json", source);
    expect(skips).toEqual([]);
    expect(documents).toHaveLength(1);
    const [document] = documents;
    expect(document).toMatchObject({ id: "export.json", title: "Chat of the mill", map: { kind: "json" } });
    expect(document!.text).toBe(
      [
        "name: Chat of the mill",
        "id: 12345678901234567890123",
        "tags:\n  - oil\n  - 1.50\n  - false",
        "messages:\n  from: Ada\n  text: First\n    second\n\n    third",
        "  reactions:\n    emoji: 👍\n    by:\n      name: Ben\n",
        "  from: Ben\n  text: No.\n",
        "grid:\n  - 1\n  - 2\n\n  - 3\n  - a\n    b\n",
        "last: é",
      ].join("\n"),
    );
    expect(placeOfPhrase(document!, "12345678901234567890123")).toEqual({ line: 3 });
    expect(placeOfPhrase(document!, "second")).toEqual({ line: 6, path: "messages[0]" });
    expect(placeOfPhrase(document!, "👍")).toEqual({ line: 6, path: "messages[0].reactions[0]" });
    expect(placeOfPhrase(document!, "No.")).toEqual({ line: 7, path: "messages[1]" });
    expect(placeOfPhrase(document!, "é")).toEqual({ line: 10 });
  });

  it.each([
    ['{"title": "Keep", "name": "other"}', "Keep"],
    ['{"name": "  verbatim\\n qa "}', "verbatim qa"],
    ['{"title": 7, "a": {"name": "inner"}}', "a"],
    ['[{"name": "item"}]', "a"],
    ['{"title": "one"}\n{"title": "two"}', "a"],
  ])("takes the title of %s from the outermost object", async (content, title) => {
    expect((await readContent("a.json", content)).documents[0]!.title).toBe(title);
  });

  it.each([
    ['"Just text"', "Just text"],
    ["[1, [], 2]", "- 1\n- 2"],
    ['[1, [{}, [2]], {"a": [[3]]}, 4]', "- 1\n\n- 2\n\na:\n  - 3\n\n- 4"],
    ['[{"a": 1}, {"b": 2}]', "a: 1\n\nb: 2"],
    ['{"a": 1}\n{"a": 2}\n', "a: 1\n\na: 2"],
    ['{"": "x", "__proto__": {"toString": "y"}, "a": 1, "a": 2}', "x\n__proto__:\n  toString: y\na: 1\na: 2"],
    ['\ufeff{\r\n  // "why"\r\n  "a": 1, /* { */\r\n  "b": [2,],\r\n}', "a: 1\nb:\n  - 2"],
    ['{"data": [{"title": "T", "text": "x"}], "paragraphs": "y"}', "data:\n  title: T\n  text: x\n\nparagraphs: y"],
    ['{"a": "\\ud800 \\u001b[31mred"}', "a: \ufffd red"],
    ['[{"a": 1}, {"a": NaN, "b": [-Infinity, 2], "c": "NaN"}]', "a: 1\n\nb:\n  - 2\nc: NaN"],
  ])("reads %s", async (content, text) => {
    expect((await readContent("a.json", content)).documents.map((document) => document.text)).toEqual([text]);
  });

  it.each([
    ["has no text", "{}"],
    ["has no text", "null"],
    ["has no text", " "],
    ["is not valid JSON (line 1)", '{"data": ['],
    ["is not valid JSON (line 3)", '{"a": 1,\n "b": 2\n "c": 3}'],
    ["is not valid JSON (line 2)", '{\n"a": "x}'],
    ["is not valid JSON (line 2)", "{\n/* never closed"],
    ["is not valid JSON (line 1)", '["line\nbreak"]'],
    ["is not valid JSON (line 1)", "[1}"],
    ["is not valid JSON (line 1)", "[01]"],
    ["is not valid JSON (line 1)", "[nulls]"],
    ["is not valid JSON (line 1)", "[-NaN]"],
    ["is not valid JSON (line 1)", "[Infinitys]"],
    ["is nested more than 500 levels deep", "[".repeat(100_000)],
    ["is nested more than 500 levels deep", '{"a":'.repeat(100_000)],
  ])("says that a file %s (%#)", async (reason, content) => {
    expect((await readContent("a.json", content)).skips).toMatchObject([{ reason, hint: expect.any(String) }]);
  });

  it("has limits on the number of values and on the text", async () => {
    const many = `[${"1,".repeat(100)}1]`;
    expect((await readContent("a.json", many, { limits: { maxJsonValues: 100 } })).skips).toMatchObject([
      { reason: "has more than 100 values" },
    ]);
    expect((await readContent("a.json", many, { limits: { maxTextUnits: 100 } })).skips).toMatchObject([
      { reason: "has more than 100 characters of text" },
    ]);
  });

  it("keeps deep and long keys in proportion to the file", async () => {
    const key = "k".repeat(90);
    const deep = `${`{"${key}":[`.repeat(200)}${"1,".repeat(20_000)}1${"]}".repeat(200)}`;
    const [document] = (await readContent("a.json", deep)).documents;
    expect(document!.text.length).toBeLessThan(20 * deep.length);
    expect(document!.map.segments.every(({ path = "" }) => path.length <= 100)).toBe(true);
  });
});

describe(".gz", () => {
  it.each([
    ["a.txt.gz", "Plain text"],
    ["a.md.gz", "# Title\n\nPlain text"],
    ["a.html.gz", "<p>Plain text"],
    ["a.csv.gz", "id,text\n1,Plain text\n"],
    ["a.jsonl.gz", '{"id":"1","text":"Plain text"}\n'],
    ["a.json.gz", '{"data":[{"title":"T","paragraphs":[{"context":"Plain text"}]}]}'],
    ["a.gz", "Plain text"],
  ])("reads %s", async (name, content) => {
    const { documents, skips } = await readContent(name, gzipSync(content));
    expect(skips).toEqual([]);
    expect(documents).toHaveLength(1);
    expect(documents[0]!.text).toContain("Plain text");
    expect(documents[0]!.source).toBe(name);
  });

  it("reads members one after another", async () => {
    const content = Buffer.concat([gzipSync('{"text":"a"}\n'), gzipSync('{"text":"b"}\n')]);
    expect((await readContent("a.jsonl.gz", content)).documents.map((document) => document.text)).toEqual(["a", "b"]);
  });

  it("lets go of the file when the reader leaves early", async () => {
    const folder = await new TestFolder().write({
      "a.jsonl.gz": gzipSync(lines(...Array.from({ length: 100_000 }, (_, id) => ({ id, text: `text ${id}` })))),
    });
    for await (const document of readDocuments(folder.input("a.jsonl.gz"), { onSkip() {} })) {
      expect(document.id).toBe("0");
      break;
    }
    folder.remove();
  });
});
