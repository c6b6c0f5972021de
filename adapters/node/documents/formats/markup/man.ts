/**
 * Man pages (roff with the macros of man(7) and mdoc(7)): headings, options and their descriptions, without the
 * macros.
 */

import type { Document } from "../../../../../src/types.js";
import type { ReadContext } from "../../input.js";
import { BULLET } from "../list-marks.js";
import { linesOf } from "../text-lines.js";
import { type MarkupWriter, readMarkup } from "./markup-writer.js";
import { plainRoff } from "./roff-escapes.js";

/** Title: name and section with the line that says what it is ("ls(1): list directory contents"). Places are lines. */
export function readMan(bytes: Uint8Array, context: ReadContext): Document[] {
  return readMarkup(bytes, context, { kind: "man", write: (source, writer) => new ManReader(writer).read(source) });
}

/** Macros whose arguments are text that continues the line. */
const FONTS = new Set(["B", "I", "R", "BI", "BR", "IB", "IR", "RB", "RI", "SM", "SB"]);
/** Requests and macros that begin a paragraph. */
const PARAGRAPHS = new Set(["PP", "P", "LP", "Pp", "sp", "HP", "RS", "RE", "Bd", "Ed", "Bl", "El", "br", "Lp"]);
/** Requests whose following lines, up to "..", are a definition and not text. */
const DEFINITIONS = new Set(["de", "de1", "am", "ig"]);
/** Macros of mdoc(7) that may also appear as arguments of other macros: what each prints before and after its text. */
const CALLABLE: Record<string, [before: string, after: string]> = {
  ...{
    Fl: ["-", ""],
    Op: ["[", "]"],
    Oo: ["[", ""],
    Oc: ["]", ""],
    Aq: ["<", ">"],
    Bq: ["[", "]"],
    Pq: ["(", ")"],
    Po: ["(", ""],
  },
  ...{ Pc: [")", ""], Dq: ["“", "”"], Sq: ["‘", "’"], Ql: ["‘", "’"], Qq: ['"', '"'], Brq: ["{", "}"] },
  ...{
    Ar: ["", ""],
    Nm: ["", ""],
    Pa: ["", ""],
    Cm: ["", ""],
    Dv: ["", ""],
    Er: ["", ""],
    Ev: ["", ""],
    Em: ["", ""],
    Sy: ["", ""],
  },
  ...{
    Li: ["", ""],
    Va: ["", ""],
    Vt: ["", ""],
    Fa: ["", ""],
    Fn: ["", ""],
    Ft: ["", ""],
    Ic: ["", ""],
    Ns: ["", ""],
    No: ["", ""],
  },
  ...{
    Tn: ["", ""],
    Ux: ["UNIX", ""],
    Bx: ["BSD", ""],
    Fx: ["FreeBSD", ""],
    Nx: ["NetBSD", ""],
    Ox: ["OpenBSD", ""],
    An: ["", ""],
  },
  ...{
    Lk: ["", ""],
    Mt: ["", ""],
    In: ["<", ">"],
    Cd: ["", ""],
    Ad: ["", ""],
    Ms: ["", ""],
    Xo: ["", ""],
    Xc: ["", ""],
    Sx: ["", ""],
    St: ["", ""],
    Ap: ["'", ""],
  },
};

/** A term that is the number of a list item: "1.", "(b)". */
function numberMark(term: string): string | undefined {
  return /^\(?(?:\d{1,3}|[a-z]|[ivx]{2,5})[.)]$/.test(term) ? term : undefined;
}

/** Longer lines are not put together from several, and their strings are not replaced. */
const MAX_LINE_UNITS = 10_000;
const MAX_STRING_UNITS = 100;

class ManReader {
  readonly #writer: MarkupWriter;
  /** Name of the page in mdoc, for `.Nm` without arguments. */
  #name = "";
  #page = "";
  #section = "";
  #inCode = false;
  /** What the next line of text is: the term that a paragraph explains, or a heading whose text is on the next line. */
  #next: "text" | "term" | "SH" | "SS" = "text";
  #heading = "";
  /** The table that is open: "format" until its layout ends. */
  #table: "" | "format" | "rows" = "";
  #separator = "\t";
  #row = "";
  /** The row has a cell of several lines that has not ended. */
  #isCellOpen = false;
  /** Lists of mdoc(7) that are open, with the number of the last item. `kind` is empty for lists of terms. */
  readonly #lists: Array<{ kind: string; number: number }> = [];

  readonly #strings = new Map<string, string>();

  constructor(writer: MarkupWriter) {
    this.#writer = writer;
  }

