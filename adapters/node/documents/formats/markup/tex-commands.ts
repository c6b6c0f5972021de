/** Tables of LaTeX commands that need special treatment. */

/** Commands of headings, outermost first. */
export const SECTIONS = ["part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph"];
/** Commands that are dropped with their arguments. */
export const DROPPED = new Set(
  (
    "label ref eqref pageref cite citep citet autoref cref Cref nocite includegraphics usepackage documentclass input include " +
    "bibliography bibliographystyle newcommand renewcommand providecommand newenvironment vspace hspace setlength addtolength " +
    "setcounter index glossary hypersetup geometry definecolor color pagestyle thispagestyle begin end hyphenation let " +
    "RequirePackage PassOptionsToPackage graphicspath newtheorem theoremstyle addcontentsline rule phantomsection DeclareMathOperator " +
    "date thanks tableofcontents maketitle cmidrule cline multirow setmainfont lstset pgfplotsset usetikzlibrary urlstyle"
  ).split(" "),
);
/** Commands whose first argument is an address or a path. */
export const ADDRESSES = new Set(["url", "href", "nolinkurl", "path"]);
/** Commands of which only the last argument is text. */
export const LAST_ARGUMENT = new Set([
  "textcolor",
  "colorbox",
  "multicolumn",
  "hyperref",
  "parbox",
  "makebox",
  "raisebox",
  "hyperlink",
  "foreignlanguage",
]);
/** Commands that print a sign. */
export const SYMBOLS: Record<string, string> = {
  ...{
    ldots: "…",
    dots: "…",
    textendash: "–",
    textemdash: "—",
    ss: "ß",
    ae: "æ",
    AE: "Æ",
    o: "ø",
    O: "Ø",
    aa: "å",
    AA: "Å",
    oe: "œ",
    l: "ł",
  },
  ...{
    LaTeX: "LaTeX",
    TeX: "TeX",
    copyright: "©",
    textregistered: "®",
    texttrademark: "™",
    euro: "€",
    pounds: "£",
    S: "§",
    P: "¶",
    i: "ı",
  },
  ...{
    textbackslash: "\\",
    textasciitilde: "~",
    textasciicircum: "^",
    textbar: "|",
    textless: "<",
    textgreater: ">",
    quad: " ",
    qquad: " ",
  },
  ...{
    textquotesingle: "'",
    textquotedbl: '"',
    textbullet: "•",
    textdegree: "°",
    degree: "°",
    times: "×",
    pm: "±",
    to: "→",
    rightarrow: "→",
  },
};
/** Accent commands, as combining marks. */
export const ACCENTS: Record<string, string> = {
  "'": "\u0301",
  "`": "\u0300",
  "^": "\u0302",
  '"': "\u0308",
  "~": "\u0303",
  "=": "\u0304",
  ".": "\u0307",
  c: "\u0327",
  v: "\u030c",
  u: "\u0306",
  H: "\u030b",
  r: "\u030a",
  k: "\u0328",
};
