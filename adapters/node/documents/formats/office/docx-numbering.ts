/**
 * Numbers and bullets of lists, clauses and headings in Word documents. A document stores none of them: it says which
 * list a paragraph belongs to, and Word counts (ECMA-376 part 1, 17.9).
 */

import type { ReadLimits } from "../../limits.js";
import { BULLET, firstNumberOf, type NumberFormat, numberText } from "../list-marks.js";
import { readXmlElements, type XmlElement } from "../xml.js";

interface Level {
  start: number;
  format: NumberFormat | "bullet" | "none";
  /** "%1.%2" for the numbers of the first two levels. */
  text: string;
  /** Numbers of the levels above are written with digits. */
  isLegal: boolean;
  /** Style whose paragraphs are items of this level. */
  style: string | undefined;
  /** What follows the mark. */
  suffix: " " | "";
  /** The level, from 1, whose items let this one begin again; 0: none does. Default: every level above. */
  restart: number | undefined;
}

/** What a list counts with; several lists may share one, and continue each other. */
interface Definition {
  levels: Map<number, Level>;
  /** The style whose list has the levels, if this one has none. */
  link: string | undefined;
}

interface List {
  definition: string;
  /** Levels that begin again where the list begins. */
  starts: Map<number, number>;
  /** Levels that are not those of the definition. */
  levels: Map<number, Level>;
}

interface Style {
  basedOn: string | undefined;
  list: string | undefined;
  level: number | undefined;
}

/** The list that a paragraph names, and its level in it. */
export interface ListPlace {
  style: string | undefined;
  list: string | undefined;
  level: number | undefined;
}

const FORMATS: ReadonlyMap<string, Level["format"]> = new Map([
  ["lowerLetter", "lower-letter"],
  ["upperLetter", "upper-letter"],
  ["lowerRoman", "lower-roman"],
  ["upperRoman", "upper-roman"],
  ["chineseCounting", "chinese"],
  ["chineseCountingThousand", "chinese"],
  ["japaneseCounting", "chinese"],
  ["taiwaneseCountingThousand", "chinese"],
  ["bullet", "bullet"],
  ["none", "none"],
  ["decimalZero", "decimal-zero"],
]);
const MAX_LEVEL = 8;
/** A longer text around numbers is cut: every item repeats it. */
const MAX_TEXT_UNITS = 60;
/** Styles that are based on each other: a document with more is damaged. */
const MAX_BASES = 50;
const NO_LIST = "0";

/** Counts the items of all lists of a document, in its order. */
export class Numbering {
  readonly #definitions: ReadonlyMap<string, Definition>;
  readonly #lists: ReadonlyMap<string, List>;
  readonly #styles: ReadonlyMap<string, Style>;
  /** By definition: the last number of each level. */
  readonly #counts = new Map<string, Map<number, number>>();
  /** Lists and levels that have begun. */
  readonly #begun = new Set<string>();

  /**
   * @param parts.numbering  word/numbering.xml
   * @param parts.styles  word/styles.xml
   * @throws Error if one of them is not well-formed or too large
   */
  constructor(parts: { numbering: Uint8Array; styles: Uint8Array | undefined }, limits: ReadLimits) {
    const { definitions, lists } = readLists(readXmlElements(parts.numbering, limits));
    this.#definitions = definitions;
    this.#lists = lists;
    this.#styles = parts.styles === undefined ? new Map() : readStyles(readXmlElements(parts.styles, limits));
  }

  /**
   * Counts the next paragraph. @returns its mark with what follows it; undefined if it is in no list, or has no mark
   */
  next(place: ListPlace): string | undefined {
    const found = this.#find(place);
    if (found === undefined) return undefined;
    const { levelAt, id, list, number, level } = found;
    const counts = this.#count(id, { list, number, level, levelAt });
    if (level.format === "bullet") return BULLET + level.suffix;
    const text = level.text.replace(/%([1-9])/g, (_, digit: string) => {
      const above = levelAt(Number(digit) - 1);
      const format = above === undefined || level.isLegal ? "decimal" : above.format;
      if (format === "bullet" || format === "none") return "";
      return numberText(counts.get(Number(digit) - 1) ?? above?.start ?? 1, format);
    });
    return text.trim() === "" ? undefined : text.trimEnd() + level.suffix;
  }