  read(source: string): void {
    const lines = linesOf(source);
    const lastEnd = lines.lastIndexOf("..");
    for (let i = 0; i < lines.length; i++) {
      let line = lines[i]!;
      const number = i + 1;
      while (/(?:^|[^\\])\\$/.test(line) && i + 1 < lines.length && line.length < MAX_LINE_UNITS)
        line = line.slice(0, -1) + lines[++i]!;
      line = this.#withStrings(conditionalPart(line) ?? line);
      const control = /^[.'][ \t]*([A-Za-z0-9\\"#[\]{}]{1,3})(.*)$/.exec(line);
      if (control === null && !line.startsWith(".") && !line.startsWith("'\\\"")) this.#text(line, number);
      else if (control !== null) {
        const [, name, after = ""] = control;
        const rest = after.replace(/^[ \t]+/, "");
        if (DEFINITIONS.has(name!)) {
          if (i < lastEnd) i = lines.indexOf("..", i);
        } else this.#request(name!, rest, number);
      }
    }
    if (this.#page !== "") {
      const purpose = this.#heading === "" ? "" : `: ${this.#heading}`;
      this.#writer.title = `${this.#page}${this.#section === "" ? "" : `(${this.#section})`}${purpose}`;
    }
  }

  /** A line with the strings that the page defines (`.ds`) in place of their names. */
  #withStrings(line: string): string {
    if (this.#strings.size === 0 || line.length > MAX_LINE_UNITS) return line;
    return line.replace(
      /\\\*(?:\[([^\][\\]*)\]|\((..)|(.))/g,
      (whole, long?: string, two?: string, one?: string) => this.#strings.get(long ?? two ?? one ?? "") ?? whole,
    );
  }

  /** Only strings of words are kept: others draw accents. */
  #defineString(rest: string): void {
    const [, name, value] = /^(\S+)[ \t]+"?([\p{L}\p{N}][\p{L}\p{N} .,_-]*)$/u.exec(rest) ?? [];
    if (name !== undefined && value !== undefined && value.length <= MAX_STRING_UNITS) this.#strings.set(name, value);
  }

  #text(raw: string, number: number): void {
    const writer = this.#writer;
    if (this.#table !== "") {
      this.#tableLine(raw, number);
      return;
    }
    const text = plainRoff(raw);
    if (text.trim() === "") {
      writer.blank();
      return;
    }
    if (this.#next === "SH" || this.#next === "SS") {
      this.#writeHeading(this.#next, text, number);
      return;
    }
    // "name \- purpose", the one line below NAME.
    if (this.#heading === "" && this.#page !== "") this.#heading = purposeOf(text.trim());
    if (this.#next === "term") this.#writeTerm(text, number);
    else if (this.#inCode) writer.code(text, number);
    else writer.line(text, number);
  }

  #writeHeading(kind: "SH" | "SS", text: string, number: number): void {
    this.#next = "text";
    if (text.trim() !== "") this.#writer.heading(text, kind === "SH" ? 1 : 2, number);
  }

  /**
   * A term begins a paragraph of its own; what explains it follows on the next line. A bullet or number is on that
   * line.
   */
  #writeTerm(text: string, number: number): void {
    this.#next = "text";
    this.#writer.blank();
    const term = plainRoff(text).trim();
    const mark = term === BULLET || term === "·" ? BULLET : numberMark(term);
    if (mark === undefined) this.#writer.line(text, number);
    else this.#writer.builder.beginItem(mark);
  }

  /** An item of a list of mdoc(7). */
  #beginItem(number: number, term: string): void {
    this.#writer.blank();
    const list = this.#lists.at(-1);
    if (term !== "") this.#writeTerm(term, number);
    else if (list?.kind === "enum") this.#writer.builder.beginItem(`${++list.number}.`);
    else if (list !== undefined && list.kind !== "") this.#writer.builder.beginItem(BULLET);
  }

  #request(name: string, rest: string, number: number): void {
    const writer = this.#writer;
    if (name === "TH" || name === "Dt") {
      const [page = "", section = ""] = argumentsOf(rest);
      this.#page = name === "Dt" ? page.toLowerCase() : page === page.toUpperCase() ? page.toLowerCase() : page;
      this.#section = section;
    } else if (name === "SH" || name === "SS" || name === "Sh" || name === "Ss") {
      this.#inCode = false;
      const kind = name.toUpperCase() as "SH" | "SS";
      const text = argumentsOf(rest).join(" ");
      if (text === "") this.#next = kind;
      else this.#writeHeading(kind, text, number);
    } else if (PARAGRAPHS.has(name)) {
      if (name === "Bd") this.#inCode = /-(?:literal|unfilled)/.test(rest);
      if (name === "Ed") this.#inCode = false;
      if (name === "Bl") this.#lists.push({ kind: /-(bullet|dash|hyphen|enum)\b/.exec(rest)?.[1] ?? "", number: 0 });
      if (name === "El") this.#lists.pop();
      if (name !== "br") writer.blank();
      if (name !== "br" && name !== "Bl") writer.builder.endItem();
    } else if (name === "TP" || name === "TQ") {
      writer.blank();
      this.#next = "term";
    } else if (name === "IP") {
      writer.blank();
      const [term = ""] = argumentsOf(rest);
      const isTerm = /\p{L}/u.test(term) || /^\[?\d+\]?$/.test(term);
      const plain = plainRoff(term).trim();
      if (/^[*+–—-]$/u.test(plain)) writer.builder.beginItem(BULLET);
      else if (isTerm || plain === BULLET || numberMark(plain) !== undefined) this.#writeTerm(term, number);
    } else if (name === "nf" || name === "EX") this.#inCode = true;
    else if (name === "fi" || name === "EE") this.#inCode = false;
    else if (name === "TS") {
      this.#table = "format";
      this.#separator = "\t";
      writer.blank();
    } else if (name === "TE") {
      this.#table = "";
      writer.blank();
    } else if (FONTS.has(name)) {
      const words = argumentsOf(rest);
      this.#text(name.length === 2 && name !== "SM" && name !== "SB" ? words.join("") : words.join(" "), number);
    } else if (name === "ds") this.#defineString(rest);
    else if (name === "SY") this.#text(argumentsOf(rest).join(" "), number);
    else if (name === "OP") this.#text(`[${argumentsOf(rest).join(" ")}]`, number);
    else if (name === "UR" || name === "MT" || name === "Lk") this.#text(argumentsOf(rest).reverse().join(" "), number);
    else if (name === "Nd") {
      this.#heading = mdocText(rest, this.#name);
      this.#text(`– ${this.#heading}`, number);
    } else if (name === "It") {
      this.#beginItem(number, mdocText(rest, this.#name));
    } else if (name === "Nm") {
      if (this.#name === "") this.#name = argumentsOf(rest)[0] ?? "";
      this.#text(mdocText(`Nm ${rest}`, this.#name), number);
    } else if (name === "Xr") {
      const [page = "", section = "", ...after] = argumentsOf(rest);
      this.#text(`${page}(${section})${after.join("")}`, number);
    } else if (name in CALLABLE) this.#text(mdocText(`${name} ${rest}`, this.#name), number);
  }

