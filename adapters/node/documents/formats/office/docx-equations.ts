/** Equations of Word documents as one line of text (ECMA-376 part 1, 22.1): "x=(a+b)/2", "∑_(i=1)^n i", "√(x+1)". */

import { superscriptDigits } from "../superscript.js";

type Attributes = Readonly<Record<string, string>>;

/** An open element with the text of its children by their name: the numerator of a fraction is in `num`. */
interface Node {
  name: string;
  text: string;
  parts: Map<string, string[]>;
  /** The characters that its properties name: `chr`, `begChr`, `endChr`, `sepChr`. */
  characters: Map<string, string>;
}

/** Children of an operator that are parts of it. */
const PARTS = new Set(["e", "num", "den", "sub", "sup", "deg", "lim", "fName", "mr"]);
/** Deleted or moved text. */
const UNREAD = new Set(["del", "moveFrom"]);
const CHARACTERS = new Set(["chr", "begChr", "endChr", "sepChr"]);
/** "x", "42", "sin": needs no parentheses. */
const SIMPLE = /^(?:[\p{L}\p{M}]+|\p{N}+|.)$/u;
/** A longer text is not simple. */
const MAX_SIMPLE_UNITS = 20;

/** Reads the elements inside of an `oMath` or `oMathPara`. */
export class Equation {
  readonly #nodes: Node[] = [newNode("")];
  #unread = 0;
  #inText = false;

  /** False after the end of the equation's own element. */
  get isOpen(): boolean {
    return this.#nodes.length > 0;
  }

  result = "";

  open(name: string, attributes: Attributes): void {
    const node = newNode(name);
    if (UNREAD.has(name)) this.#unread++;
    // Equations of one paragraph, and lines of one.
    if ((name === "oMath" || name === "br") && this.#node.text !== "") this.#node.text += " ";
    if (name === "t") this.#inText = true;
    const value = Object.entries(attributes).find(([key]) => key === "val" || key.endsWith(":val"))?.[1];
    // The properties of an operator are a child of it.
    if (CHARACTERS.has(name)) this.#nodes.at(-2)?.characters.set(name, value ?? "");
    this.#nodes.push(node);
  }

  text(text: string): void {
    if (this.#inText && this.#unread === 0) this.#node.text += text;
  }

  close(name: string): void {
    const node = this.#nodes.pop()!;
    const outer = this.#nodes.at(-1);
    if (outer === undefined) {
      this.result = shown(node);
      return;
    }
    if (UNREAD.has(name)) this.#unread--;
    if (name === "t") this.#inText = false;
    const text = shown(node);
    if (!PARTS.has(name)) {
      outer.text += text;
      return;
    }
    const same = outer.parts.get(name);
    if (same === undefined) outer.parts.set(name, [text]);
    else same.push(text);
  }

  get #node(): Node {
    return this.#nodes.at(-1)!;
  }
}

function newNode(name: string): Node {
  return { name, text: "", parts: new Map(), characters: new Map() };
}

/** An operator with its parts. Others have the text of their children, one after the other. */
function shown({ name, text, parts, characters }: Node): string {
  if (parts.size === 0) return text;
  const all = (part: string): string[] => parts.get(part) ?? [];
  const part = (one: string): string => joined(all(one));
  const base = part("e");
  switch (name) {
    case "f":
      return `${grouped(part("num"))}/${grouped(part("den"))}`;
    case "sSup":
    case "sSub":
    case "sSubSup":
      return base + lowered(part("sub")) + raised(part("sup"));
    case "sPre":
      return lowered(part("sub")) + raised(part("sup")) + base;
    case "nary":
      return `${characters.get("chr") ?? "∫"}${lowered(part("sub"))}${raised(part("sup"))} ${base}`;
    case "rad": {
      const degree = part("deg");
      return `${raisedDigits(degree) ?? grouped(degree)}√${grouped(base)}`;
    }
    case "d": {
      const separator = characters.get("sepChr") ?? "|";
      return (characters.get("begChr") ?? "(") + all("e").join(separator) + (characters.get("endChr") ?? ")");
    }
    case "func":
      return `${part("fName")} ${base}`;
    case "limLow":
    case "limUpp":
      return base + (name === "limLow" ? lowered(part("lim")) : raised(part("lim")));
    case "mr":
      return all("e").join(" ");
    case "m":
      return all("mr").join("; ");
    case "eqArr":
      return all("e").join("; ");
    case "acc":
      // A combining character follows the letter that it belongs to.
      return base + (characters.get("chr") ?? "\u0302");
    default:
      return text + joined([...parts.values()].flat());
  }
}

/** Not `join` for one text: it would copy it at each level. */
function joined(texts: readonly string[]): string {
  return texts.length === 1 ? texts[0]! : texts.join("");
}

/** The text, in parentheses unless it is one word, number or character. */
export function grouped(text: string): string {
  const isSimple = text === "" || (text.length <= MAX_SIMPLE_UNITS && SIMPLE.test(text));
  return isSimple ? text : `(${text})`;
}

/** Text in superscript: "²", "^n", "^(n+1)". Primes and degree signs are raised already. */
export function raised(text: string): string {
  if ("′″‴°".includes(text)) return text;
  return raisedDigits(text) ?? `^${grouped(text)}`;
}

/** "²"; undefined for other text than digits and signs. */
export function raisedDigits(text: string): string | undefined {
  const characters = text.length <= MAX_SIMPLE_UNITS ? superscriptDigits(text) : text;
  return characters === text ? undefined : characters;
}

/** Text in subscript: "_n", "_(n+1)". */
export function lowered(text: string): string {
  return text === "" ? "" : `_${grouped(text)}`;
}
