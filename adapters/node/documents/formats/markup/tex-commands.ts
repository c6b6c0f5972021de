/** Tables of LaTeX commands that need special treatment. */

/** Commands of headings, outermost first. */
export const SECTIONS = ["part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph"];
/** Environments whose content is kept as it is written. */
export const VERBATIM: RegExp = /^(?:verbatim|lstlisting|minted|Verbatim|alltt|comment|Highlighting|filecontents)\*?$/;
/** Commands that are dropped with their arguments. */
export const DROPPED = new Set(
  (
    "label ref eqref pageref cite citep citet autoref cref Cref nocite includegraphics usepackage documentclass input include " +
    "bibliography bibliographystyle newcommand renewcommand providecommand newenvironment vspace hspace setlength addtolength " +
    "setcounter index glossary hypersetup geometry definecolor color pagestyle thispagestyle begin end hyphenation let " +
    "RequirePackage PassOptionsToPackage graphicspath newtheorem theoremstyle addcontentsline rule phantomsection DeclareMathOperator DeclareRobustCommand " +
    "date thanks tableofcontents maketitle cmidrule cline setmainfont lstset pgfplotsset usetikzlibrary urlstyle " +
    "fontsize pagenumbering selectlanguage"
  ).split(" "),
);
/** Commands whose first argument is an address or a path. */
export const ADDRESSES = new Set(["url", "href", "nolinkurl", "path"]);
/** Commands whose last argument is text: how many come before it. */
export const UNPRINTED_ARGUMENTS: ReadonlyMap<string, number> = new Map([
  ...["textcolor", "colorbox", "parbox", "raisebox", "hyperlink", "foreignlanguage"].map((name) => [name, 1] as const),
  ...["scalebox", "adjustbox", "rotatebox"].map((name) => [name, 1] as const),
  ...["fcolorbox", "resizebox"].map((name) => [name, 2] as const),
]);
/** Commands that define an abbreviation or an entry of a glossary: how many arguments they have. */
export const UNPRINTED_DEFINITIONS: ReadonlyMap<string, number> = new Map([
  ...["newglossaryentry", "provideglossaryentry", "DeclareAcronym"].map((name) => [name, 2] as const),
  ...["newacronym", "newabbreviation", "longnewglossaryentry"].map((name) => [name, 3] as const),
]);
/** Environments of numbered statements, whose optional argument is a name. */
export const STATEMENT: RegExp =
  /^(?:theorem|thm|lemma|lem|proposition|prop|corollary|cor|definition|defn?|claim|conjecture|example|remark|fact|observation|assumption|axiom|problem|exercise|question|solution|proof)\*?$/i;
/** Commands that define another one. */
export const DEFINING = new Set(
  "newcommand renewcommand providecommand DeclareRobustCommand DeclareMathOperator def gdef edef xdef".split(" "),
);
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
    OE: "Œ",
    l: "ł",
    L: "Ł",
  },
  ...{
    LaTeX: "LaTeX",
    TeX: "TeX",
    copyright: "©",
    textregistered: "®",
    texttrademark: "™",
    euro: "€",
    pounds: "£",
    textsterling: "£",
    textyen: "¥",
    textdollar: "$",
    textcent: "¢",
    EUR: "€",
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
    textcelsius: "°C",
    texteuro: "€",
    textonehalf: "½",
    checkmark: "✓",
    slash: "/",
    guillemotleft: "«",
    guillemotright: "»",
  },
  ...{ infty: "∞", sqrt: "√", sum: "∑", prod: "∏", int: "∫", partial: "∂", circ: "°", cdots: "…", ell: "ℓ" },
  ...{ forall: "∀", exists: "∃" },
  ...{ alpha: "α", beta: "β", gamma: "γ", delta: "δ", epsilon: "ε", varepsilon: "ε", zeta: "ζ", eta: "η", theta: "θ" },
  ...{ iota: "ι", kappa: "κ", lambda: "λ", mu: "μ", nu: "ν", xi: "ξ", pi: "π", rho: "ρ", sigma: "σ", tau: "τ" },
  ...{ upsilon: "υ", phi: "φ", varphi: "φ", chi: "χ", psi: "ψ", omega: "ω", Gamma: "Γ", Delta: "Δ", Theta: "Θ" },
  ...{ Lambda: "Λ", Xi: "Ξ", Pi: "Π", Sigma: "Σ", Phi: "Φ", Psi: "Ψ", Omega: "Ω", textmu: "µ", textohm: "Ω" },
};
/** Signs of the font Dingbats by their numbers (pifont): those that say yes or no. Others are decoration. */
export const DINGS: Readonly<Record<string, string>> = { 51: "✓", 52: "✔", 55: "✗", 56: "✘" };
/** Commands that print a sign between two others, with spaces. */
export const OPERATORS: Readonly<Record<string, string>> = {
  ...{ le: "≤", leq: "≤", leqslant: "≤", ge: "≥", geq: "≥", geqslant: "≥", ne: "≠", neq: "≠", approx: "≈", sim: "∼" },
  ...{ times: "×", cdot: "·", div: "÷", pm: "±", mp: "∓", equiv: "≡", in: "∈", notin: "∉", subset: "⊂", subseteq: "⊆" },
  ...{ cup: "∪", cap: "∩", to: "→", rightarrow: "→", leftarrow: "←", Rightarrow: "⇒", Leftarrow: "⇐", mapsto: "↦" },
  ...{ leftrightarrow: "↔" },
};
/** Commands for quantities (siunitx): how many numbers come before the unit. */
export const QUANTITIES: Readonly<Record<string, number>> = {
  ...{ SI: 1, qty: 1, SIrange: 2, qtyrange: 2, num: 1, numrange: 2, ang: 1, si: 0, unit: 0 },
};
export const FRACTIONS = new Set(["frac", "dfrac", "tfrac", "nicefrac", "sfrac"]);
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
