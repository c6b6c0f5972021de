/**
 * Marks of list items in OpenDocument files (OpenDocument 1.3 part 3, 5.3 and 16.30): numbers are counted, not
 * stored.
 */

import { BULLET, FORMAT_BY_FIRST, firstNumberOf, type NumberFormat, numberText } from "../list-marks.js";

type Attributes = Readonly<Record<string, string>>;

interface Level {
  format: NumberFormat | "bullet" | "none";
  prefix: string;
  suffix: string;
  start: number;
  /** Numbers that are shown: this level's and those of the levels above. */
  shown: number;
}

/** A list that is open. */
interface List {
  id: string | undefined;
  style: string | undefined;
  /** Number of the last item with text; undefined before the first. */
  number: number | undefined;
  /** An item has begun that has no text yet. */
  isAtItem: boolean;
  /** Last numbers of the lists inside the last item, outermost first. */
  inner: number[];
  /** Continues an earlier list, and so do those inside until its next item with text. */
  isContinued: boolean;
}

/** The last numbers of a list and of those inside its last item. */
type LastNumbers = readonly number[];

const CHINESE = "一, 二, 三, ...";
/** Longer texts around a number are cut: every item repeats them. */
const MAX_TEXT_UNITS = 20;

export class OdfLists {
  /** By the name of the style, then by level from 1. */
  readonly #styles = new Map<string, Map<number, Level>>();
  #style: Map<number, Level> | undefined;
  readonly #open: List[] = [];
  /** The last number of finished outermost lists, by id and by style. */
  readonly #lastOfList = new Map<string, LastNumbers>();
  readonly #lastOfStyle = new Map<string, LastNumbers>();

  get depth(): number {
    return this.#open.length;
  }

  /** Reads list styles; other elements are ignored. */
  readStyle(name: string, attributes: Attributes): void {
    if (name === "list-style") {
      this.#style = new Map();
      this.#styles.set(attributes.name ?? "", this.#style);
    } else if (name === "list-level-style-number" || name === "list-level-style-bullet") {
      const text = (key: string) => (attributes[key] ?? "").slice(0, MAX_TEXT_UNITS);
      const format = attributes["num-format"] ?? "";
      this.#style?.set(Number(attributes.level), {
        format: name === "list-level-style-bullet" ? "bullet" : formatOf(format),
        prefix: text("num-prefix"),
        suffix: text("num-suffix"),
        start: firstNumberOf(attributes["start-value"]) ?? 1,
        shown: firstNumberOf(attributes["display-levels"]) ?? 1,
      });
    }
  }

  openList(attributes: Attributes): void {
    const outer = this.#open.at(-1);
    const style = attributes["style-name"] ?? outer?.style;
    const continued = attributes["continue-list"];
    const isContinued = continued !== undefined || attributes["continue-numbering"] === "true";
    let last: LastNumbers = [];
    if (outer !== undefined) last = isContinued || outer.isContinued ? outer.inner : [];
    else if (continued !== undefined) last = this.#lastOfList.get(continued) ?? [];
    else if (isContinued) last = this.#lastOfStyle.get(style ?? "") ?? [];
    const [number, ...inner] = last;
    const id = attributes["xml:id"] ?? attributes.id;
    this.#open.push({ id, style, number, inner, isContinued: last.length > 0, isAtItem: false });
  }

  closeList(): void {
    const list = this.#open.pop();
    if (list?.number === undefined) return;
    const last = [list.number, ...list.inner];
    const outer = this.#open.at(-1);
    if (outer !== undefined) {
      outer.inner = last;
      return;
    }
    if (list.id !== undefined) this.#lastOfList.set(list.id, last);
    this.#lastOfStyle.set(list.style ?? "", last);
  }

  openItem(attributes: Attributes): void {
    const list = this.#open.at(-1);
    if (list === undefined) return;
    list.isAtItem = true;
    const start = firstNumberOf(attributes["start-value"]);
    if (start !== undefined) list.number = start - 1;
  }

  /** Counts the item that a paragraph begins. @returns its mark; undefined without one */
  mark(): string | undefined {
    const list = this.#open.at(-1);
    if (list === undefined || !list.isAtItem) return undefined;
    list.isAtItem = false;
    list.inner = [];
    list.isContinued = false;
    const levels = this.#open.length;
    const level = this.#level(levels);
    list.number = list.number === undefined ? (level?.start ?? 1) : list.number + 1;
    if (level === undefined || level.format === "bullet") return BULLET;
    if (level.format === "none") return undefined;
    const numbers: string[] = [];
    for (let n = Math.max(1, levels - level.shown + 1); n <= levels; n++) {
      const { format, start } = this.#level(n) ?? level;
      if (format !== "bullet" && format !== "none")
        numbers.push(numberText(this.#open[n - 1]!.number ?? start ?? 1, format));
    }
    return `${level.prefix}${numbers.join(".")}${level.suffix}`.trim();
  }

  #level(number: number): Level | undefined {
    return this.#styles.get(this.#open[number - 1]!.style ?? "")?.get(number);
  }
}

/** @param value  of `num-format`; empty for items without a number */
function formatOf(value: string): Level["format"] {
  if (value === "") return "none";
  return value === CHINESE ? "chinese" : (FORMAT_BY_FIRST.get(value) ?? "decimal");
}
