/** Marks of the items of LaTeX lists. */

import { BULLET, FORMAT_BY_FIRST, type NumberFormat, numberText } from "../list-marks.js";

const BULLETED = /^(?:itemize|compactitem|asparaitem)\*?$/;
const NUMBERED = /^(?:enumerate|compactenum|asparaenum)\*?$/;
/** Lists whose items have labels of their own. */
const LABELLED = /^(?:description|compactdesc|asparadesc|list|trivlist|thebibliography)\*?$/;

/** Numbers by level, as the standard classes write them. */
const LEVELS: ReadonlyArray<{ format: NumberFormat; around: readonly [string, string] }> = [
  { format: "decimal", around: ["", "."] },
  { format: "lower-letter", around: ["(", ")"] },
  { format: "lower-roman", around: ["", "."] },
  { format: "upper-letter", around: ["", "."] },
];

interface OpenList {
  name: string;
  kind: "bulleted" | "numbered" | "labelled";
  number: number;
  /** What is before and after the number, and how it is written. */
  style: { format: NumberFormat; around: readonly [string, string] };
}

const COMMANDS: ReadonlyMap<string, NumberFormat> = new Map([
  ["arabic", "decimal"],
  ["alph", "lower-letter"],
  ["Alph", "upper-letter"],
  ["roman", "lower-roman"],
  ["Roman", "upper-roman"],
]);
/** The lists that are open, and their numbers. */
export class TexLists {
  readonly #open: OpenList[] = [];
  /** Numbered lists that are open. */
  #level = 0;
  /** Last number of the numbered list that was closed last, by level from 0. */
  readonly #last: number[] = [];

  /** Begins a list; other environments are ignored. @param options  what follows the name: "[start=3]" */
  open(name: string, options: string): void {
    const kind = kindOf(name);
    if (kind === undefined) return;
    const start = /\bstart\s*=\s*(\d{1,6})/.exec(options)?.[1];
    const resumed = /\bresume\b/.test(options) ? (this.#last[this.#level] ?? 0) : 0;
    const style = styleOf(options) ?? LEVELS[Math.min(this.#level, LEVELS.length - 1)]!;
    this.#open.push({ name, kind, number: start === undefined ? resumed : Number(start) - 1, style });
    if (kind === "numbered") this.#level++;
  }

  /** @returns whether it was a list */
  close(name: string): boolean {
    if (this.#open.at(-1)?.name !== name) return false;
    const { kind, number } = this.#open.pop()!;
    if (kind === "numbered") this.#last[--this.#level] = number;
    return true;
  }

  /** True if items of the innermost list have marks that LaTeX makes. */
  get isMarked(): boolean {
    const kind = this.#open.at(-1)?.kind;
    return kind === "bulleted" || kind === "numbered";
  }

  /** The mark of the next item of the innermost list. */
  nextMark(): string {
    const list = this.#open.at(-1);
    if (list?.kind !== "numbered") return BULLET;
    const { format, around } = list.style;
    return around[0] + numberText(++list.number, format) + around[1];
  }
}

function kindOf(name: string): OpenList["kind"] | undefined {
  if (BULLETED.test(name)) return "bulleted";
  if (NUMBERED.test(name)) return "numbered";
  return LABELLED.test(name) ? "labelled" : undefined;
}

/** The style of "[label=(\\alph*)]", "[(a)]" and "[1.]"; undefined for others. */
function styleOf(options: string): OpenList["style"] | undefined {
  const named = /\blabel\s*=\s*\{?([^\\,\]{}]{0,10})\\([a-zA-Z]+)\*([^\\,\]{}]{0,10})/.exec(options);
  const short = /^\[([([]?)([1aAiI])([.)\]:]{0,2})\]$/.exec(options.trim());
  const [, before = "", name = "", after = ""] = named ?? short ?? [];
  const format = (named === null ? FORMAT_BY_FIRST : COMMANDS).get(name);
  return format && { format, around: [before, after] };
}
