/** Sections of Excel number formats that show fractions (ECMA-376 part 1, 18.8.31): `# ?/?`, `# ??/16" in"`. */

export interface FractionSection {
  /** Texts before the number, between its whole part and the fraction, and after it. */
  before: string;
  between: string;
  after: string;
  /** False: the fraction may be improper, such as "3/2". */
  hasWhole: boolean;
  /** Whether a whole part of zero is written: "0 1/2". */
  showsZero: boolean;
  /** Undefined: chosen for each number, up to `maxDenominator`. */
  denominator: number | undefined;
  maxDenominator: number;
}

/** The largest denominator has this many digits; Excel itself offers three. */
const MAX_DIGITS = 5;

const isPlaceholder = (symbol: string | undefined): boolean => symbol !== undefined && /^[0#?]$/.test(symbol);

/**
 * @param symbols  of one section, in order
 * @param literalOf  the text that a symbol shows; undefined for one that is not understood
 * @returns undefined for a section that is not a fraction, or is not understood
 */
export function fractionSection(
  symbols: readonly string[],
  literalOf: (symbol: string) => string | undefined,
): FractionSection | undefined {
  const slash = symbols.indexOf("/");
  let numerator = slash;
  while (isPlaceholder(symbols[numerator - 1])) numerator--;
  let end = slash + 1;
  while (/^\d$/.test(symbols[end] ?? "") || isPlaceholder(symbols[end])) end++;
  if (slash < 1 || numerator === slash || end === slash + 1 || end - slash - 1 > MAX_DIGITS) return undefined;

  let wholeEnd = numerator;
  while (wholeEnd > 0 && !isPlaceholder(symbols[wholeEnd - 1])) wholeEnd--;
  let whole = wholeEnd;
  while (isPlaceholder(symbols[whole - 1]) || symbols[whole - 1] === ",") whole--;
  const hasWhole = whole < wholeEnd;

  const digits = symbols.slice(slash + 1, end).join("");
  const isFixed = /[1-9]/.test(digits);
  if (isFixed && !/^\d+$/.test(digits)) return undefined;
  const textOf = (from: number, to: number): string | undefined => {
    const texts = symbols.slice(from, to).map(literalOf);
    return texts.includes(undefined) ? undefined : texts.join("");
  };
  const before = textOf(0, hasWhole ? whole : numerator);
  const between = hasWhole ? textOf(wholeEnd, numerator) : "";
  const after = textOf(end, symbols.length);
  if (before === undefined || between === undefined || after === undefined) return undefined;
  return {
    before,
    between: between === "" ? " " : between,
    after,
    hasWhole,
    showsZero: symbols.slice(whole, wholeEnd).includes("0"),
    denominator: isFixed ? Number(digits) : undefined,
    maxDenominator: 10 ** digits.length - 1,
  };
}

/** "1 1/2" of 1.5 and `# ?/?`. @param value  not negative */
export function fractionText(value: number, section: FractionSection): string {
  const { before, between, after, hasWhole, showsZero, denominator, maxDenominator } = section;
  let whole = hasWhole ? Math.floor(value) : 0;
  const rest = value - whole;
  let [top, bottom] =
    denominator === undefined ? convergent(rest, maxDenominator) : [Math.round(rest * denominator), denominator];
  if (hasWhole && top === bottom) {
    whole++;
    top = 0;
  }
  if (hasWhole && top === 0) return before + whole + after;
  const shownWhole = hasWhole && (whole > 0 || showsZero) ? whole + between : "";
  return `${before}${shownWhole}${top}/${bottom}${after}`;
}

/**
 * The last convergent of the number's continued fraction whose denominator is small enough. Excel shows this one even
 * where another fraction is closer: 1/3 for 4/11 with one digit. Denominators grow at least like the Fibonacci
 * numbers, so a few steps are enough.
 */
function convergent(value: number, maxDenominator: number): [numerator: number, denominator: number] {
  let [oldTop, oldBottom, top, bottom] = [0, 1, 1, 0];
  for (let rest = value; ; ) {
    const times = Math.floor(rest);
    if (oldBottom + times * bottom > maxDenominator) return [top, bottom];
    [oldTop, oldBottom, top, bottom] = [top, bottom, oldTop + times * top, oldBottom + times * bottom];
    if (rest === times) return [top, bottom];
    rest = 1 / (rest - times);
  }
}
