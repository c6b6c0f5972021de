/** Mail and mailboxes: headers, bodies, quotes, attachments; broken, nested and long ones. */

import { describe, expect, it, vi } from "vitest";
import { readUpload } from "../../adapters/node/documents/read-upload.js";
import { parsers } from "../support/parsers.js";
import { fixtureFile } from "./fixtures/fixture-file.js";
import { parseHere, placeOfPhrase, readContent, TestFolder } from "./fixtures/folder.js";
import { endlessPdf } from "./fixtures/pdf.js";

const docxFile = fixtureFile("manual.odt");

const reply = [
  "From: =?UTF-8?Q?Ana_M=C3=BCller?= <ana@example.org>",
  "To: Bo <bo@example.org>, list@example.org",
  "Date: Thu, 3 Apr 2031 21:14:00 +0200",
  "Subject: Re: The pump",
  "Message-ID: <two@example.org>",
  "In-Reply-To: <one@example.org>",
  "Content-Type: text/plain; charset=utf-8",
  "Content-Transfer-Encoding: 8bit",
  "",
  "It needs nine litres of oil.",
  "",
  "On 2 April 2031, Bo wrote:",
  "> How much oil does the pump need?",
  "> And when?",
  "",
  "-- ",
  "Ana",
  "",
].join("\n");
const question = reply
  .replace(/In-Reply-To.*\n/, "")
  .replace("<two@", "<one@")
  .replace("Re: The pump", "The pump")
  .replace(/\n\nIt needs[\s\S]*$/, "\n\nHow much oil does the pump need?\nAnd when?\n");

const part = (headers: string, body: string) => `--x\n${headers}\n\n${body}\n`;
const multipart = (...parts: string[]) =>
  `From: a@example.org\nSubject: Parts\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n${parts.join("")}--x--\n`;

