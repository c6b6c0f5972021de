/**
 * The glyphs of a PDF page with their places, from the list of drawing operators of pdf.js. Follows
 * the text state of PDF 32000-1 §9.3 and §9.4 in the way that pdf.js draws it.
 */

/** A text rectangle on the page: in PDF user space, before the page's rotation. */
export interface Glyph {
  /** Its text: several characters for a ligature, "" if unknown. */
  text: string;
  /** Corners: start of the baseline at the descent, end at the descent, end at the ascent, start at the ascent. */
  quad: readonly [Point, Point, Point, Point];
}

export type Point = readonly [x: number, y: number];
type Matrix = readonly [number, number, number, number, number, number];

/** A glyph as pdf.js passes it to its canvas. */
interface DrawnGlyph {
  unicode: string;
  /** In thousandths of the font's size, with the usual font matrix. */
  width: number;
  isSpace: boolean;
}

export interface Font {
  ascent?: number;
  descent?: number;
  fontMatrix?: readonly number[];
  vertical?: boolean;
}

export interface PageOperators {
  fnArray: readonly number[];
  argsArray: readonly unknown[];
}

/** The operators that move text, by name, with their numbers in pdf.js. */
export type OperatorNumbers = Readonly<Record<(typeof OPERATORS)[number], number>>;

const OPERATORS = [
  "save",
  "restore",
  "transform",
  "beginText",
  "setCharSpacing",
  "setWordSpacing",
  "setHScale",
  "setLeading",
  "setFont",
  "setTextRise",
  "moveText",
  "setLeadingMoveText",
  "setTextMatrix",
  "nextLine",
  "showText",
  "showSpacedText",
  "paintFormXObjectBegin",
  "paintFormXObjectEnd",
] as const;

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];
/** In parts of the size: of fonts that do not say, and of those that say less than the least. */
const ASCENT = { usual: 0.9, least: 0.75, most: 1.1 };
const DESCENT = { usual: 0.25, least: 0.2, most: 0.5 };

interface State {
  matrix: Matrix;
  text: Matrix;
  x: number;
  y: number;
  lineX: number;
  lineY: number;
  charSpacing: number;
  wordSpacing: number;
  scale: number;
  leading: number;
  rise: number;
  size: number;
  font: Font;
}

/**
 * @param operators  `page.getOperatorList()`
 * @param numbers  `OPS` of pdf.js
 * @param fontOf  finds a font by its name; undefined if it was not loaded
 * @returns the glyphs in the order in which they are drawn, which is that of the extracted text
 */
export function glyphsOf(
  { fnArray, argsArray }: PageOperators,
  numbers: OperatorNumbers,
  fontOf: (name: string) => Font | undefined,
): Glyph[] {
  const names = new Map(OPERATORS.map((name) => [numbers[name], name]));
  const glyphs: Glyph[] = [];
  const stack: State[] = [];
  let state: State = {
    matrix: IDENTITY,
    text: IDENTITY,
    x: 0,
    y: 0,
    lineX: 0,
    lineY: 0,
    charSpacing: 0,
    wordSpacing: 0,
    scale: 1,
    leading: 0,
    rise: 0,
    size: 0,
    font: {},
  };
  const moveBy = (x: number, y: number): void => {
    state.lineX += x;
    state.lineY += y;
    state.x = state.lineX;
    state.y = state.lineY;
  };
  for (const [at, number] of fnArray.entries()) {
    const args = argsArray[at] as never[] | null;
    switch (names.get(number)) {
      case "save":
        stack.push({ ...state });
        break;
      case "restore":
      case "paintFormXObjectEnd":
        state = stack.pop() ?? state;
        break;
      case "paintFormXObjectBegin": {
        stack.push({ ...state });
        const matrix = args?.[0] as Matrix | null | undefined;
        if (matrix) state.matrix = product(state.matrix, matrix);
        break;
      }
      case "transform":
        state.matrix = product(state.matrix, args as unknown as Matrix);
        break;
      case "beginText":
        Object.assign(state, { text: IDENTITY, x: 0, y: 0, lineX: 0, lineY: 0 });
        break;
      case "setCharSpacing":
        state.charSpacing = args![0]!;
        break;
      case "setWordSpacing":
        state.wordSpacing = args![0]!;
        break;
      case "setHScale":
        state.scale = args![0]! / 100;
        break;
      case "setLeading":
        state.leading = -args![0]!;
        break;
      case "setTextRise":
        state.rise = args![0]!;
        break;
      case "setFont":
        state.font = fontOf(args![0]!) ?? {};
        state.size = args![1]!;
        break;
      case "moveText":
        moveBy(args![0]!, args![1]!);
        break;
      case "setLeadingMoveText":
        state.leading = args![1]!;
        moveBy(args![0]!, args![1]!);
        break;
      case "setTextMatrix": {
        const matrix = args![0] as unknown as ArrayLike<number>;
        Object.assign(state, { text: Array.from(matrix), x: 0, y: 0, lineX: 0, lineY: 0 });
        break;
      }
      case "nextLine":
        moveBy(0, state.leading);
        break;
      case "showText":
      case "showSpacedText":
        show(state, args![0] as unknown as (DrawnGlyph | number)[], glyphs);
        break;
    }
  }
  return glyphs;
}

/** Adds the glyphs of one operator, and moves the text position behind them. */
function show(state: State, drawn: readonly (DrawnGlyph | number | null)[], glyphs: Glyph[]): void {
  const { font, charSpacing, wordSpacing, scale, rise } = state;
  const direction = state.size < 0 ? -1 : 1;
  const size = Math.abs(state.size);
  const unit = size * Math.abs(font.fontMatrix?.[0] || 0.001);
  const base = product(state.matrix, state.text);
  const ascent = size * extent(font.ascent ?? 0, ASCENT);
  const descent = -size * extent(-(font.descent ?? 0), DESCENT);
  // Vertical fonts advance downwards and are centred on the line.
  const isVertical = font.vertical === true;
  let along = 0;
  for (const glyph of drawn) {
    if (glyph === null) continue;
    if (typeof glyph === "number") {
      along += ((isVertical ? 1 : -1) * glyph * size) / 1000;
      continue;
    }
    const spacing = charSpacing + (glyph.isSpace ? wordSpacing : 0);
    const width = isVertical ? size : glyph.width * unit;
    const corner = (x: number, y: number): Point =>
      isVertical
        ? apply(base, state.x + y - (ascent + descent) / 2, state.y - x)
        : apply(base, state.x + x * scale, state.y + rise + y);
    const [from, to] = [direction * along, direction * (along + width)];
    const quad = [corner(from, descent), corner(to, descent), corner(to, ascent), corner(from, ascent)] as const;
    glyphs.push({ text: glyph.unicode ?? "", quad });
    along += width + spacing * direction;
  }
  if (isVertical) state.y -= along;
  else state.x += direction * along * scale;
}

function extent(given: number, { usual, least, most }: typeof ASCENT): number {
  return given > 0 ? Math.min(most, Math.max(least, given)) : usual;
}

/** `left` after `right`. */
function product(left: Matrix, right: Matrix): Matrix {
  const [a, b, c, d, e, f] = left;
  const [g, h, i, j, k, l] = right;
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

function apply([a, b, c, d, e, f]: Matrix, x: number, y: number): Point {
  return [a * x + c * y + e, b * x + d * y + f];
}
