/**
 * Number formats of Excel (ECMA-376 part 1, 18.8.31): decimals, percentages, texts, leading zeros, a scale or fractions,
 * as in `#,##0.00`, `0.0%`, `"INV-"0000`, `# ?/?`.
 */

import { type FractionSection, fractionSection, fractionText } from "./number-fraction.js";

/** What one section of a code shows, in order. Digits are filled from the right. */
type Token = { kind: "literal"; text: string } | { kind: "digit"; isRequired: boolean } | { kind: "decimals" };

interface DigitSection {
  tokens: Token[];
  minDecimals: number;
  maxDecimals: number;
  /** Thousands by which a number is divided. */
  scale: number;
  isPercentage: boolean;
}

type Section = DigitSection | FractionSection;

/** Sections for positive numbers, negative ones and zero; the later ones may be missing. */
export type NumberPattern = readonly (Section | undefined)[];

const MAX_DECIMALS = 15;
/** Characters that are shown as they are. */
const LITERAL = /^[ $€£¥°+\-():!'~{}=&]$/;

/**
 * Sections without texts only round: negative numbers keep their sign, where Excel may show brackets, and zero its
 * digits, where it may show a dash.
 * @returns undefined for a code without digits, or one that is not understood, as for conditions
 */
export function numberPattern(code: string): NumberPattern | undefined {
  const sections: (Section | undefined)[] = [];
  for (const part of sectionsOf(code).slice(0, 3)) {
    const section = part.length === 0 ? undefined : sectionOf(part);
    if (section === "unknown") return undefined;
    sections.push(section);
  }
  if (sections.some((section) => section !== undefined && isSpecial(section))) return sections;
  const [positive] = sections;
  return positive !== undefined && hasDigits(positive) ? [positive] : undefined;
}

/** The number as the pattern shows it, without separators of thousands; undefined if the pattern hides it. */
export function patternText(value: number, pattern: NumberPattern): string | undefined {
  const [positive, negative, zero] = pattern;
  if (Math.abs(value) >= 1e21) return undefined;
  if (value < 0 && pattern.length > 1) return negative && sectionText(-value, negative);
  if (value === 0 && pattern.length > 2) return zero && sectionText(0, zero);
  if (positive === undefined) return undefined;
  const text = sectionText(Math.abs(value), positive);
  return value < 0 ? `-${text}` : text;
}

const hasDigits = (section: Section): boolean =>
  isFraction(section) || section.tokens.some(({ kind }) => kind === "digit");

/** Texts, leading zeros, a scale or a fraction. */
function isSpecial(section: Section): boolean {
  if (isFraction(section)) return true;
  const { tokens, scale } = section;
  const hasText = tokens.some((token) => token.kind === "literal" && /[^\s()+-]/.test(token.text));
  return hasText || scale > 0 || tokens.filter((token) => token.kind === "digit" && token.isRequired).length > 1;
}

const isFraction = (section: Section): section is FractionSection => "maxDenominator" in section;

/**
 * The symbols of each section: a quoted or escaped text begins with its quote or backslash, a code in brackets with
 * "[".
 */
function sectionsOf(code: string): string[][] {
  const sections: string[][] = [[]];
  for (const [symbol] of code.matchAll(/"[^"]*"|[\\_*].|\[[^[\]]*\]|./gs)) {
    if (symbol === ";") sections.push([]);
    else sections.at(-1)!.push(symbol);
  }
  return sections;
}

function sectionOf(symbols: readonly string[]): Section | "unknown" {
  if (symbols.includes("/")) return fractionSection(symbols, literalOf) ?? "unknown";
  const section: DigitSection = { tokens: [], minDecimals: 0, maxDecimals: 0, scale: 0, isPercentage: false };
  const { tokens } = section;
  let inDecimals = false;
  /** Commas since the last digit: they scale the number unless another digit follows. */
  let commas = 0;
  for (const symbol of symbols) {
    if (/^[0#?]$/.test(symbol)) {
      if (!inDecimals) {
        tokens.push({ kind: "digit", isRequired: symbol === "0" });
        commas = 0;
      } else if (section.maxDecimals < MAX_DECIMALS) {
        section.maxDecimals++;
        if (symbol === "0") section.minDecimals = section.maxDecimals;
      }
    } else if (symbol === ",") commas++;
    else if (symbol === "%") {
      section.isPercentage = true;
      tokens.push({ kind: "literal", text: " %" });
    } else if (symbol === "." && !inDecimals) {
      inDecimals = true;
      tokens.push({ kind: "decimals" });
    } else {
      const text = literalOf(symbol);
      if (text === undefined) return "unknown";
      tokens.push({ kind: "literal", text });
    }
  }
  section.scale = commas;
  return section;
}

/** The text that a symbol shows: "" for a colour or a space; undefined for one that is not understood. */
function literalOf(symbol: string): string | undefined {
  if (symbol.length > 1 && symbol.startsWith('"')) return symbol.slice(1, -1);
  if (symbol.length > 1 && symbol.startsWith("\\")) return symbol.slice(1);
  if (symbol.length > 1 && /^[_*]/.test(symbol)) return "";
  // "[$€-407]": a currency, with its language.
  if (symbol.startsWith("[$")) return symbol.slice(2, -1).split("-", 1)[0]!;
  if (/^\[[a-z]+\d*\]$/i.test(symbol)) return "";
  return LITERAL.test(symbol) ? symbol : undefined;
}

function sectionText(value: number, section: Section): string {
  if (isFraction(section)) return fractionText(value, section);
  const { tokens, minDecimals, maxDecimals, scale, isPercentage } = section;
  const shown = (value * (isPercentage ? 100 : 1)) / 1000 ** scale;
  const [whole = "", fraction = ""] = fixed(shown, maxDecimals).split(".");
  let decimals = fraction;
  while (decimals.length > minDecimals && decimals.endsWith("0")) decimals = decimals.slice(0, -1);
  let digits = whole === "0" ? "" : whole;
  const first = tokens.findIndex(({ kind }) => kind === "digit");
  let text = "";
  for (let i = tokens.length - 1; i >= 0; i--) {
    const token = tokens[i]!;
    if (token.kind === "literal") text = token.text + text;
    else if (token.kind === "decimals") text = (decimals === "" ? "" : `.${decimals}`) + text;
    else {
      const from = i === first ? 0 : Math.max(0, digits.length - 1);
      text = (digits.slice(from) || (token.isRequired ? "0" : "")) + text;
      digits = digits.slice(0, from);
    }
  }
  return text;
}

/** A positive number with so many decimals; a half of its decimal form is rounded up, as in Excel: 1.005 is "1.01". */
function fixed(value: number, decimals: number): string {
  const digits = String(Number(value.toPrecision(15)));
  const units = digits.includes("e") ? Number.NaN : Math.round(Number(`${digits}e${decimals}`));
  return Number.isSafeInteger(units) ? (units / 10 ** decimals).toFixed(decimals) : value.toFixed(decimals);
}