describe("eml", () => {
  it("gives headers as fields and text, and separates quotes from the message", async () => {
    const { documents, skips } = await readContent("a.eml", reply);
    expect(skips).toEqual([]);
    expect(documents[0]).toMatchObject({
      title: "Re: The pump",
      metadata: {
        from: "Ana Müller <ana@example.org>",
        to: ["Bo <bo@example.org>", "list@example.org"],
        date: "2031-04-03",
        subject: "Re: The pump",
      },
    });
    expect(documents[0]!.text).toMatch(/^From: Ana Müller/);
    expect(placeOfPhrase(documents[0]!, "nine litres")).toEqual({ path: "text" });
    expect(placeOfPhrase(documents[0]!, "How much oil")).toEqual({ path: "quoted" });
    expect(documents[0]!.text).not.toContain(">  ");
  });

  it("writes recipients and recipients of copies in lines of their own", async () => {
    const mail =
      "From: a@example.org\nTo: Dana <d@example.org>\nCc: g@example.org, h@example.org\nSubject: x\n\nHello.\n";
    const { text, metadata } = (await readContent("a.eml", mail)).documents[0]!;
    expect(text).toContain("\nTo: Dana <d@example.org>\nCc: g@example.org, h@example.org\nSubject: x\n");
    expect(metadata?.to).toEqual(["Dana <d@example.org>", "g@example.org", "h@example.org"]);
  });

  const pathOfLine = async (line: string, next: string) => {
    const mail = `From: a@example.org\nSubject: x\nContent-Type: text/plain; charset=utf-8\n\nHello.\n\n${line}\n${next}`;
    return placeOfPhrase((await readContent("a.eml", mail)).documents[0]!, line).path;
  };

  it.each([
    "On 2 April 2031, Ana wrote:",
    "On May 3, Ana wrote:",
    "On Thu, Apr 3rd at 9:14 PM Ana <ana@example.org> wrote:",
    "On 4/3/31, Ana wrote:",
    "On Thursday, ana@example.org wrote:",
    "Am 3. Mai schrieb Ana Müller:",
    "Am 03.05.31 um 10:00 schrieb Ana:",
    "Le 1er mai, Ana a écrit\u00a0:",
    "Le jeu. 3 avr. 2031 à 10:00, Ana <ana@example.org> a écrit :",
    "El 3 de mayo, Ana escribió:",
    "Il giorno gio 3 apr 2031 alle ore 10:00 Ana ha scritto:",
    "Op do 3 apr 2031 om 10:00 schreef Ana <ana@example.org>:",
    "Em qui., 3 de abr. de 2031 às 10:00, Ana escreveu:",
  ])("takes a line with a sender or a time for the head of a quotation: %s", async (line) => {
    expect(await pathOfLine(line, "How much oil?")).toBe("quoted");
  });

  it.each([
    "On Monday we wrote to them about the following:",
    "On 3 May 2031 we wrote to the landlord about this:",
    "On page 12 the landlord wrote:",
    "Am Montag schrieb der Vermieter uns Folgendes:",
    "Le lundi nous avons reçu ce que Ana a écrit :",
    "El lunes la empresa nos escribió:",
    "Il portiere ci ha scritto:",
    "Op maandag schreef de verhuurder ons:",
    "Em resposta, o senhorio escreveu:",
  ])("takes a sentence for one unless a quotation follows: %s", async (line) => {
    expect(await pathOfLine(line, "The rent is due.")).toBe("text");
    expect(await pathOfLine(line, "\n \n> The rent is due.")).toBe("quoted");
  });

  it.each([
    ["Thu, 3 Apr 2031 23:30:00 -0500", "2031-04-03"],
    ["Fri, 4 Apr 2031 00:30:00 +0200 (CEST)", "2031-04-04"],
    ["3 Apr 2031 21:14 GMT", "2031-04-03"],
    ["Thu, 03-Apr-2031 10:00:00 GMT", "2031-04-03"],
    ["3 April 2031 23:30:00 EST", "2031-04-03"],
    ["soon", undefined],
  ])("has the sender's day and the date as it is written: %s", async (date, day) => {
    const { documents } = await readContent("a.eml", `From: a@example.org\nDate: ${date}\nSubject: x\n\nHello.\n`);
    expect(documents[0]!.metadata?.date).toBe(day);
    expect(documents[0]!.text).toContain(`Date: ${date}\n`);
  });

  it("reads an HTML body, and fetches nothing", async () => {
    const html = multipart(
      part("Content-Type: text/html", "<p>Nine <b>litres</b></p><img src='http://127.0.0.1:9/x.png'>"),
    );
    expect((await readContent("a.eml", html)).documents[0]!.text).toMatch(/\n\nNine litres$/);
  });

  const alternatives = (plain: string, html: string) =>
    multipart(part("Content-Type: text/plain", plain), part("Content-Type: text/html", html)).replace(
      "multipart/mixed",
      "multipart/alternative",
    );
  const stub = "Your mail program cannot show this message.";
  const letter = `<p>${"The pump needs nine litres of oil in May. ".repeat(12)}</p>`;

  it("reads the HTML body if the plain one is a stub", async () => {
    const { text, map } = (await readContent("a.eml", alternatives(stub, letter))).documents[0]!;
    expect(text).toContain("nine litres of oil");
    expect(text).not.toContain(stub);
    expect(map.segments.at(-1)!.path).toBe("text");
  });

  const report =
    "<h2>Dates</h2><table><tr><th>Room</th><th>Day</th></tr><tr><td>Blue</td><td>Friday</td></tr></table><p>See you.</p>";
  const footer = "_______\nPump mailing list\n";

  it("reads HTML with a footer in plain text, as mailing lists add it, with its tables and headings", async () => {
    const mail = multipart(part("Content-Type: text/html", report), part("Content-Type: text/plain", footer));
    const { text, headings } = (await readContent("a.eml", mail)).documents[0]!;
    expect(text).toMatch(/\n\nDates\n\nRoom \| Day\nBlue \| Friday\n\nSee you\.\n\n_______\nPump mailing list$/);
    expect(headings).toMatchObject([{ level: 2 }]);
  });

  it("reads HTML with an empty part in plain text", async () => {
    const mail = multipart(part("Content-Type: text/plain", "\n"), part("Content-Type: text/html", report));
    expect((await readContent("a.eml", mail)).documents[0]!.text).toContain("Room | Day\nBlue | Friday");
  });

  it("reads the plain text of a message with a footer if it is the alternative of the HTML", async () => {
    const inner = `--y\nContent-Type: text/plain\n\nBlue room: Friday\n> When?\n\n--y\nContent-Type: text/html\n\n${report}\n--y--\n`;
    const both = part("Content-Type: multipart/alternative; boundary=y", inner);
    const [message] = (await readContent("a.eml", multipart(both, part("Content-Type: text/plain", footer)))).documents;
    expect(message!.text).toContain("Blue room: Friday");
    expect(message!.text).not.toContain("Room | Day");
    expect(placeOfPhrase(message!, "When?")).toEqual({ path: "quoted" });
  });

  it("reads the plain text of a message with a short footer in HTML", async () => {
    const plain = `Nine litres.\n\n> ${"How much oil? ".repeat(9)}`;
    const mail = multipart(
      part("Content-Type: text/plain", plain),
      part("Content-Type: text/html", "<p>Sent by the <b>pump</b> list.</p>"),
    );
    const [message] = (await readContent("a.eml", mail)).documents;
    expect(placeOfPhrase(message!, "How much oil")).toEqual({ path: "quoted" });
    expect(message!.text).toContain("Sent by the pump list.");
  });

  it.each([
    ["HTML has little text", stub, `<p>See online.</p><style>${"p { color: red } ".repeat(100)}</style>`],
    ["HTML has less than ten times its text", "The pump needs nine litres of oil in May. ".repeat(2), letter],
    ["HTML cannot be read", stub, `${"<div>".repeat(30_000)}${letter}`],
  ])("reads the plain body if %s", async (_what, plain, html) => {
    const { documents, skips } = await readContent("a.eml", alternatives(plain, html));
    expect(skips).toEqual([]);
    expect(documents[0]!.text.endsWith(`\n\n${plain.trim()}`)).toBe(true);
  });

  it.each([
    ["windows-1252", "8bit", Buffer.from("It\x92s \x805", "latin1")],
    ["iso-8859-1", "8bit", Buffer.from("It\x92s \x805", "latin1")],
    ["windows-1252", "quoted-printable", Buffer.from("It=92s =805")],
  ])("reads quotes and the euro sign of %s, %s", async (charset, encoding, body) => {
    const head = `From: =?${charset}?Q?Ana_=96_Pump?= <a@example.org>\nSubject: =?${charset}?Q?It=92s_now?=\nMIME-Version: 1.0`;
    const type = `Content-Type: text/plain; charset=${charset}\nContent-Transfer-Encoding: ${encoding}`;
    const mail = Buffer.concat([Buffer.from(`${head}\n${type}\n\n`), body]);
    const { title, text } = (await readContent("a.eml", mail)).documents[0]!;
    expect([title, text]).toEqual(["It’s now", "From: Ana – Pump <a@example.org>\nSubject: It’s now\n\nIt’s €5"]);
  });

  it("reads attached documents as documents of their own", async () => {
    const attached = part(
      'Content-Type: application/octet-stream; name="manual.odt"\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment; filename="manual.odt"',
      docxFile.toString("base64"),
    );
    const broken = part('Content-Type: text/rtf\nContent-Disposition: attachment; filename="b.rtf"', "no rtf");
    const { documents, skips } = await readContent(
      "a.eml",
      multipart(part("Content-Type: text/plain", "See there."), attached, broken),
    );
    expect(documents.map(({ id, title }) => [id, title])).toEqual([
      ["a.eml", "Parts"],
      ["a.eml#1-manual.odt", "The Harbour Pump Manual"],
    ]);
    expect(placeOfPhrase(documents[1]!, "eleven seconds")).toEqual({ path: "attachment manual.odt, paragraph 4" });
    expect(skips.map(({ reason }) => reason)).toEqual(["attachment b.rtf is damaged (it does not begin like RTF)"]);
  });

  it("reads a message that is attached without a name", async () => {
    const forwarded = part(
      'Content-Type: message/rfc822\nContent-Disposition: attachment; creation-date="Thu, 3 Apr 2031 21:14:00 GMT"',
      "From: b@example.org\nSubject: Lease\n\nThe contract ends on 31 May.",
    );
    const { documents, skips } = await readContent(
      "a.eml",
      multipart(part("Content-Type: text/plain", "See."), forwarded),
    );
    expect(skips).toEqual([]);
    expect(documents.map(({ id, title }) => [id, title])).toEqual([
      ["a.eml", "Parts"],
      ["a.eml#1-message.eml", "Lease"],
    ]);
    expect(documents[1]!.text).toContain("The contract ends on 31 May.");
  });

  it("keeps an answer apart from the flowed quotation above it", async () => {
    const head = "From: a@example.org\nSubject: x\nContent-Type: text/plain; format=flowed";
    const mail = `${head}\n\n> When is the meeting? \n> \n\nIt is on Friday at ten.\n`;
    const { text, map } = (await readContent("a.eml", mail)).documents[0]!;
    expect(text.endsWith("When is the meeting?\n\nIt is on Friday at ten.")).toBe(true);
    expect(map.segments.at(-1)!.path).toBe("text");
  });

  it("reads tables and records that are attached, inline or not", async () => {
    const table = part(
      'Content-Type: text/csv; name="rooms.csv"\nContent-Disposition: inline; filename="rooms.csv"',
      "room,seats\nBlue,12\nRed,8",
    );
    const records = part(
      'Content-Type: application/json\nContent-Disposition: attachment; filename="notes.jsonl"',
      '{"id":"a.eml","text":"The pump is red."}\n{"text":"The door is green."}',
    );
    const large = part(
      'Content-Disposition: attachment; filename="large.csv"',
      `a,b\n${`${"x".repeat(997)},y\n`.repeat(4300)}`,
    );
    const { documents, skips } = await readContent("a.eml", multipart(table, records, large));
    expect(documents.map(({ id, text }) => [id, text.trim()]).slice(1)).toEqual([
      ["a.eml#1-rooms.csv", "room: Blue. seats: 12.\n\nroom: Red. seats: 8."],
      ["a.eml#2-notes.jsonl", "The pump is red."],
      ["a.eml#2-notes.jsonl#2", "The door is green."],
    ]);
    expect(placeOfPhrase(documents[1]!, "Red")).toMatchObject({ path: "attachment rooms.csv, row 2" });
    expect(skips.map(({ reason }) => reason)).toEqual(["attachment large.csv is larger than 4 MB"]);
  });

  it.each([
    ["text", "just text\n", /^is not a mail/],
    [
      "nesting",
      `From: a\n${'Content-Type: multipart/mixed; boundary="b"\n\n--b\n'.repeat(500)}`,
      /^is nested too deeply/,
    ],
  ])("says in one line what is wrong with %s", async (_what, source, reason) => {
    const { documents, skips } = await readContent("a.eml", source);
    expect(documents).toEqual([]);
    expect(skips).toHaveLength(1);
    expect(skips[0]!.reason).toMatch(reason);
  });
});

