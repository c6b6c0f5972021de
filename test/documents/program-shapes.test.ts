/**
 * Markup, subtitles and mail in the shapes in which programs and projects write them: Sphinx and AWS topics,
 * Asciidoctor guides, Doom's manual, SubRip, YouTube and broadcast captions, list digests, delivery reports, git and
 * Thunderbird. The texts were written for these tests.
 */

import { describe, expect, it } from "vitest";
import { headingPath } from "../support/outline.js";
import { placeOfPhrase, readContent, readOne } from "./fixtures/folder.js";

describe("reStructuredText", () => {
  it("as in a Sphinx guide: links, roles and literals over two lines, admonitions, directives", async () => {
    const document = await readOne(
      "guide.rst",
      [
        ".. _guide:",
        "",
        "Pump guide",
        "==========",
        "",
        ".. module:: pump.core",
        "",
        "Greasing is easy. Read `the manual of",
        "the seals <https://example.org/seals>`_ before you begin. Use ``start",
        "slowly`` then.",
        "",
        ".. warning:: Open the valve only as in :ref:`the binary",
        "             mode <modes>`. It may burst.",
        "",
        "See :class:`~pump.core.Valve` and `RFC 9999",
        "<https://example.org/rfc>`_",
        "for the rest::",
        "",
        "    $ pump `date`",
        "",
        "Next steps",
        "----------",
        "",
        "Ready for more? Check the section :ref:`Advanced <advanced>`.",
      ].join("\n"),
    );
    expect(document.title).toBe("Pump guide");
    expect(document.text).toContain(
      "Greasing is easy. Read the manual of the seals\nbefore you begin. Use start slowly\nthen.",
    );
    expect(document.text).toContain("Open the valve only as in the binary mode.\nIt may burst.");
    expect(document.text).toContain("See Valve and RFC 9999\nfor the rest:");
    expect(document.text).toContain("$ pump `date`");
    expect(document.text).not.toMatch(/:ref:|example\.org|``/);
    expect(placeOfPhrase(document, "before you begin")).toEqual({ line: 9 });
    expect(headingPath(document, document.text.indexOf("Ready"))).toEqual(["Pump guide", "Next steps"]);
  });

  it("as in a text about physics: raised and lowered numbers", async () => {
    const document = await readOne(
      "a.rst",
      "About 10\\ :sup:`6` m\\ :superscript:`-2`, the 1\\ :sup:`st` of H\\ :sub:`2`\\ O.\n",
    );
    expect(document.text).toBe("About 10⁶ m⁻², the 1st of H2O.");
  });

  it("as in a manual with substitutions, notes on versions and variants", async () => {
    const document = await readOne(
      "a.rst",
      [
        ".. |product| replace:: Acme\n   *Pump*\n.. |v| replace:: 4.2\n",
        "Install |product| |v|_, not ``|v|`` or |x|.\n\n.. only:: html\n\n   The online edition.\n",
        ".. versionadded:: 2.1\n   The ``--dry`` option.\n\n.. versionchanged:: 2.2 It is on.\n\n.. deprecated:: 3.0\n",
      ].join("\n"),
    );
    expect(document.text).toBe(
      "Install Acme Pump 4.2, not |v| or x.\n\nThe online edition.\n\nNew in version 2.1:\nThe --dry option.\n\nChanged in version 2.2 It is on.\n\nDeprecated since version 3.0",
    );
    expect(placeOfPhrase(document, "version 2.1")).toEqual({ line: 11 });
  });

  it.each([
    [
      "+-----+-------+-----+\n| M   | Press | Max |\n+=====+=======+=====+\n| P10 | 4 bar | 5   |\n| big +-------+-----+\n|     | 3 bar | 4   |\n+-----+-------+-----+\n| P20 | see notes   |\n+-----+-------------+",
      "M | Press | Max\nP10 | 4 bar | 5\nbig | 3 bar | 4\nP20 | see notes",
      7,
    ],
    [
      "+------+-------+\n| a|b  | 型号  |\n+------+-------+\n| 型号 | 3 bar |\n+------+-------+\n| all columns  |\n+--------------+",
      "a|b | 型号\n型号 | 3 bar\nall columns",
      6,
    ],
    [
      "====  ====\nColumn A B\n----------\nName  Bar\n====  ====\nx     3 bar\n====  ====",
      "Column A B\nName | Bar\nx | 3 bar",
      8,
    ],
    [
      '.. csv-table::\n   :header: "Model", "Weight"\n   :widths: 1, 2\n\n   "P10, big", 12 kg\n   "P20\n   new", 3 bar\n',
      "Model | Weight\nP10, big | 12 kg\nP20 new | 3 bar",
      8,
    ],
    [
      ".. list-table:: Prices\n   :header-rows: 1\n\n   * - Model\n     - Weight\n   * - P10\n     - 12 kg\n       or less\n   * - P20\n     - 3 bar",
      "Prices\n\nModel | Weight\nP10 | 12 kg or less\nP20 | 3 bar",
      11,
    ],
    [".. csv-table:: T\n   :header-rows: 1\n\n   A, B\n   1, 3 bar", "T\n\nA | B\n1 | 3 bar", 7],
  ])("reads tables with spans and headers: %j", async (source, text, line) => {
    const document = await readOne("a.rst", `Text\n\n${source}\n\nEnd\n`);
    expect(document.text).toBe(`Text\n\n${text}\n\nEnd`);
    expect(placeOfPhrase(document, "3 bar")).toEqual({ line });
  });

  it("as in a topic with fields: its title is the field's", async () => {
    const document = await readOne(
      "codes.rst",
      ":title: Return Codes of the Pump\n:category: General\n\nThese are the codes:\n\n* ``0`` -- It runs.\n* ``255`` -- It does\n  not run.\n",
    );
    expect(document.title).toBe("Return Codes of the Pump");
    expect(document.text).toContain("• 0 -- It runs.\n• 255 -- It does\nnot run.");
  });
});

