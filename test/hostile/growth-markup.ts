/** Constructs of mail, markup, subtitles, notebooks and source code for the growth test. */

import { type Constructs, lines } from "./growth-constructs.js";

const HEAD = "From: a@b\nSubject: x\n";
const multipart = (body: string) => `${HEAD}Content-Type: multipart/mixed; boundary=b\n\n${body}`;

export const MARKUP_CONSTRUCTS: Constructs = {
  eml: {
    parts: (n) => multipart("--b\n\nx\n".repeat(n)),
    "parts in parts": (n) =>
      `${HEAD}${lines(n, (i) => `Content-Type: multipart/mixed; boundary=b${i}\n\n--b${i}\n`)}text`,
    "forwarded messages": (n) => `${HEAD}${"Content-Type: message/rfc822\n\nFrom: a@b\n".repeat(n)}\ntext`,
    "attached texts": (n) => multipart('--b\nContent-Disposition: attachment; filename="a.txt"\n\nwords\n'.repeat(n)),
    "header lines": (n) => `${HEAD}${"X: y\n".repeat(n)}\ntext`,
    "a long header": (n) => `${HEAD}X: ${"y".repeat(n)}\n\ntext`,
    "a folded header": (n) => `From: a@b\nSubject: x\n${" y\n".repeat(n)}\ntext`,
    "encoded words": (n) => `From: a@b\nSubject: ${"=?utf-8?q?=41?= ".repeat(n)}\n\ntext`,
    "open encoded words": (n) => `From: a@b\nSubject: ${"=?utf-8?q?".repeat(n)}\n\ntext`,
    addresses: (n) => `From: a@b\nTo: ${"Ana B <a@b.example>, ".repeat(n)}c@d\n\ntext`,
    "open addresses": (n) => `From: a@b\nTo: ${'"a (<'.repeat(n)}\n\ntext`,
    "address groups": (n) => `From: a@b\nTo: ${"g: ".repeat(n)}\n\ntext`,
    parameters: (n) => `${HEAD}Content-Type: text/plain; ${lines(n, (i) => `a*${i}=b; `)}\n\ntext`,
    "quoted-printable text": (n) => `${HEAD}Content-Transfer-Encoding: quoted-printable\n\n${"=41=\n".repeat(n)}`,
    "spaces in quoted-printable lines": (n) =>
      `${HEAD}Content-Transfer-Encoding: quoted-printable\n\na${" ".repeat(n)}b\n`,
    "base64 text": (n) => `${HEAD}Content-Transfer-Encoding: base64\n\n${"d29yZHMg\n".repeat(n)}`,
    "flowed text": (n) => `${HEAD}Content-Type: text/plain; format=flowed\n\n${"words \n".repeat(n)}`,
    "quoted lines": (n) => `${HEAD}\n${"> > words\n".repeat(n)}`,
    "open attributions": (n) => `${HEAD}\n${"On a wrote ".repeat(n)}\n`,
    "an HTML body": (n) => `${HEAD}Content-Type: text/html\n\n${"<p>words</p>\n".repeat(n)}`,
    "HTML with a footer in plain text": (n) =>
      multipart(`--b\nContent-Type: text/html\n\n${"<b>words</b><br>".repeat(n)}\n--b\n\n${"words\n".repeat(n)}`),
    "HTML beside text": (n) =>
      multipart(`--b\n\n${"words\n".repeat(n)}--b\nContent-Type: text/html\n\n${"<b>words</b><br>".repeat(n)}`),
  },
  mbox: {
    messages: (n) => lines(n, (i) => `From a@b 2031\nFrom: a@b\nMessage-ID: <${i}@b>\n\nwords\n\n`),
    "messages with a status": (n) => "From a@b 2031\nX-Mozilla-Status: 0009\nFrom: a@b\n\nwords\n\n".repeat(n),
    separators: (n) => "From a@b 2031\n".repeat(n),
    "escaped separators": (n) => `From a@b 2031\nFrom: a@b\n\n${">From a\n".repeat(n)}`,
    answers: (n) =>
      lines(n, (i) => `From a@b 2031\nFrom: a@b\nMessage-ID: <${i}@b>\nIn-Reply-To: <${i - 1}@b>\n\n> words\n\n`),
  },
  ipynb: {
    cells: (n) => `{"cells":[${'{"cell_type":"markdown","source":"words"},'.repeat(n)}1]}`,
    "code cells": (n) => `{"cells":[${'{"cell_type":"code","source":["a = 1 # words\\n"]},'.repeat(n)}1]}`,
    "lines of a cell": (n) => `{"cells":[{"cell_type":"markdown","source":[${'"words\\n",'.repeat(n)}""]}]}`,
    brackets: (n) => `{"cells":${"[".repeat(n)}`,
  },
  rst: {
    headings: (n) => "Heading\n=======\n\nwords\n\n".repeat(n),
    adornments: (n) => "===\n".repeat(n),
    "simple tables": (n) => "=== ===\na   b\n".repeat(n),
    "grid tables": (n) => `+---+---+\n${"| a | b |\n+---+---+\n".repeat(n)}`,
    "list items": (n) => "- a\n".repeat(n),
    directives: (n) => ".. note::\n\n   words\n\n".repeat(n),
    substitutions: (n) => `${lines(n, (i) => `.. |s${i}| replace:: words\n`)}\n${"|s1| ".repeat(n)}`,
    "open roles": (n) => ":a:`<".repeat(n),
    "open bold text": (n) => "**a ".repeat(n),
    colons: (n) => `${":".repeat(n)}\n.. ${"a::".repeat(n)}\n`,
    "lines of open marks": (n) =>
      "**a :a:`< `a  <b "
        .repeat(20)
        .concat("\n")
        .repeat(Math.ceil(n / 16)),
  },
  adoc: {
    headings: (n) => "== a\n\nwords\n\n".repeat(n),
    "table rows": (n) => `|===\n${"|a |b\n".repeat(n)}`,
    "open blocks": (n) => "----\na\n====\n".repeat(n),
    attributes: (n) => `${lines(n, (i) => `:a${i}: {a${i - 1}}\n`)}\n${"{a1} ".repeat(n)}`,
    "nested attributes": (n) => `:a: x\n\n${"{a".repeat(n)}\n`,
    "list items": (n) => "* a\n".repeat(n),
    brackets: (n) => "[[".repeat(n),
    "open links": (n) => "link:a[".repeat(n),
    "open bold text": (n) => "**a ".repeat(n),
    "a heading of spaces": (n) => `= a${" ".repeat(n)}b\n`,
    "lines of open marks": (n) =>
      "[[ **a *a _b <<c link:link:d[ "
        .repeat(20)
        .concat("\n")
        .repeat(Math.ceil(n / 16)),
  },
  org: {
    headings: (n) => "* a\nwords\n".repeat(n),
    stars: (n) => `${"*".repeat(n)} a\n`,
    "table rows": (n) => "| a | b |\n".repeat(n),
    "open blocks": (n) => "#+BEGIN_SRC c\na\n".repeat(n),
    drawers: (n) => "* a\n:PROPERTIES:\n:a: b\n".repeat(n),
    brackets: (n) => "[[".repeat(n),
    "open marks": (n) => "*a =b ".repeat(n),
    "a heading of tags": (n) => `* a${" :a".repeat(n)}\n`,
    "lines of open marks": (n) =>
      "[[a *a =b ~c [fn:"
        .repeat(20)
        .concat("\n")
        .repeat(Math.ceil(n / 16)),
  },
  man: {
    definitions: (n) => `.TH a 1\n${".de x\n".repeat(n)}`,
    "escapes of strings": (n) => `.TH a 1\n${"\\*[".repeat(n)}`,
    "escapes of fonts": (n) => `.TH a 1\n${"\\fBa\\fR ".repeat(n)}`,
    tables: (n) => `.TH a 1\n.TS\nl.\n${"T{\n".repeat(n)}`,
    "table rows": (n) => `.TH a 1\n.TS\nl l.\n${"a\tb\n".repeat(n)}.TE\n`,
    "an open quote": (n) => `.B ${'"a '.repeat(n)}\n`,
    "a name of dashes": (n) => `.TH A 1\n.SH NAME\na${" -".repeat(n)}\n`,
    requests: (n) => ".B a\n".repeat(n),
  },
  code: {
    comments: (n) => "// words of a comment\nint a;\n".repeat(n),
    "open comments": (n) => "/*".repeat(n),
    "open strings": (n) => "a = '\"`".repeat(n),
    "escaped marks in an open string": (n) => `"${'\\"'.repeat(n)}`,
    declarations: (n) => "// words of a comment\nvoid a(int b) {\n".repeat(n),
    braces: (n) => "{".repeat(n),
    "spaces before a declaration": (n) => "// words of a comment\npublic     static  (((\n".repeat(n),
    "a long declaration": (n) => `// words of a comment\nint a${" ".repeat(n)}b {\n`,
  },
  vtt: {
    cues: (n) => `WEBVTT\n\n${"00:01.000 --> 00:02.000\nwords\n\n".repeat(n)}`,
    "open voices": (n) => `00:00:01,000 --> 00:00:02,000\n${"<v ".repeat(n)}\n`,
    "lines of open voices": (n) =>
      `00:00:01,000 --> 00:00:02,000\n${"<v.a  {\\".repeat(20)}\n\n`.repeat(Math.ceil(n / 16)),
  },
  srt: {
    cues: (n) => lines(n, (i) => `${i}\n00:00:01,000 --> 00:00:02,000\nwords\n\n`),
    times: (n) => "00:00:01,000 --> 00:00:02,000\n".repeat(n),
    "open tags": (n) => `00:00:01,000 --> 00:00:02,000\n${"<i {\\".repeat(n)}\n`,
    "lines of one cue": (n) => `00:00:01,000 --> 00:00:02,000\n${"words\n".repeat(n)}`,
  },
  tex: {
    groups: (n) => "{".repeat(n),
    "closed groups": (n) => `${"{".repeat(n)}x${"}".repeat(n)}`,
    sections: (n) => "\\section{a}\n\nwords\n\n".repeat(n),
    "open arguments": (n) => "\\a[".repeat(n),
    "open commands": (n) => "\\textbf{a ".repeat(n),
    accents: (n) => "\\'".repeat(n),
    definitions: (n) => lines(n, (i) => `\\newcommand{\\a${i}}{\\a${i - 1}}\n`),
    "nested lists": (n) => "\\begin{itemize}\\item a\n".repeat(n),
    "table rows": (n) => `\\begin{tabular}{ll}\n${"a & b \\\\\n".repeat(n)}\\end{tabular}`,
    formulas: (n) => "$a ".repeat(n),
    comments: (n) => "a % words\n".repeat(n),
    verbatim: (n) => "\\begin{verbatim}\na\n".repeat(n),
  },
};