it("writes the date of a forwarded mail in the same way on every machine", async () => {
  const inner = "From: b@example.org\nDate: Tue, 3 Feb 2004 10:00:00 +0100\nSubject: Oil\n\nNine litres.\n";
  const parts = `--b\n\nSee below.\n--b\nContent-Type: message/rfc822\n\n${inner}--b--\n`;
  const mail = `From: a@example.org\nSubject: Fwd\nContent-Type: multipart/mixed; boundary=b\n\n${parts}`;
  const texts: string[] = [];
  for await (const { text } of readUpload("a.eml", Buffer.from(mail), { parsers, onSkip: () => {} })) texts.push(text);
  expect(texts[0]).toContain("2004-02-03 09:00:00");
});

it("decodes a mail that names no encoding as a file without one", async () => {
  const mail = "From: a@example.org\nSubject: Grüße aus Köln\n\nDie Brücke wurde für Fußgänger gesperrt.\n";
  const { title, text } = (await readContent("a.eml", Buffer.from(mail, "latin1"))).documents[0]!;
  expect(title).toBe("Grüße aus Köln");
  expect(text).toContain("Die Brücke wurde für Fußgänger gesperrt.");
});

describe("mbox", () => {
  const from = "From bo@example.org Wed Apr  2 10:00:00 2031\n";

  it("gives each message as a document, without what it quotes of one before", async () => {
    const { documents, skips } = await readContent("a.mbox", `${from}${question}\n${from}${reply}`);
    expect(skips).toEqual([]);
    expect(documents.map(({ id }) => id)).toEqual(["a.mbox#one@example.org", "a.mbox#two@example.org"]);
    expect(documents[1]!.text).not.toContain("How much oil");
    expect(placeOfPhrase(documents[1]!, "nine litres")).toEqual({ path: "message 2, text" });
  });

  it("keeps sentences of a reply that look like the head of a quotation", async () => {
    const sentence = "On Monday we wrote to them about the following:";
    const answer = reply.replace("It needs nine litres", `${sentence}\n\nIt needs nine litres`);
    const { documents } = await readContent("a.mbox", `${from}${question}\n${from}${answer}`);
    expect(documents[1]!.text).toContain(sentence);
    expect(documents[1]!.text).not.toContain("Bo wrote:");
  });

  it("leaves out messages that Thunderbird has deleted", async () => {
    const status = (flags: string, mail: string) =>
      `${from}X-Mozilla-Status: ${flags}\nX-Mozilla-Status2: 00800000\n${mail}\n`;
    const named = (id: string) => question.replace("<one@", `<${id}@`);
    const quoted = named("quoted").replace("And when?", "X-Mozilla-Status: 0009\n");
    const source =
      status("0001", named("kept")) +
      status("0009", named("deleted")) +
      status("000c", named("flagged")).replaceAll("\n", "\r\n") +
      status("0011", named("answered")) +
      `${from}${quoted}`;
    const { documents, skips } = await readContent("a.mbox", source);
    expect(skips).toEqual([]);
    expect(documents.map(({ id }) => id)).toEqual([
      "a.mbox#kept@example.org",
      "a.mbox#answered@example.org",
      "a.mbox#quoted@example.org",
    ]);
    expect(placeOfPhrase(documents[1]!, "How much")).toEqual({ path: "message 4, text" });
  });

  it("skips messages that end their parser, and reads the rest once", async () => {
    const endless = part(
      'Content-Type: application/pdf; name="a.pdf"\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment',
      Buffer.from(endlessPdf()).toString("base64"),
    );
    const heavy = multipart(part("Content-Type: text/plain", "See there."), endless);
    const last = reply.replace("<two@", "<three@");
    const source = `${from}${question}\n${from}${heavy}\n${from}${reply}\n${from}${question}\n${from}${heavy}\n${from}${last}`;
    const limits = { maxMs: 1500 };
    const { documents, skips } = await readContent("a.mbox", source, { limits });
    const ids = ["one@example.org", "two@example.org", "4", "three@example.org"];
    expect(documents.map(({ id }) => id)).toEqual(ids.map((id) => `a.mbox#${id}`));
    expect(documents[3]!.text).not.toContain("How much oil");
    const skip = { source: "a.mbox", code: "unreadable-document", hint: "Save its attachments as files." };
    expect(skips).toEqual([
      { ...skip, reason: "message 2 takes too long to read (limit: 1.5 s)" },
      { ...skip, reason: "message 5 takes too long to read (limit: 1.5 s)" },
    ]);
  });

  it("gives each attachment the time limit of a record", async () => {
    const attached = (name: string) => part(`Content-Disposition: attachment; filename="${name}"`, `In ${name}.`);
    const folder = await new TestFolder().write({
      "a.mbox": `${from}${multipart(attached("a.txt"), attached("b.txt"))}`,
    });
    const onAttachment = vi.fn();
    const { documents } = await parseHere(folder.input("a.mbox"), { onAttachment });
    folder.remove();
    expect(documents).toHaveLength(3);
    expect(onAttachment).toHaveBeenCalledTimes(2);
  });

  it("is recognised without an ending", async () => {
    expect((await readContent("Inbox", `${from}${question}`)).documents).toHaveLength(1);
  });

  it("skips a broken message and one that is too long, and reads the rest", async () => {
    const long = question.replace("And when?", "x".repeat(300_000)).replace("<one@", "<long@");
    const source = `${from}${question}\n${from}no headers here\n\n${from}${long}\n${from}${reply}`;
    const { documents, skips } = await readContent("a.mbox", source, { limits: { maxMarkupBytes: 100_000 } });
    expect(documents.map(({ id }) => id)).toEqual(["a.mbox#one@example.org", "a.mbox#two@example.org"]);
    expect(skips.map(({ reason }) => reason)).toEqual([
      "message 2 is not a mail (it has no headers)",
      "message 3 is larger than 98 kB",
    ]);
  });

  it("does not end a message at a line of its text that begins with From and has a time or an address", async () => {
    const text =
      "From 10:30 to 12:00 the pool is closed.\nThe sauna stays open.\nFrom bo@example.org I heard nothing.\nWell";
    const { documents, skips } = await readContent(
      "a.mbox",
      `${from}${question.replace("And when?", text)}\n${from}${reply}`,
    );
    expect(skips).toEqual([]);
    expect(documents).toHaveLength(2);
    expect(documents[0]!.text).toContain(text);
  });

  it("restores lines that begin with From", async () => {
    const source = `${from}${question.replace("And when?", ">From here on?")}`;
    expect((await readContent("a.mbox", source)).documents[0]!.text).toContain("\nFrom here on?");
  });

  it("reads a mailbox of many messages, whole and in order", async () => {
    const source = Array.from(
      { length: 3000 },
      (_, i) => `${from}${question.replace("<one@", `<n${i}@`).replace("How much", `Question ${i}: how much`)}`,
    ).join("\n");
    const { documents } = await readContent("a.mbox", source);
    expect(documents).toHaveLength(3000);
    expect(documents[2999]!.text).toContain("Question 2999:");
  });

  it("says when it is no mailbox", async () => {
    expect((await readContent("a.mbox", "hello\n")).skips[0]!.reason).toMatch(/^is not a mailbox/);
  });
});

