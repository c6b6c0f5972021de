/** Source code and man pages: comments below what they describe, options with their descriptions, titles. */

import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { headingPath } from "../support/outline.js";
import { placeOfPhrase, readContent, readOne } from "./fixtures/folder.js";

describe("source code", () => {
  const python = `"""Pumps."""\n\nclass Pump:\n    """A pump of brass."""\n\n    def start(self):\n        """Starts it.\n\n        Takes nine litres.\n        """\n        return "# not a comment"\n`;
  const typescript = `// Copyright\n\n/** A pump. */\nexport class Pump {\n  /**\n   * Starts it with nine litres.\n   * @param x  oil\n   */\n  @bound\n  start(x: number): void {\n    const url = "http://x"; // not "in a string"\n  }\n}\n`;

  it("puts a docstring below its declaration", async () => {
    const document = await readOne("pump.py", python);
    expect(document.title).toBe("pump.py");
    expect(document.text).toBe(
      "Pumps.\n\nclass Pump\n\nA pump of brass.\n\ndef start(self)\n\nStarts it.\n\nTakes nine litres.",
    );
    expect(placeOfPhrase(document, "nine litres")).toEqual({ line: 9 });
    expect(headingPath(document, document.text.indexOf("nine"))).toEqual(["class Pump", "def start(self)"]);
  });

  it("knows raw docstrings", async () => {
    const { text } = await readOne(
      "a.py",
      'r"""Matches \\d."""\n\ndef f():\n    R\'\'\'Returns \\n.\'\'\'\n    return r"""data"""\n',
    );
    expect(text).toContain("Matches \\d.");
    expect(text).toContain("Returns \\n.");
    expect(text).not.toContain("data");
  });

  it("puts a comment below the declaration that follows, over decorators", async () => {
    const document = await readOne("pump.ts", typescript);
    expect(headingPath(document, document.text.indexOf("nine litres"))).toEqual([
      "export class Pump",
      "start(x: number): void",
    ]);
    expect(placeOfPhrase(document, "@param")).toEqual({ line: 7 });
    expect(document.text).toContain('\n\nconst url = "http://x"; // not "in a string"');
  });

  it.each([
    [
      "a.py",
      "TIMEOUT = 30      # seconds before it is dropped\nRETRIES = 5   # attempts per host\n",
      "TIMEOUT = 30 # seconds before it is dropped\n\nRETRIES = 5 # attempts per host",
    ],
    [
      "a.h",
      "enum mode {\n  IDLE,   /* waits for water */\n  RUN\n}; // modes\n",
      "IDLE, /* waits for water */\n\nmodes",
    ],
    [
      "a.js",
      "a(); // opens the lid\n     // and waits\n// Stops it.\nfunction stop() {}\n",
      "a(); // opens the lid\nand waits\n\nfunction stop() {}\n\nStops it.",
    ],
  ])("keeps the code before a comment on its line: %s", async (name, source, shown) => {
    expect((await readOne(name, source)).text).toBe(shown);
  });

  it("gives a comment after code its own line", async () => {
    const document = await readOne("a.py", "A = 1  # one\nTIMEOUT = 30  # seconds\nB = 2\n");
    expect(placeOfPhrase(document, "seconds")).toEqual({ line: 2 });
    expect(document.headings).toBeUndefined();
  });

  it("takes no parameter of a shell script and no first line for a comment", async () => {
    const script = "#!/bin/sh\n# Deploys it.\nif [ $# -lt 2 ]; then exit 1; fi\nname=$1#*@\n";
    expect((await readOne("a.sh", script)).text).toBe("Deploys it.");
  });

  it.each([
    ["a.c", "int a; /* one\n * two */ char q = '\"'; // three\n", ["one", "two", "three"]],
    ["a.rs", "/// Starts 'a.\nfn start<'a>() {}\n", ["Starts 'a.", "fn start<'a>()"]],
    ["a.sh", "# Starts it.\nstart() {\n  echo '# no'\n}\n", ["Starts it.", "start()"]],
    ["a.lua", "--[[ A pump\nof brass. ]]\nlocal function start() end\n", ["A pump", "of brass."]],
    ["a.hs", "{- A pump -}\nstart :: Int\n", ["A pump"]],
    ["a.clj", ";; A pump\n(defn start [])\n", ["A pump", "(defn start"]],
  ])("reads the comments of %s", async (name, source, phrases) => {
    const { text } = await readOne(name, source);
    for (const phrase of phrases) expect(text).toContain(phrase);
    expect(text).not.toContain("# no");
  });

  it("keeps the values of constants between the comments, once", async () => {
    const document = await readOne(
      "a.py",
      '# Settings.\n\nMAX_GUESTS = 44\nHOST: str = "mill.example"\nrooms = load()\n\n# Price in euros.\nPRICE = 12.5\n\nOPEN = "9 to 5"\nFEE = 3  # per night\n',
    );
    expect(document.text).toBe(
      'Settings.\n\nMAX_GUESTS = 44\nHOST: str = "mill.example"\n\nPRICE = 12.5\n\nPrice in euros.\n\nOPEN = "9 to 5"\n\nFEE = 3 # per night',
    );
    expect(placeOfPhrase(document, "44")).toEqual({ line: 3 });
    expect(placeOfPhrase(document, "9 to 5")).toEqual({ line: 10 });
  });

  it.each([
    ["a.c", "#define MAX_GUESTS 44"],
    ["a.ts", "export const MAX_GUESTS = 44;"],
    ["a.java", "public static final int MAX_GUESTS = 44;"],
    ["a.rs", "pub const MAX_GUESTS: usize = 44;"],
    ["a.rb", "MAX_GUESTS = '44'"],
  ])("keeps the value of a constant in %s", async (name, line) => {
    const mark = name === "a.rb" ? "#" : "//";
    expect((await readOne(name, `${mark} Guests.\n\n  ${line}\n`)).text).toBe(`Guests.\n\n${line}`);
  });

  it("reads database dumps as text", async () => {
    const dump = "-- The pumps.\nCREATE TABLE pumps (name text);\nINSERT INTO pumps VALUES ('Big Bertha', 44);\n";
    const document = await readOne("a.sql", dump);
    expect(document).toMatchObject({ title: "a", text: dump, map: { kind: "text" } });
    expect(placeOfPhrase(document, "Big Bertha")).toEqual({ line: 3 });
  });

  it("reads a file without comments as text", async () => {
    expect((await readOne("a.py", "x = 1\n")).text).toBe("x = 1\n");
  });

  it("takes linear time for comments and strings that never end", async () => {
    for (const source of [
      "/*".repeat(200_000),
      '"""'.repeat(200_001),
      "'".repeat(400_000),
      "// x\n".repeat(100_000),
      `${"a".repeat(400_000)}(`,
      `// x\n${`${"A ".repeat(90)}\n`.repeat(4000)}`,
    ]) {
      for (const name of ["a.ts", "a.py"])
        expect((await readContent(name, source)).skips.map(({ reason }) => reason)).toEqual([]);
    }
  });
});

