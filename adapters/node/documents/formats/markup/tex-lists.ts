/** Marks of the items of LaTeX lists. */

import { BULLET, type NumberFormat, numberText } from "../list-marks.js";

const BULLETED = /^(?:itemize|compactitem|asparaitem)\*?$/;
const NUMBERED = /^(?:enumerate|compactenum|asparaenum)\*?$/;
/** Lists whose items have labels of their own. */
const LABELLED = /^(?:description|compactdesc|asparadesc|list|trivlist|thebibliography)\*?$/;

/** Numbers by level, as the standard classes write them. */
const LEVELS: ReadonlyArray<{ format: NumberFormat; around: [string, string] }> = [
  { format: "decimal", around: ["", "."] },
  { format: "lower-letter", around: ["(", ")"] },
  { format: "lower-roman", around: ["", "."] },
  { format: "upper-letter", around: ["", "."] },
];

interface OpenList {
  name: string;
  kind: "bulleted" | "numbered" | "labelled";
  number: number;
}

/** The lists that are open, and their numbers. */
export class TexLists {
  readonly #open: OpenList[] = [];
  /** Last number of the numbered list that was closed last, by level from 0. */
  readonly #last: number[] = [];

  /** Nothing, for an environment that is no list. @param options  what follows its name: "[start=3]" */
  open(name: string, options: string): void {
    const kind = kindOf(name);
    if (kind === undefined) return;
    const start = /\bstart\s*=\s*(\d{1,6})/.exec(options)?.[1];
    const resumed = /\bresume\b/.test(options) ? (this.#last[this.#level] ?? 0) : 0;
    this.#open.push({ name, kind, number: start === undefined ? resumed : Number(start) - 1 });
  }

  /** @returns whether it was a list */
  close(name: string): boolean {
    if (this.#open.at(-1)?.name !== name) return false;
    const { kind, number } = this.#open.pop()!;
    if (kind === "numbered") this.#last[this.#level] = number;
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
    const { format, around } = LEVELS[Math.min(this.#level - 1, LEVELS.length - 1)]!;
    return around[0] + numberText(++list.number, format) + around[1];
  }

  /** Numbered lists that are open. */
  get #level(): number {
    return this.#open.filter(({ kind }) => kind === "numbered").length;
  }
}

function kindOf(name: string): OpenList["kind"] | undefined {
  if (BULLETED.test(name)) return "bulleted";
  if (NUMBERED.test(name)) return "numbered";
  return LABELLED.test(name) ? "labelled" : undefined;
}