describe("subtitles", () => {
  const srt =
    "1\n00:00:01,000 --> 00:00:04,000\nThe pump needs\n\n2\n00:00:04,100 --> 00:00:06,000\n<i>nine litres</i> of oil.\n\n3\n01:02:03,000 --> 01:02:05,000\nAn hour later.\n";

  it("joins cues to sentences, with times as places", async () => {
    const [document] = (await readContent("talk.srt", srt)).documents;
    expect(document!.text).toBe("The pump needs nine litres of oil.\n\nAn hour later.");
    expect(placeOfPhrase(document!, "nine litres")).toEqual({ line: 6, path: "00:00:04" });
    expect(placeOfPhrase(document!, "An hour")).toEqual({ line: 10, path: "01:02:03" });
  });

  it("reads WebVTT: speakers, notes, rolling captions", async () => {
    const vtt =
      "WEBVTT\nLanguage: en\n\nNOTE secret\nmore\n\n00:01.000 --> 00:02.000\n<v Ana>Nine litres\n\n00:02.000 --> 00:03.000\nAna: Nine litres\nof oil\n";
    const [document] = (await readContent("talk.vtt", vtt)).documents;
    expect(document!.text).toBe("Ana: Nine litres of oil");
    expect(document!.metadata).toEqual(expect.objectContaining({ language: "en" }));
  });

  const vttOf = (...cues: string[]) =>
    `WEBVTT\n\n${cues.map((cue, i) => `00:0${i}.000 --> 00:0${i + 1}.000\n${cue}\n`).join("\n")}`;

  it.each([
    [
      [
        "<v Ingrid Solheim>That costs us another</v>",
        "<v Ingrid Solheim>eleven thousand kroner.</v>",
        "<v.loud Per>Too much.",
        "<v Ingrid Solheim>It is.",
      ],
      "Ingrid Solheim: That costs us another eleven thousand kroner.\n\nPer: Too much.\n\nIngrid Solheim: It is.",
    ],
    [["<v Ana>Nine litres\nof oil.</v>", "<v Ana>\nNot ten."], "Ana: Nine litres of oil. Not ten."],
    [["<v Ana>Yes.</v> <v Ben>No.</v>", "<v Ben>Never."], "Ana: Yes.\n\nBen: No. Never."],
    [["<v Ana>Yes.</v> (applause)", "<v Ana>Thanks."], "Ana: Yes. (applause)\n\nAna: Thanks."],
    [["<v Ana>Yes.", "Maybe.", "<v R&amp;D>No."], "Ana: Yes. Maybe.\n\nR&D: No."],
  ])("writes the speaker of %j where it changes", async (cues, text) => {
    expect((await readContent("talk.vtt", vttOf(...cues))).documents[0]!.text).toBe(text);
  });

  it.each(["a.vtt", "a.srt"])("decodes characters that %s names", async (name) => {
    const cue =
      "Tom &amp; Ana&nbsp;&lt;say&gt; &quot;it&#39;s&#x20;&eacute;&hellip;&quot;&lrm; R&D &amp;lt; R&notes &no;";
    const [document] = (await readContent(name, `WEBVTT\n\n00:01.000 --> 00:02.000\n${cue}\n`)).documents;
    expect(document!.text).toBe('Tom & Ana <say> "it\'s é…" R&D &lt; R&notes &no;');
  });

  it("says when there are none", async () => {
    expect((await readContent("a.srt", "hello\n")).skips[0]!.reason).toBe("has no subtitles");
    const divided =
      "1\n00:00:01,000 --> 00:00:03,000\nFirst part\n\nsecond part.\n\n2\n00:00:04,000 --> 00:00:05,000\nNext.\n";
    const [document] = (await readContent("b.srt", divided)).documents;
    expect(document!.text).toBe("First part second part. Next.");
    expect(placeOfPhrase(document!, "second")).toMatchObject({ path: "00:00:01" });
  });
});