describe("AsciiDoc", () => {
  it.each([
    [',===\nName,Torque\n\nBolt,40 Nm\n"Flange, big",65 Nm\n,===', "Name | Torque\nBolt | 40 Nm\nFlange, big | 65 Nm"],
    ['[%header,format=csv]\n|===\na,b\n"x ""y""\nz",2\n|===', 'a | b\nx "y" z | 2'],
    [":===\na:b\n1:2\n:===", "a | b\n1 | 2"],
    ["[format=tsv]\n|===\na\tb\n|===", "a | b"],
    ['[format="csv",separator=;]\n|===\na;b\n1;2\n|===', "a | b\n1 | 2"],
    [',===\na,"b\n,===', 'a | "b'],
    [`,===\na,2\n"${"x".repeat(10_000)},1\n,===`, `a | 2\n"${"x".repeat(10_000)} | 1`],
  ])("reads tables of separated values: %j", async (source, text) => {
    expect((await readOne("a.adoc", `Text\n\n${source}\n`)).text).toBe(`Text\n\n${text}`);
  });

  it.each([
    [
      '[cols="1,3"]\n|===\n|Model |About\n\n|P10\n|A pump.\nOn 12 volts.\n\n|P20\n|Large.\n\nHeavy.\n\n|P30 |Wet,\ncold\n|===',
      "Model | About\nP10 | A pump. On 12 volts.\nP20 | Large. Heavy.\nP30 | Wet, cold",
    ],
    ["|===\n|Model |Limit\n\n|P10 |4 bar\n|P20 |6 bar\n|===", "Model | Limit\nP10 | 4 bar\nP20 | 6 bar"],
    [
      '[cols="1,2",options="header"]\n|===\n|A |B\n.2+|P20\n|6 bar\n|7 bar\n2+|All need oil\n|P30 |8\n|===',
      "A | B\nP20 | 6 bar\n | 7 bar\nAll need oil\nP30 | 8",
    ],
    ["[cols=2*]\n|===\n|P10\n|4 bar\n\n|P20\n|6 bar\n|===", "P10 | 4 bar\nP20 | 6 bar"],
    ["|===\n|A|s|C\n\n|1 a|\n* bullet\n| a \\| b\n3*|x\n|===", "A | s | C\n1 | • bullet | a | b\nx | x | x"],
    ['[cols="1,1",options="noheader"]\n|===\n100.100+|all\n|P10 |4\n|===', "P10 | 4"],
  ])("reads tables with long cells, spans and headers: %j", async (source, text) => {
    const document = await readOne("a.adoc", `Text\n\n${source}\n`);
    expect(document.text.replace(/^all[ |]*\n/m, "")).toBe(`Text\n\n${text}`);
    if (text.includes("7 bar")) expect(placeOfPhrase(document, "7 bar")).toEqual({ line: 8 });
  });

  it("takes linear time for cells that are repeated or cover many others", async () => {
    for (const row of ["20*|x\n", "100.100+|x\n", "|a "]) {
      const { skips } = await readContent("a.adoc", `|===\n${row.repeat(20_000)}\n|===\n`);
      expect(skips.map(({ reason }) => reason)).toEqual([]);
    }
  });

  it("as in an Asciidoctor guide: attributes in attributes, character attributes, admonitions, blocks", async () => {
    const document = await readOne(
      "guide.adoc",
      [
        "= Writer's Guide",
        "Ines Calder <ines@example.org>",
        "v1.0, 2031-04-03",
        ":url-docs: https://docs.example.org/",
        ":url-ref: {url-docs}reference/",
        "",
        "NOTE: Consult the {url-ref}quick/[Quick Reference] first.",
        "",
        ".DRAFT",
        "****",
        "This page is a draft.",
        "****",
        "",
        "//a comment",
        "Mark an item with an asterisk ({asterisk}) or a plus ({plus}).",
        "",
        "[source,ruby]",
        "----",
        "puts '{asterisk}'",
        "----",
        "",
        "CPU:: The brain.",
      ].join("\n"),
    );
    expect(document.title).toBe("Writer's Guide");
    expect(document.text).toContain("NOTE: Consult the Quick Reference first.");
    expect(document.text).toContain("an asterisk (*) or a plus (+).");
    expect(document.text).toContain("puts '{asterisk}'");
    expect(document.text).toContain("CPU: The brain.");
    expect(document.text).not.toMatch(/a comment|url-ref|\[source/);
    expect(placeOfPhrase(document, "This page is a draft")).toEqual({ line: 11 });
  });

  it("as in a README: literals that keep their marks from being read", async () => {
    const document = await readOne(
      "README.adoc",
      "=== THE PUMP\n\n// tag::quick[]\n==== Setup\n\nDeploy the `+*.war+` files, see link:https://example.org/[] and +http://localhost:8080+.\n",
    );
    expect(document.text).toContain("Deploy the *.war files, see https://example.org/ and http://localhost:8080.");
    expect(headingPath(document, document.text.indexOf("Deploy"))).toEqual(["THE PUMP", "Setup"]);
  });

  it("as in a plan: raised and lowered numbers, tasks", async () => {
    const document = await readOne("plan.adoc", "* [x] Lift 10^6^ t, the 1^st^ time\n* [ ] Add CO~2~\n");
    expect(document.text).toBe("☑ Lift 10⁶ t, the 1st time\n☐ Add CO2");
  });

  it("does not grow with attributes of attributes", async () => {
    const lines = Array.from({ length: 60 }, (_, n) => `:a${n + 1}: {a${n}}{a${n}}`);
    const document = await readOne("laughs.adoc", `:a0: ha\n${lines.join("\n")}\n\nIt laughs {a60}.\n`);
    expect(document.text.length).toBeLessThan(2000);
  });
});

describe("Org", () => {
  it("as in a module's manual: links and code over two lines, descriptions, drawers, tables", async () => {
    const document = await readOne(
      "README.org",
      [
        "#+title: Pump module",
        "* Description :unfold:",
        ":PROPERTIES:",
        ":ID: 1",
        ":END:",
        "- +gmail ::",
        "  Sends letters by gmail.",
        "- A list of [[id:01cf][what the modules are and how",
        "  to enable them]], in short.",
        "",
        "You will get errors if you don't run ~$ pump",
        "sync~",
        "after that.",
        "",
        "| Platform | Command |",
        "|----------+---------|",
        "| Arch     | ~$ pacman -S pump~ |",
        "",
        "#+begin_src emacs-lisp",
        '(setq a "[[b")',
        "#+end_src",
      ].join("\n"),
    );
    expect(document.title).toBe("Pump module");
    expect(document.text).toContain(
      "• +gmail:\nSends letters by gmail.\n• A list of what the modules are and how to enable them,\nin short.",
    );
    expect(document.text).toContain("You will get errors if you don't run $ pump sync\nafter that.");
    expect(document.text).toContain("Arch | $ pacman -S pump");
    expect(document.text).toContain('(setq a "[[b")');
    expect(placeOfPhrase(document, "after that")).toEqual({ line: 13 });
  });

  it("as notes: states, priorities, dates of planning and tags are not in the headings", async () => {
    const document = await readOne(
      "notes.org",
      "* TODO [#A] Grease the pump  :work:home:\n** DONE Order lard\nFrom Emil.\n",
    );
    expect(headingPath(document, document.text.indexOf("Emil"))).toEqual(["Grease the pump", "Order lard"]);
  });
});

describe("subtitles", () => {
  it("as SubRip files from Windows: code page, line ends, marks of Advanced SubStation", async () => {
    const cues =
      '1\r\n00:00:01,000 --> 00:00:04,000\r\n<font color="#ff0000">Müller</font>, arrête !\\NLa\\hpompe\r\n\r\n2\r\n00:00:05,500 --> 00:00:06,000\r\n{\\an8}lève 2<3,5>1 litres.\r\n';
    const document = await readOne("film.srt", Buffer.from(cues, "latin1"));
    expect(document.text).toBe("Müller, arrête ! La pompe lève 2<3,5>1 litres.");
    expect(placeOfPhrase(document, "lève")).toMatchObject({ line: 6, path: "00:00:05" });
  });

  it("as UTF-16 with a byte order mark", async () => {
    const cues = "\ufeff1\n00:00:01,000 --> 00:00:04,000\nAbout two months ago\n";
    expect((await readOne("talk.srt", Buffer.from(cues, "utf16le"))).text).toBe("About two months ago");
  });

  it("as YouTube's rolling captions: each word once, without styles and times", async () => {
    const document = await readOne(
      "talk.vtt",
      [
        "WEBVTT",
        "Kind: captions",
        "Language: en",
        "Style:",
        "::cue(c.colorE5E5E5) { color: rgb(229,229,229); }",
        "##",
        "",
        "00:04:46.070 --> 00:04:46.470 align:start position:0%",
        "yes",
        "",
        "00:04:46.470 --> 00:05:04.080 align:start position:0%",
        "yes",
        "this<00:05:04.199><c> will</c><c.colorE5E5E5><00:05:04.379><c> happen</c></c>",
      ].join("\n"),
    );
    expect(document.text).toBe("yes this will happen");
    expect(document.metadata).toEqual({ language: "en" });
    expect(placeOfPhrase(document, "will happen")).toMatchObject({ path: "00:04:46" });
  });

  it("as broadcast captions: notes, segment indexes and positions are left out", async () => {
    const document = await readOne(
      "film.vtt",
      "WEBVTT\n\nNOTE Profile: webvtt-8\nNOTE Segment=597.080 20887@419 153\n\n1\n00:00:07.960 --> 00:00:09.480  position:50.00%,middle  align:middle\n[Alba] <i>En 1928,</i>\n\n2\n00:00:19.640 --> 00:00:23.080  line:79.33%\n<i>nadie vivía</i>\n<i>allí.</i>\n",
    );
    expect(document.text).toBe("[Alba] En 1928,\n\nnadie vivía allí.");
    expect(placeOfPhrase(document, "nadie")).toMatchObject({ line: 11, path: "00:00:19" });
  });
});

const letter = (headers: string, body: string) =>
  `From: Ada Quist <ada@example.org>\nTo: pumps@example.org\nDate: Thu, 3 Apr 2031 21:14:00 +0200\nMIME-Version: 1.0\n${headers}\n\n${body}`;

describe("mail", () => {
  it("as a digest of a list: the messages inside, each once", async () => {
    const inner = (n: number) =>
      `--x\nContent-Type: message/rfc822\n\nFrom: member${n}@example.org\nSubject: Seal ${n}\n\nSeal ${n} leaks.\n`;
    const document = await readOne(
      "digest.eml",
      letter(
        "Subject: Pumps digest, Vol 1\nContent-Type: multipart/mixed; boundary=x",
        `--x\nContent-Type: text/plain\n\nToday's topics: seals.\n${inner(1)}${inner(2)}--x--\n`,
      ),
    );
    expect(document.title).toBe("Pumps digest, Vol 1");
    for (const sentence of ["Today's topics: seals.", "Seal 1 leaks.", "Seal 2 leaks."])
      expect(document.text.split(sentence)).toHaveLength(2);
  });

  it("as a delivery report, and with a part that is elsewhere", async () => {
    const body =
      '--x\nContent-Type: text/plain\n\nYour message cannot be delivered.\nReason: recipient reached disk quota\n--x\nContent-Type: message/delivery-status\n\nFinal-Recipient: rfc822;emil@example.org\n--x\nContent-Type: message/external-body; access-type=anon-ftp; name="draft.txt"\n\nContent-Type: text/plain\nContent-ID: <1@example.org>\n\n--x--\n';
    const { documents, skips } = await readContent(
      "report.eml",
      letter("Subject: Delivery has failed\nContent-Type: multipart/report; boundary=x", body),
    );
    expect(skips).toEqual([]);
    expect(documents).toHaveLength(1);
    expect(documents[0]!.text).toContain("Reason: recipient reached disk quota");
    expect(placeOfPhrase(documents[0]!, "cannot be delivered")).toEqual({ path: "text" });
  });

  it("as patches that git wrote: a message each, with the message and the change", async () => {
    const patch = (n: number) =>
      `From ${String(n).repeat(40)} Mon Sep 17 00:00:00 2001\nFrom: Ada Quist <ada@example.org>\nDate: Mon, 3 Mar 2031 11:17:4${n} +0000\nSubject: [PATCH ${n}/2] fix(pump): grease seal ${n}\n\nThe seal ${n} leaked.\n---\n pump.c | 2 +-\n 1 file changed\n\ndiff --git a/pump.c b/pump.c\n--- a/pump.c\n+++ b/pump.c\n@@ -1 +1 @@\n-dry();\n+grease(${n});\n-- \n2.39.5\n\n`;
    const { documents, skips } = await readContent("fixes.mbox", patch(1) + patch(2));
    expect(skips).toEqual([]);
    expect(documents.map(({ title }) => title)).toEqual([
      "[PATCH 1/2] fix(pump): grease seal 1",
      "[PATCH 2/2] fix(pump): grease seal 2",
    ]);
    expect(documents[1]!.text).toContain("The seal 2 leaked.");
    expect(documents[1]!.text).toContain("+grease(2);");
    expect(placeOfPhrase(documents[1]!, "leaked")).toEqual({ path: "message 2, text" });
  });

  it("as Thunderbird's folder: its own headers are no text, and escaped lines lose their mark", async () => {
    const stored = (n: number, body: string) =>
      `From - Sun Apr 07 22:47:11 2031\r\nX-Mozilla-Status: 0001\r\nX-Mozilla-Status2: 00000000\r\nX-Mozilla-Keys:                                                                                 \r\nMessage-ID: <${n}@example.org>\r\nDate: Sun, 07 Apr 2031 22:47:11 +0300\r\nFrom: Ada <ada@example.org>\r\nTo: emil@example.org\r\nSubject: Seal ${n}\r\nContent-Type: text/plain; charset=windows-1252\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${body}\r\n\r\n`;
    const box = Buffer.from(stored(1, "Grüße.\r\n>From Monday on it is dry.") + stored(2, "Danke."), "latin1");
    const { documents, skips } = await readContent("Inbox.mbox", box);
    expect(skips).toEqual([]);
    expect(documents).toHaveLength(2);
    expect(documents[0]!.text).toContain("Grüße.\nFrom Monday on it is dry.");
    expect(documents[0]!.text).not.toContain("Mozilla");
    expect(documents[1]!.title).toBe("Seal 2");
  });
});