describe("LaTeX", () => {
  const tex = (body: string) => readOne("a.tex", `\\begin{document}\n${body}\n\\end{document}\n`);

  it.each([
    [String.raw`\begin{center}{\bfseries Deposit: 400 euros}\end{center}`, "Deposit: 400 euros"],
    [String.raw`\begin{minipage}[t]{0.5\textwidth}{\large Deposit}: \textsterling{}50\end{minipage}`, "Deposit: £50"],
    [String.raw`\begin{multicols}{2}Two columns\end{multicols}`, "Two columns"],
    [String.raw`\fontsize{12}{14}\selectfont\selectlanguage{english}Text`, "Text"],
    [String.raw`\begin{tabular}{ll}a & b\tabularnewline\cmidrule(lr){1-2}c & d\\\end{tabular}`, "a | b\nc | d"],
  ])("reads groups after the beginning of an environment, and drops settings: %s", async (source, shown) => {
    expect((await tex(source)).text.trim()).toBe(shown);
  });

  it.each([
    [String.raw`\url{https://example.org/a%20b/c}`, "https://example.org/a%20b/c"],
    [String.raw`\href{https://example.org/x%20y}{the report}`, "the report"],
    ["\\href{https://example.org/x%20y}%\n  {the report}", "the report"],
    [String.raw`\href[pdfnewwindow]{https://example.org/x%20y}{the \emph{report}}`, "the report"],
    [String.raw`\nolinkurl{~/50%.txt}`, "~/50%.txt"],
    [String.raw`\path{C:{a%b}}`, "C:{a%b}"],
    [String.raw`\url{a\_b\%20c}`, "a_b%20c"],
    ["\\url{https://example.org/\n  long%20path}", "https://example.org/long%20path"],
    [String.raw`\textbf{\url{a%b}}`, "a%b"],
  ])("reads an address as it is: %s", async (source, shown) => {
    const { text } = await tex(`See ${source} first. % comment }\nThe total is 42.`);
    expect(text.replace("\n", " ")).toBe(`See ${shown} first. The total is 42.`);
  });

  it.each([
    [String.raw`\SI{10}{\metre\per\second}, \qty{5}{\percent}, \SIrange{1}{2}{\kilo\gram}`, "10 m/s, 5%, 1–2 kg"],
    [String.raw`\SI[per-mode=symbol]{1.5e3}{\square\milli\metre}, \ang{45}, \num{12345}`, "1.5 × 10^3 mm², 45°, 12345"],
    [String.raw`$\frac{1}{2}$ of $\frac{a+b}{c} \leq \sqrt{2}$`, "1/2 of (a+b)/c ≤ √2"],
    [String.raw`m\textsuperscript{2}, 1\textsuperscript{st}, $\alpha \geq 3 \cdot \mu$`, "m², 1st, α ≥ 3 · μ"],
    [String.raw`\ding{51} yes, \ding{55} no, \ding{52}\ding{56}, \ding{72} star`, "✓ yes, ✗ no, ✔✘, star"],
    [String.raw`\newcommand{\cmark}{\ding{51}} \cmark{} and \ding{toString}`, "✓ and"],
    [String.raw`\SI{10}{\metre`, "10"],
    [
      String.raw`$\frac12$ of the rent, $\frac a2 + b$, 20$^\circ$C, 20$^{\circ}$C`,
      "1/2 of the rent, a/2 + b, 20°C, 20°C",
    ],
  ])("reads numbers and signs: %s", async (source, shown) => {
    expect((await tex(`${source}\n\nMore.`)).text).toBe(`${shown}\n\nMore.`);
  });

  it.each([
    ["Before.\n\\iffalse\nHidden {text.\n\n\\end{document}\n\\fi\nAfter.", "Before.\nAfter."],
    [String.raw`A \iffalse hidden \fi B`, "A B"],
    [String.raw`A \iffalse b \ifx c \else d \fi e \ifthenelse f \else G\fi.`, "A G."],
    [String.raw`\newif\ifdraft A \iffalse b \ifdraft c \fi d \fi E`, "A E"],
    [String.raw`\let\ifdraft\iffalse A \verb|\iffalse| B \newcommand{\hide}{\iffalse} C`, "A \\iffalse B C"],
    ["A % \\iffalse\n50\\% B $\\iff$ C", "A 50% B C"],
    ["A\n\\begin{verbatim}\n\\iffalse\n\\end{verbatim}\n\nB \\fi", "A\n\n\\iffalse\n\nB"],
    [String.raw`A \iffalse never closed`, "A never closed"],
  ])("leaves out what is commented out with a false conditional: %j", async (source, shown) => {
    expect((await tex(source)).text).toBe(shown);
  });

  it.each([
    ["One. % note\n\nTwo.", "One.\n\nTwo."],
    ["One.\n% note\n \t\nTwo.", "One.\n\nTwo."],
    ["One % note\ntwo.", "One two."],
    ["\\textbf{One % note\n\ntwo}.", "One\n\ntwo."],
  ])("ends a paragraph at a blank line after a comment: %j", async (source, shown) => {
    expect((await tex(source)).text).toBe(shown);
  });

  it.each([
    ["\\begin{theorem}[Pythagoras]\\label{t} Squares add up.\\end{theorem}", "Pythagoras. Squares add up."],
    ["\\newtheorem{satz}{Satz}\\begin{satz}[Von \\emph{Euler}]A sum.\\end{satz}", "Von Euler. A sum."],
    ["\\begin{proof}[Why?] So.\\end{proof}\\begin{lemma}Small.\\end{lemma}", "Why? So.\n\nSmall."],
    ["\\begin{figure}[htbp]Text\\end{figure}", "Text"],
  ])("reads the name of a theorem: %s", async (source, shown) => {
    expect((await tex(source)).text).toBe(shown);
  });

  it("prints no definitions of abbreviations and of entries of a glossary", async () => {
    const definitions = [
      "\\newacronym[plural=GPUs]{gpu}{GPU}{graphics processing unit}",
      "\\newglossaryentry{x}\n{\n  name={X},\n  description={Y}\n}",
      "\\newabbreviation{cpu}{CPU}{central unit}",
    ];
    expect((await tex(`One.\n${definitions.join("\n")}\nTwo.`)).text).toBe("One.\nTwo.");
  });

  it("keeps the lines of what follows a false conditional", async () => {
    const document = await tex("One.\n\\iffalse\ntwo\n\n\\fi\nNine litres.");
    expect(placeOfPhrase(document, "Nine")).toEqual({ line: 7 });
  });

  it("takes linear time for conditionals and code that never end", async () => {
    for (const source of [
      "\\iffalse ",
      "\\iffalse\\verb|",
      "\\fi\\iffalse\\let\\ifa   ",
      "\\begin{verbatim}\\iffalse",
    ]) {
      const { skips } = await readContent("a.tex", `A\n\n${source.repeat(100_000)}`);
      expect(skips).toEqual([]);
    }
  });

  it("reads each entry of a list of references as a paragraph without its key", async () => {
    const entries = String.raw`\bibitem{ada} Ada. \emph{On pumps}. 1911.
\bibitem[{Bell et~al.(1912)Bell,
 and Cole}]{bell:1912}
Bell. \newblock On taps.

\bibitem
  [C]
  {c} Cole.`;
    const document = await tex(String.raw`See below.\begin{thebibliography}{9}${entries}\end{thebibliography}`);
    expect(document.text).toBe("See below.\n\nAda. On pumps. 1911.\n\nBell. On taps.\n\nCole.");
    expect(placeOfPhrase(document, "On taps")).toEqual({ line: 5 });
  });

  it("reads cells over several rows and columns", async () => {
    const rows = String.raw`Type & \multicolumn{2}{c}{Size} & Price \\ \multirow{2}*{Pump} & 10 & 12 & 40 \\ \multirow[t]{1}{*}[3pt]{\bf Tap} & \multicolumn{-1}{c}{14} & 16 & 50 \\`;
    const { text } = await tex(String.raw`\begin{tabular}{llll} ${rows} \end{tabular}`);
    expect(text).toBe("Type | Size |  | Price\nPump | 10 | 12 | 40\nTap | 14 | 16 | 50");
  });

  it.each([
    String.raw`\makecell{Pump\\of brass}`,
    String.raw`\makecell[l]{Pump\\[2pt]of brass}`,
    String.raw`\shortstack{Pump\\of brass}`,
    String.raw`\multicolumn{1}{l}{\textbf{Pump \\ of brass}}`,
    String.raw`\begin{tabular}[c]{@{}l@{}}Pump\\ of brass\end{tabular}`,
  ])("keeps the lines of a cell in the cell: %s", async (cell) => {
    const { text } = await tex(String.raw`\begin{tabular}{ll} A & ${cell} \\ B & {\bf Tap} \\ \end{tabular}`);
    expect(text).toBe("A | Pump of brass\nB | Tap");
  });

  it("loses no text after a table in a cell that is not closed", async () => {
    const inner = String.raw`\begin{tabular}{l}x\\y`;
    const { text } = await tex(String.raw`\begin{tabular}{ll} A & ${inner} \\ B & C \\ \end{tabular} Nine litres.`);
    expect(text).toContain("Nine litres.");
  });

  it("has the titles of slides and of the blocks on them for headings", async () => {
    const slides = [
      String.raw`\begin{frame}[fragile]{The \emph{pump}}`,
      String.raw`It pumps.\begin{block}<2->{Warning} Never run it dry. \end{block}\end{frame}`,
      String.raw`\begin{frame}[t,fragile] \frametitle{Prices} 40 euros. \end{frame}`,
    ];
    const { text, headings } = await tex(slides.join("\n"));
    expect(text).toBe("The pump\n\nIt pumps.\n\nWarning\n\nNever run it dry.\n\nPrices\n\n40 euros.");
    expect(headings!.map(({ start, level }) => [text.slice(start, start + 6), level])).toEqual([
      ["The pu", 5],
      ["Warnin", 6],
      ["Prices", 5],
    ]);
  });

  it("ends an address that is never closed with its line", async () => {
    expect((await tex("See \\url{https://example.org/a%20b\nThe total is 42.\n\nMore.")).text).toBe(
      "See https://example.org/a%20b\nThe total is 42.\n\nMore.",
    );
  });

  it.each(["\\textbf{", "\\emph{\\textbf{b} ", "{\\small ", "\\parbox{3cm}{"])(
    "keeps the structure below a group that is never closed: %s",
    async (open) => {
      const document = await tex(
        `Some ${open}words.\n\nNext paragraph.\n\\section{Costs}\nThe rent is 900.\n\n\\begin{tabular}{ll}\nA & B \\\\\n1 & 2 \\\\\n\\end{tabular}`,
      );
      expect(document.text).toMatch(/ words\.\n\nNext paragraph\.\n\nCosts\n\nThe rent is 900\.\n\nA \| B\n1 \| 2$/);
      expect(headingPath(document, document.text.indexOf("900"))).toEqual(["Costs"]);
      expect(placeOfPhrase(document, "900")).toEqual({ line: 6 });
    },
  );

  it("keeps the structure below a heading that is never closed", async () => {
    const document = await tex("\\section{Costs\n\nThe rent is 900.\n\\section{Repairs \n\\subsection{Roof}\nTiles.");
    expect(headingPath(document, document.text.indexOf("900"))).toEqual(["Costs"]);
    expect(headingPath(document, document.text.indexOf("Tiles"))).toEqual(["Repairs", "Roof"]);
  });

  it("reads a group with several paragraphs to its end", async () => {
    expect((await tex("A\\footnote{One {\\bf x} \\url{a%b} % {\n\nTwo} word.\n\nEnd.")).text).toBe(
      "A word.\n\nOne x a%b Two\n\nEnd.",
    );
  });

  it.each([
    [
      String.raw`\newcommand{\sys}{MillOS}`,
      String.raw`\sys\ was new. See \sys{} and \textbf{\sys}.`,
      "MillOS was new. See MillOS and MillOS.",
    ],
    [
      String.raw`\newcommand*\sys {Mill\,OS\xspace}`,
      String.raw`\sys is \sys, \sys{} new`,
      "Mill OS is Mill OS, Mill OS new",
    ],
    [
      String.raw`\def\maxpress{16~bar}\DeclareMathOperator{\argmax}{arg\,max}`,
      String.raw`\maxpress, \argmax`,
      "16 bar, arg max",
    ],
    [String.raw`\newcommand{\all}{\sys{} Pro}\newcommand{\sys}{MillOS}`, String.raw`Buy \all.`, "Buy MillOS Pro."],
    [
      String.raw`\newcommand{\fig}{Figure~\ref}\newcommand{\red}{\textcolor{red}}`,
      String.raw`\fig{a}: \red{hot}`,
      "Figure : hot",
    ],
    ["\\newcommand{\\sys}{A}\n%\\newcommand{\\sys}{B}", String.raw`\sys{}\renewcommand{\sys}{C} \sys`, "A C"],
    [String.raw`\def\two#1#2{#1 of #2}\def\a{x\a}\newcommand{\ref}{R}`, String.raw`\a{} y\ref{fig:1}`, "x y"],
  ])("replaces macros without arguments: %s", async (preamble, source, shown) => {
    const { text } = await readOne(
      "a.tex",
      `\\documentclass{a}\n${preamble}\n\\begin{document}\n${source}\n\\end{document}`,
    );
    expect(text).toBe(shown);
  });

  it("replaces macros in titles, headings and tables", async () => {
    const preamble = String.raw`\newcommand{\sys}{MillOS}\newcommand{\no}{---}\title{A \sys{} study}`;
    const body = String.raw`\begin{document}\section{On \sys}\begin{tabular}{ll}\sys & \no \\ b & c \\ \end{tabular}\end{document}`;
    const document = await readOne("a.tex", preamble + body);
    expect(document).toMatchObject({ title: "A MillOS study", text: "On MillOS\n\nMillOS | —\nb | c" });
  });

  it("bounds the text of macros inside macros", async () => {
    const names = [..."abcd"];
    const lines = names.map((name, i) => `\\def\\x${name}{${`\\x${names[i + 1] ?? "z"} `.repeat(30)}}`);
    const { documents, skips } = await readContent(
      "a.tex",
      `${lines.join("\n")}\\def\\xz{ha}\n${"\\xa ".repeat(200_000)}`,
    );
    expect(skips).toEqual([]);
    const { length } = documents[0]!.text;
    expect([length > 5_000_000, length < 11_000_000]).toEqual([true, true]);
  });

  it.each([
    [
      "{\\small\n\\begin{tabular}{ll}\nCity & Pumps \\\\\nOslo & 12 \\\\\n\\end{tabular}\n}",
      "City | Pumps\nOslo | 12",
      5,
    ],
    [
      "\\resizebox{\\linewidth}{!}{%\n\\begin{tabular}{ll}\nCity & Pumps \\\\\nOslo & 12 \\\\\n\\end{tabular}}",
      "City | Pumps\nOslo | 12",
      5,
    ],
    [
      "{\\small\n\\begin{itemize}\n\\item Oil it.\n\\item Fill it with 12 l.\n\\end{itemize}\n}",
      "• Oil it.\n• Fill it with 12 l.",
      5,
    ],
    [
      "\\fbox{\\begin{minipage}{5cm}\nBoxed {\\bf first}.\n\nIt holds 12.\n\\end{minipage}}",
      "Boxed first.\n\nIt holds 12.",
      5,
    ],
    ["{\\bf Note.} It\\footnote{A {b} c.} is\n\\colorbox{red}{about\n12 l}.", "Note. It is\nabout\n12 l.\n\nA b c.", 4],
  ])("keeps the structure inside braces: %j", async (source, shown, line) => {
    const document = await tex(source);
    expect(document.text).toBe(shown);
    expect(placeOfPhrase(document, "12")).toEqual({ line });
  });

  it.each([
    [String.raw`\lstinline[language=C]|free(x)| and \lstinline{x{1}y}, [see]`, "free(x) and x{1}y, [see]"],
    [String.raw`\mintinline{python}{import os} and \mintinline[a]{c}|int|`, "import os and int"],
    [String.raw`\checkmark{} and\slash or 45~\texteuro{}, \L{}\'od\'z`, "✓ and/or 45 €, Łódź"],
    [String.raw`\texorpdfstring{$\alpha$-seals}{alpha-seals}`, "α-seals"],
    ["\\verb|a\nb| c", "|a\nb| c"],
  ])("reads code and signs in sentences: %s", async (source, shown) => {
    expect((await tex(`${source}\n\nMore.`)).text).toBe(`${shown}\n\nMore.`);
  });

  it("takes linear time for groups and addresses that never end", async () => {
    for (const source of ["\\url{a\n", "\\textbf{a\n\n", "\\href{a}\n", "\\url{", "{x", "x\\def\\a", "\\lstinline|"]) {
      const { skips } = await readContent("a.tex", source.repeat(20_000));
      expect(skips.map(({ reason }) => reason)).toEqual([]);
    }
  });
});