describe("saved pages, calendars and contacts", () => {
  it("reads a page that a browser saved, without the headers and menus", async () => {
    const html = "<nav>Home</nav><h1>Inspection</h1><p>The inspec=\ntion takes place in M=C3=BCnchen.</p>";
    const page = `From: <Saved by Blink>\nSubject: Inspection\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n${part("Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: quoted-printable", html)}${part("Content-Type: image/png\nContent-Transfer-Encoding: base64", "iVBORw0K")}--x--\n`;
    for (const name of ["a.mhtml", "a.mht"]) {
      const { documents } = await readContent(name, page);
      expect(documents).toMatchObject([
        { title: "Inspection", text: "Inspection\n\nThe inspection takes place in München." },
      ]);
    }
  });

  it("reads an invitation once, whether it is a part of the message, a file, or both", async () => {
    const event = "BEGIN:VCALENDAR\nSUMMARY:Inspection\nDTSTART:20310503T090000Z\nLOCATION:Room 5\nEND:VCALENDAR\n";
    const asPart = part("Content-Type: text/calendar; charset=utf-8; method=REQUEST", event);
    const asFile = part('Content-Type: application/ics; name="visit.ics"\nContent-Disposition: attachment', event);
    const text = part("Content-Type: text/plain", "Please come.");
    const mail = (parts: string) =>
      `From: a@example.org\nSubject: Visit\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n${text}${parts}--x--\n`;
    for (const [parts, id] of [
      [asPart, "a.eml#1-invitation.ics"],
      [asFile, "a.eml#1-visit.ics"],
      [asPart + asFile, "a.eml#2-visit.ics"],
    ] as const) {
      const { documents } = await readContent("a.eml", mail(parts));
      expect(documents.map((document) => document.id)).toEqual(["a.eml", id]);
      expect(documents[0]!.text).toBe("From: a@example.org\nSubject: Visit\n\nPlease come.");
      expect(documents[1]!.text).toBe("Inspection\nStart: Saturday 2031-05-03, 09:00 UTC\nPlace: Room 5");
    }
    const alone = `From: a@example.org\nSubject: Visit\nContent-Type: text/calendar; method=REQUEST\n\n${event}`;
    const { documents } = await readContent("b.eml", alone);
    expect(documents.map(({ id }) => id)).toEqual(["b.eml", "b.eml#1-invitation.ics"]);
  });

  it("reads the events of a calendar: dates as people write them, without what programs alone need", async () => {
    const calendar = [
      "BEGIN:VCALENDAR",
      "PRODID:-//Example//EN",
      "X-WR-CALNAME:Family",
      "BEGIN:VEVENT",
      "DTSTART;TZID=Europe/London:20250522T140000",
      "DTEND;TZID=Europe/London:20250522T153000",
      "RRULE:FREQ=WEEKLY;INTERVAL=2;UNTIL=20250731T225959Z;BYDAY=TH",
      "DTSTAMP:20250301T101010Z",
      "SUMMARY:Violin lesson",
      "LOCATION:Music School\\, room 2.07",
      "DESCRIPTION:Bring the bl",
      " ue book.\\nFee 28 GBP.",
      'ATTENDEE;CN="Ross: Ella";ROLE=REQ-PARTICIPANT:mailto:ella@example.net',
      "BEGIN:VALARM",
      "DESCRIPTION:Reminder",
      "END:VALARM",
      "END:VEVENT",
      "BEGIN:VEVENT",
      "DTSTART;VALUE=DATE:20250816",
      "DTEND;VALUE=DATE:20250831",
      "RRULE:FREQ=MONTHLY;BYDAY=-1FR;COUNT=3",
      "SUMMARY:Holiday",
      "END:VEVENT",
      "END:VCALENDAR",
    ].join("\r\n");
    const [document] = (await readContent("a.ics", calendar)).documents;
    expect(document).toMatchObject({ title: "Family", headings: [{ level: 1 }, { level: 1 }] });
    expect(document!.text).toBe(
      [
        "Violin lesson",
        "Start: Thursday 2025-05-22, 14:00",
        "End: Thursday 2025-05-22, 15:30",
        "Repeats: every 2 weeks, on Thursday, until Thursday 2025-07-31, 22:59 UTC",
        "Place: Music School, room 2.07",
        "Bring the blue book.\nFee 28 GBP.",
        "Attendee: Ross: Ella, ella@example.net",
        "",
        "Holiday",
        "Start: Saturday 2025-08-16",
        "End: Saturday 2025-08-30",
        "Repeats: monthly, on the last Friday, 3 times",
      ].join("\n"),
    );
    expect(placeOfPhrase(document!, "Violin")).toEqual({ line: 9 });
    expect(placeOfPhrase(document!, "blue book")).toEqual({ line: 11 });
    expect(placeOfPhrase(document!, "Fee 28")).toEqual({ line: 11 });
  });

  it("reads contacts of every version, also one that ends in the middle", async () => {
    const card =
      "BEGIN:VCARD\nVERSION:3.0\nN:Reinholt;Tomas;;;\nFN:Tomas Reinholt\nTEL;TYPE=CELL:+44 7700 900812\nitem1.TEL;TYPE=WORK,VOICE:tel:+44 1632 960733\nADR;TYPE=WORK:;;27 Foundry Street;Ambleforth;;AB4 7QT;UK\nBDAY:1971-08-30\nPHOTO;ENCODING=b;TYPE=JPEG:AAAA\n BBBB\nEND:VCARD\n";
    const old =
      "BEGIN:VCARD\nVERSION:2.1\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=B6rg;;;\nTEL;CELL:+49 170 5551234\nNOTE;ENCODING=QUOTED-PRINTABLE:sailing and=\n long walks\nPHOTO:data:image/jpeg;base64,/9j/4AAQ\n";
    const [document] = (await readContent("a.vcf", card + old)).documents;
    expect(document).toMatchObject({ title: "a" });
    expect(document!.text).toBe(
      [
        "Tomas Reinholt",
        "Phone (mobile): +44 7700 900812",
        "Phone (work): +44 1632 960733",
        "Address (work): 27 Foundry Street, Ambleforth, AB4 7QT, UK",
        "Birthday: Monday 1971-08-30",
        "",
        "Jörg Müller",
        "Phone (mobile): +49 170 5551234",
        "Note: sailing and long walks",
      ].join("\n"),
    );
    expect(placeOfPhrase(document!, "+49 170")).toEqual({ line: 15 });
  });

  const facts = async (...lines: string[]): Promise<string[]> => {
    const event = ["BEGIN:VCALENDAR", "BEGIN:VEVENT", "SUMMARY:Odd", ...lines, "END:VEVENT", "END:VCALENDAR"];
    const [document] = (await readContent("a.ics", event.join("\n"))).documents;
    return document!.text.split("\n").slice(1);
  };

  it.each([
    ["RRULE:FREQ=WEEKLY;BYDAY=MO,WE,FR", "Repeats: weekly, on Monday, Wednesday and Friday"],
    ["RRULE:FREQ=MONTHLY;BYDAY=TU;BYSETPOS=2", "Repeats: monthly, on the second Tuesday"],
    ["RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU", "Repeats: yearly, on the last Sunday, in March"],
    ["RRULE:FREQ=MONTHLY;BYMONTHDAY=1,15", "Repeats: monthly, on day 1 and 15 of the month"],
    ["RRULE:FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=3", "Repeats: monthly, on the last day of the month, 3 times"],
    ["RRULE:FREQ=DAILY;UNTIL=20250801T035959Z", "Repeats: daily, until Friday 2025-08-01, 03:59 UTC"],
    ["RRULE:FREQ=YEARLY;BYDAY=20MO", "Repeats: FREQ=YEARLY;BYDAY=20MO"],
    ["RRULE:FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=-1", "Repeats: FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=-1"],
    ["RRULE:FREQ=constructor", "Repeats: FREQ=constructor"],
    ["RRULE:FREQ=WEEKLY;BYHOUR=9", "Repeats: FREQ=WEEKLY;BYHOUR=9"],
    ["DURATION:PT1H30M", "Duration: 1 hour 30 minutes"],
    ["DTSTART:soon", "Start: soon"],
    ["DTSTART:20250230", "Start: 20250230"],
    ["DTSTART:00000000", "Start: 00000000"],
    ["EXDATE:20250605T140000,20250612T140000", "Not on: Thursday 2025-06-05, 14:00; Thursday 2025-06-12, 14:00"],
    ['ATTENDEE;CN="Ross, Ella; Dr":mailto:ella@example.net', "Attendee: Ross, Ella; Dr, ella@example.net"],
    ["CATEGORIES:music, family\\, friends", "Categories: music, family, friends"],
    ["LOCATION:C:\\\\;x", "Place: C:\\;x"],
    [`X-LONG;A=${"a".repeat(3000)}:1`, undefined],
    ["UID:1", undefined],
  ])("reads %s", async (line, fact) => {
    expect(await facts(line)).toEqual(fact === undefined ? [] : [fact]);
  });

  const zoned = async (zone: string, ...lines: string[]): Promise<string[]> => {
    const head = `BEGIN:VCALENDAR\nX-WR-TIMEZONE:${zone}\nBEGIN:VEVENT\nSUMMARY:Odd`;
    const [document] = (await readContent("a.ics", [head, ...lines, "END:VEVENT\nEND:VCALENDAR"].join("\n"))).documents;
    return document!.text.split("\n").slice(1);
  };

  it.each([
    ["Europe/Berlin", "DTSTART:20250522T120000Z", "Start: Thursday 2025-05-22, 14:00"],
    ["Europe/Berlin", "DTSTART:20251231T233000Z", "Start: Thursday 2026-01-01, 00:30"],
    ["America/New_York", "DTSTART:20250301T023000Z", "Start: Friday 2025-02-28, 21:30"],
    ["Europe/Berlin", "RRULE:FREQ=DAILY;UNTIL=20250731T225959Z", "Repeats: daily, until Friday 2025-08-01, 00:59"],
    ["Europe/Berlin", "EXDATE:20250605T120000Z,20250606", "Not on: Thursday 2025-06-05, 14:00; Friday 2025-06-06"],
    ["Europe/Berlin", "DTSTART:20250522T140000", "Start: Thursday 2025-05-22, 14:00"],
    ["Europe/Berlin", "DTSTART;VALUE=DATE:20250522", "Start: Thursday 2025-05-22"],
    ["Europe/Berlin", "DTEND:99991231T235959Z", "End: Friday 9999-12-31, 23:59 UTC"],
    ["UTC", "DTSTART:20250522T120000Z", "Start: Thursday 2025-05-22, 12:00 UTC"],
    ["Mars/Base", "DTSTART:20250522T120000Z", "Start: Thursday 2025-05-22, 12:00 UTC"],
    ["", "DTSTART:20250522T120000Z", "Start: Thursday 2025-05-22, 12:00 UTC"],
  ])("shows times in the time zone of the calendar %j: %s", async (zone, line, fact) => {
    expect(await zoned(zone, line)).toEqual([fact]);
  });

  it("reads descriptions in HTML as text, in the line of the file", async () => {
    const calendar = [
      "BEGIN:VCALENDAR",
      "BEGIN:VEVENT",
      "SUMMARY:Council",
      "DESCRIPTION:<h3>Agenda</h3><p>1. Budget &amp; staff<br>2. Roof</p><ul><li>Bring",
      '  <b>plans</b></li></ul>\\nJoin: <a href="https://example.org">here</a>\\n\\nBye',
      "LOCATION:Room 5",
      "END:VEVENT",
      "END:VCALENDAR",
    ].join("\n");
    const [document] = (await readContent("a.ics", calendar)).documents;
    expect(document!.text).toBe(
      "Council\n\nAgenda\n\n1. Budget & staff\n2. Roof\n\n• Bring plans\n\nJoin: here\n\nBye\n\nPlace: Room 5",
    );
    expect(document!.headings).toHaveLength(1);
    expect(placeOfPhrase(document!, "Roof")).toEqual({ line: 4 });
    expect(placeOfPhrase(document!, "Room 5")).toEqual({ line: 6 });
  });

  it.each([
    "Write to Ana <ana@example.org> if a < b and c > d.",
    "See <https://example.org/a> &amp; <name>.",
    `${"<div>".repeat(30_000)}Deep`,
  ])("keeps a description that is not HTML, or cannot be read as HTML: %.40s", async (text) => {
    expect(await facts(`DESCRIPTION:${text}`)).toEqual([text]);
  });

  it("ends an event of one day on its day, whatever its end is", async () => {
    const day = (end: string) => facts("DTSTART;VALUE=DATE:20250816", `DTEND;VALUE=DATE:${end}`);
    expect(await day("20250817")).toEqual(["Start: Saturday 2025-08-16", "End: Saturday 2025-08-16"]);
    expect(await day("20250816")).toEqual(["Start: Saturday 2025-08-16", "End: Saturday 2025-08-16"]);
  });

  it("names entries without a name, so that no fact is below the heading of another", async () => {
    const calendar =
      "BEGIN:VCALENDAR\nNAME:Club\nDESCRIPTION:Of the club.\nBEGIN:VEVENT\nSUMMARY:Party\nBEGIN:PARTICIPANT\nEMAIL:a@example.org\nEND:PARTICIPANT\nEND:VEVENT\nBEGIN:VEVENT\nDTSTART:20250816\nEND:VEVENT\nEND:VCALENDAR\n";
    const [events] = (await readContent("a.ics", calendar)).documents;
    expect(events!.title).toBe("Club");
    expect(events!.text).toBe("Of the club.\n\nParty\n\na@example.org\n\nEvent\nStart: Saturday 2025-08-16");
    const cards =
      "BEGIN:VCARD\nFN:\nN:;;;;\nORG:Acme;Sales\nTEL:1\nEND:VCARD\nBEGIN:VCARD\nFN:\nTEL;TYPE=constructor:2\nBDAY:--0415\nEND:VCARD\nBEGIN:VCARD\nN:Doe;Jo\nBDAY;X-APPLE-OMIT-YEAR=1604:1604-04-15\nEND:VCARD\n";
    const [contacts] = (await readContent("a.vcf", cards)).documents;
    expect(contacts!.text).toBe(
      "Acme, Sales\nPhone: 1\n\nContact\nPhone: 2\nBirthday: 15 April\n\nJo Doe\nBirthday: 15 April",
    );
  });

  it("keeps the blanks at which vCard 2.1 folds, and its lines in quoted-printable", async () => {
    const card =
      "BEGIN:VCARD\r\nVERSION:2.1\r\nN:Doe;Jo\r\nNOTE;QUOTED-PRINTABLE:one=0D=0A=\r\n=0D=0Atwo\r\nTITLE:sailing and\r\n long walks\r\nEND:VCARD\r\n";
    const [document] = (await readContent("a.vcf", card)).documents;
    expect(document!.text).toBe("Jo Doe\nNote: one\n\ntwo\nPosition: sailing and long walks");
  });
});