  /** A line between .TS and .TE (tbl(1)). */
  #tableLine(raw: string, number: number): void {
    const writer = this.#writer;
    if (this.#table === "format") {
      const separator = /tab\s*\((.)\)/.exec(raw)?.[1];
      if (separator !== undefined) this.#separator = separator;
      else if (/\.\s*$/.test(raw)) this.#table = "rows";
      return;
    }
    if (/^[_=]?$/.test(raw.trim()) && this.#row === "") return;
    // A cell between T{ and T} takes several lines.
    const line = raw.slice(0, 10_000);
    this.#row += `${this.#row === "" || raw.startsWith("T}") ? "" : " "}${line}`;
    const [opens, closes] = [line.lastIndexOf("T{"), line.lastIndexOf("T}")];
    if (opens !== closes) this.#isCellOpen = opens > closes;
    if (this.#isCellOpen && this.#row.length < 100_000) return;
    writer.row(this.#row.replace(/T[{}]/g, "").split(this.#separator).map(plainRoff), number);
    this.#row = "";
    this.#isCellOpen = false;
  }
}

/**
 * What a line does where a terminal shows the page: ".IP x" of ".ie n .IP x"; undefined for other lines and for
 * blocks.
 */
function conditionalPart(line: string): string | undefined {
  const part = /^[.'][ \t]*i[ef][ \t]+(?:n|!t)[ \t]+(\S.*)$/.exec(line)?.[1];
  return part?.startsWith("\\{") ? undefined : part;
}

/** "name - purpose": the purpose. */
function purposeOf(line: string): string {
  const dash = /\s[-–—]{1,3}\s/.exec(line.slice(0, 200));
  return dash === null ? "" : line.slice(dash.index + dash[0].length).trim();
}

/** Words of a request; quotes keep words together, and "" in them is a quote. */
function argumentsOf(rest: string): string[] {
  const words: string[] = [];
  for (const match of rest.slice(0, 10_000).matchAll(/"((?:[^"]|"")*)"?|((?:\\.|\S)+)/g)) {
    if (match[2]?.startsWith('\\"')) break;
    words.push(plainRoff(match[1] === undefined ? match[2]! : match[1].replace(/""/g, '"')));
  }
  return words;
}

/** The text of mdoc macros on one line: "Op Fl a Ar file" is "[-a file]". */
function mdocText(line: string, pageName: string): string {
  let text = "";
  let closing = "";
  let joins = true;
  const words = argumentsOf(line);
  for (const [i, word] of words.entries()) {
    const marks = Object.hasOwn(CALLABLE, word) ? CALLABLE[word] : undefined;
    if (marks !== undefined) {
      if (word === "Ns") joins = true;
      if (word === "Nm" && (words[i + 1] === undefined || Object.hasOwn(CALLABLE, words[i + 1]!))) {
        text += `${joins || text === "" ? "" : " "}${pageName}`;
        joins = false;
      }
      const [before, after] = marks;
      if (before !== "") {
        text += `${joins || text === "" || word === "Oc" || word === "Pc" ? "" : " "}${before}`;
        joins = word !== "Oc" && word !== "Pc";
      }
      closing = after + closing;
    } else if (/^[.,;:!?)\]]$/.test(word)) text += (i === words.length - 1 ? closing : "") + word;
    else {
      text += `${joins || text === "" ? "" : " "}${word}`;
      joins = /^[([]$/.test(word);
    }
    if (i === words.length - 1 && !/^[.,;:!?)\]]$/.test(word)) text += closing;
  }
  return text;
}