  #find({ style, list, level }: ListPlace) {
    const ofStyle = this.#listOfStyle(style);
    const name = list ?? ofStyle?.list;
    if (name === undefined || name === NO_LIST) return undefined;
    const own = this.#lists.get(name);
    const id = own === undefined ? undefined : this.#resolve(own.definition);
    const definition = id === undefined ? undefined : this.#definitions.get(id);
    if (own === undefined || id === undefined || definition === undefined) return undefined;
    const linked = [...definition.levels].find(([, one]) => one.style !== undefined && one.style === style)?.[0];
    const number = level ?? linked ?? ofStyle?.level ?? 0;
    const levelAt = (n: number): Level | undefined => own.levels.get(n) ?? definition.levels.get(n);
    const found = levelAt(number);
    return found && { levelAt, id, list: { name, starts: own.starts }, number, level: found };
  }

  /** The list that a style, or one that it is based on, puts its paragraphs in. */
  #listOfStyle(name: string | undefined): Style | undefined {
    let style = name === undefined ? undefined : this.#styles.get(name);
    for (let n = 0; style !== undefined && style.list === undefined && n < MAX_BASES; n++) {
      style = style.basedOn === undefined ? undefined : this.#styles.get(style.basedOn);
    }
    return style;
  }

  /** The definition that has the levels: a definition may name a style whose list has them. */
  #resolve(id: string): string {
    const { link } = this.#definitions.get(id) ?? {};
    const list = link === undefined ? undefined : this.#styles.get(link)?.list;
    return (list === undefined ? undefined : this.#lists.get(list)?.definition) ?? id;
  }

  /** Adds one to a level and lets the levels below it begin again. */
  #count(
    id: string,
    {
      list,
      number,
      level,
      levelAt,
    }: {
      list: { name: string; starts: ReadonlyMap<number, number> };
      number: number;
      level: Level;
      levelAt: (number: number) => Level | undefined;
    },
  ): ReadonlyMap<number, number> {
    const counts = this.#counts.get(id) ?? new Map<number, number>();
    this.#counts.set(id, counts);
    const key = `${list.name} ${number}`;
    const start = list.starts.get(number);
    const begins = start !== undefined && !this.#begun.has(key);
    this.#begun.add(key);
    const last = counts.get(number);
    counts.set(number, begins ? start : last === undefined ? (start ?? level.start) : last + 1);
    for (let below = number + 1; below <= MAX_LEVEL; below++) {
      if (number < (levelAt(below)?.restart ?? below)) counts.delete(below);
    }
    return counts;
  }
}

export const valueIn = ({ attributes }: XmlElement, name = "val"): string | undefined =>
  Object.entries(attributes).find(([key]) => key === name || key.endsWith(`:${name}`))?.[1];

function levelOf(value: string | undefined): number | undefined {
  const level = Number(value);
  return value !== undefined && Number.isInteger(level) && level >= 0 && level <= MAX_LEVEL ? level : undefined;
}

function readLists(elements: readonly XmlElement[]) {
  const definitions = new Map<string, Definition>();
  const lists = new Map<string, List>();
  let definition: Definition | undefined;
  let list: List | undefined;
  let level: Level | undefined;
  let override: number | undefined;
  for (const element of elements) {
    const value = valueIn(element);
    switch (element.name) {
      case "abstractNum":
        definition = { levels: new Map(), link: undefined };
        definitions.set(valueIn(element, "abstractNumId") ?? "", definition);
        break;
      case "numStyleLink":
        if (definition !== undefined) definition.link = value;
        break;
      case "num":
        definition = undefined;
        level = undefined;
        list = { definition: "", starts: new Map(), levels: new Map() };
        lists.set(valueIn(element, "numId") ?? "", list);
        break;
      case "abstractNumId":
        if (list !== undefined) list.definition = value ?? "";
        break;
      case "lvlOverride":
        override = levelOf(valueIn(element, "ilvl"));
        break;
      case "startOverride":
        if (list !== undefined && override !== undefined) list.starts.set(override, firstNumberOf(value) ?? 1);
        break;
      case "lvl": {
        level = {
          start: 0,
          format: "decimal",
          text: "",
          isLegal: false,
          style: undefined,
          suffix: " ",
          restart: undefined,
        };
        (definition ?? list)?.levels.set(levelOf(valueIn(element, "ilvl")) ?? override ?? 0, level);
        break;
      }
      default:
        if (level !== undefined) readLevelPart(level, element.name, value);
    }
  }
  return { definitions, lists };
}

function readLevelPart(level: Level, name: string, value: string | undefined): void {
  if (name === "start") level.start = firstNumberOf(value) ?? 1;
  else if (name === "numFmt") level.format = FORMATS.get(value ?? "") ?? "decimal";
  else if (name === "lvlText") level.text = (value ?? "").slice(0, MAX_TEXT_UNITS);
  else if (name === "isLgl") level.isLegal = value !== "0" && value !== "false";
  else if (name === "pStyle") level.style = value;
  else if (name === "lvlRestart") level.restart = levelOf(value);
  else if (name === "suff") level.suffix = value === "nothing" ? "" : " ";
}

function readStyles(elements: readonly XmlElement[]): Map<string, Style> {
  const styles = new Map<string, Style>();
  let style: Style | undefined;
  for (const element of elements) {
    const value = valueIn(element);
    if (element.name === "style") {
      style = { basedOn: undefined, list: undefined, level: undefined };
      styles.set(valueIn(element, "styleId") ?? "", style);
    } else if (style === undefined) continue;
    else if (element.name === "basedOn") style.basedOn = value;
    else if (element.name === "numId") style.list = value;
    else if (element.name === "ilvl") style.level = levelOf(value);
  }
  return styles;
}
