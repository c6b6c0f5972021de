/**
 * The text state of a PDF page (PDF 32000-1 §9.3 and §9.4), in the way that pdf.js draws it, and the
 * places of the glyphs that are shown in it.
 */

/** A text rectangle on the page: in PDF user space, before the page's rotation. */
export interface Glyph {
  /** Its text: several characters for a ligature, "" if unknown. */
  text: string;
  /** Corners: start of the baseline at the descent, end at the descent, end at the ascent, start at the ascent. */
  quad: readonly [Point, Point, Point, Point];
}

export type Point = readonly [x: number, y: number];
export type Matrix = readonly [number, number, number, number, number, number];

/** A glyph as pdf.js passes it to its canvas. */
export interface DrawnGlyph {
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

export const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];
/** Fractions of the size: the default for fonts without a value, and the limits of what is used. */
const ASCENT = { usual: 0.9, least: 0.75, most: 1.1 };
const DESCENT = { usual: 0.25, least: 0.2, most: 0.5 };

export class TextState {
  charSpacing = 0;
  wordSpacing = 0;
  scale = 1;
  leading = 0;
  rise = 0;
  size = 0;
  font: Font = {};
  #matrix = IDENTITY;
  #text = IDENTITY;
  #x = 0;
  #y = 0;
  #lineX = 0;
  #lineY = 0;

  copy(): TextState {
    const copy = new TextState();
    const { charSpacing, wordSpacing, scale, leading, rise, size, font } = this;
    Object.assign(copy, { charSpacing, wordSpacing, scale, leading, rise, size, font });
    copy.#matrix = this.#matrix;
    copy.#text = this.#text;
    [copy.#x, copy.#y] = [this.#x, this.#y];
    [copy.#lineX, copy.#lineY] = [this.#lineX, this.#lineY];
    return copy;
  }

  /** Changes the coordinate system of everything that is drawn afterwards. */
  transform(matrix: Matrix): void {
    this.#matrix = product(this.#matrix, matrix);
  }

  /** Starts a line at the origin of another text matrix. */
  setTextMatrix(matrix: Matrix): void {
    this.#text = matrix;
    this.#x = 0;
    this.#y = 0;
    this.#lineX = 0;
    this.#lineY = 0;
  }

  /** Starts a line at a distance from the start of the current one. */
  moveBy(x: number, y: number): void {
    this.#lineX += x;
    this.#lineY += y;
    this.#x = this.#lineX;
    this.#y = this.#lineY;
  }

  /** Adds the glyphs of one operator to `glyphs`, and moves the text position behind them. */
  show(drawn: readonly (DrawnGlyph | number | null)[], glyphs: Glyph[]): void {
    const { font, charSpacing, wordSpacing, scale, rise } = this;
    const direction = this.size < 0 ? -1 : 1;
    const size = Math.abs(this.size);
    const unit = size * Math.abs(font.fontMatrix?.[0] || 0.001);
    const base = product(this.#matrix, this.#text);
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
          ? apply(base, this.#x + y - (ascent + descent) / 2, this.#y - x)
          : apply(base, this.#x + x * scale, this.#y + rise + y);
      const [from, to] = [direction * along, direction * (along + width)];
      const quad = [corner(from, descent), corner(to, descent), corner(to, ascent), corner(from, ascent)] as const;
      glyphs.push({ text: glyph.unicode ?? "", quad });
      along += width + spacing * direction;
    }
    if (isVertical) this.#y -= along;
    else this.#x += direction * along * scale;
  }
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