describe("man pages", () => {
  const mdoc = `.\\" A comment\n.Dd May 1, 2031\n.Dt PUMP 8\n.Os\n.Sh NAME\n.Nm pump\n.Nd move water\n.Sh SYNOPSIS\n.Nm\n.Op Fl v\n.Op Fl o Ar file\n.Sh OPTIONS\n.Bl -tag\n.It Fl o Ar file\nWrites to\n.Ar file .\n.El\n.Sh SEE ALSO\n.Xr valve 8 ,\n.Xr oil 1\n`;

  it("reads mdoc, recognised by its content", async () => {
    const document = await readOne("pump.8", mdoc);
    expect(document.title).toBe("pump(8): move water");
    expect(document.map.kind).toBe("man");
    expect(document.text.replace(/\s+/g, " ")).toBe(
      "NAME pump – move water SYNOPSIS pump [-v] [-o file] OPTIONS -o file Writes to file. SEE ALSO valve(8), oil(1)",
    );
    expect(placeOfPhrase(document, "Writes to")).toEqual({ line: 15 });
  });

  it("reads pages with the macros of man(7), packed", async () => {
    const page = `.TH PUMP 1\n.SH NAME\npump \\- move water\n.SH OPTIONS\n.TP\n\\fB\\-v\\fR, \\fB\\-\\-verbose\\fR\nSays \\(lqmore\\(rq.\n.IP \\(bu 2\nTwice.\n.de XX\nhidden\n..\n`;
    const document = await readOne("pump.1.gz", gzipSync(page));
    expect(document.title).toBe("pump(1): move water");
    expect(document.text).toBe("NAME\n\npump - move water\n\nOPTIONS\n\n-v, --verbose\nSays “more”.\n\n• Twice.");
  });

  it("reads what a terminal shows: terms, text and strings", async () => {
    const page = [
      ".TH PUMP 1\n.ds PR Pump 3000\n.ds ^ \\\\k:\\h'-2'^\n.ie n \\{\\\n.  ds C` \"\"\n.\\}\n.SH OPTIONS",
      '.ie n .IP """\\-\\-fast""" 4\n.el .IP "\\f(CW\\-\\-fast\\fR" 4\nRuns \\*(C`fast\\*(C\'.',
      ".PP\n.if n The \\*(PR, \\*[PR] and \\*^x\n.if t Hidden.\n.if n .sp\n.SY pump\n.OP \\-x val\n.YS",
    ];
    const document = await readOne("pump.1", page.join("\n"));
    expect(document.text).toBe('OPTIONS\n\n"--fast"\nRuns fast.\n\nThe Pump 3000, Pump 3000 and x\n\npump\n[-x val]');
    expect(placeOfPhrase(document, "--fast")).toEqual({ line: 8 });
  });

  it("does not take another file that ends in a number for one", async () => {
    expect((await readOne("notes.1", "Water\n\nThe pump needs water.\n")).map.kind).toBe("text");
  });
});
