/** The images that a PDF page draws, with their places, from the list of drawing operators of pdf.js. */

/** x' = a x + c y + e, y' = b x + d y + f. */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

/** An image as pdf.js decodes it. */
export interface PdfImage {
  width: number;
  height: number;
  /** 1: one bit per pixel, 1 is white; 2: RGB; 3: RGBA. Undefined for a mask: one bit per pixel, 0 is painted. */
  kind?: number;
  data: Uint8Array | Uint8ClampedArray;
}

export interface DrawnImage {
  image: PdfImage;
  /** What a mask paints, 0 (black) to 255; undefined for an image that is not a mask. */
  maskShade?: number;
  /** From the unit square, in which the image is upright, to the page as it is shown. */
  matrix: Matrix;
}

interface PageOperators {
  fnArray: readonly number[];
  argsArray: readonly unknown[];
}

const OPERATORS = [
  "save",
  "restore",
  "transform",
  "paintFormXObjectBegin",
  "paintFormXObjectEnd",
  "setFillRGBColor",
  "paintImageXObject",
  "paintInlineImageXObject",
  "paintImageMaskXObject",
] as const;

/** `OPS` of pdf.js. */
type OperatorNumbers = Readonly<Record<(typeof OPERATORS)[number], number>>;

interface State {
  matrix: Matrix;
  fill: number;
}

/**
 * Yields the images in the order in which they are drawn; one that pdf.js could not decode is left out.
 * @param options.toPage  from the user space of the PDF to the page as it is shown
 * @param options.objectOf  a decoded object of the page
 */
export async function* drawnImages(
  { fnArray, argsArray }: PageOperators,
  options: { numbers: OperatorNumbers; toPage: Matrix; objectOf: (id: string) => Promise<unknown> },
): AsyncGenerator<DrawnImage> {
  const names = new Map(OPERATORS.map((name) => [options.numbers[name], name]));
  const saved: State[] = [];
  let state: State = { matrix: options.toPage, fill: 0 };
  for (const [i, number] of fnArray.entries()) {
    const name = names.get(number);
    const args = (argsArray[i] ?? []) as unknown[];
    if (name === "save") saved.push(state);
    else if (name === "restore" || name === "paintFormXObjectEnd") state = saved.pop() ?? state;
    else if (name === "transform") state = { ...state, matrix: times(state.matrix, args) };
    else if (name === "paintFormXObjectBegin") {
      saved.push(state);
      if (args[0] != null) state = { ...state, matrix: times(state.matrix, args[0] as unknown[]) };
    } else if (name === "setFillRGBColor") state = { ...state, fill: shadeOf(args[0]) };
    else if (name !== undefined) {
      const [given] = args;
      const id = typeof given === "string" ? given : (given as { data?: unknown } | null)?.data;
      const image = asImage(typeof id === "string" ? await options.objectOf(id) : given);
      const maskShade = name === "paintImageMaskXObject" ? { maskShade: state.fill } : {};
      if (image !== undefined) yield { image, ...maskShade, matrix: state.matrix };
    }
  }
}

function asImage(object: unknown): PdfImage | undefined {
  const { width, height, data } = (object ?? {}) as Partial<PdfImage>;
  const isImage = data instanceof Uint8Array || data instanceof Uint8ClampedArray;
  return isImage && Number(width) > 0 && Number(height) > 0 ? (object as PdfImage) : undefined;
}

/** The brightness of "#rrggbb", by the weights of ITU-R BT.601. */
function shadeOf(color: unknown): number {
  const [, r = "0", g = "0", b = "0"] = /^#(..)(..)(..)/.exec(String(color)) ?? [];
  return greyOf(Number.parseInt(r, 16), Number.parseInt(g, 16), Number.parseInt(b, 16));
}

export function greyOf(r: number, g: number, b: number): number {
  return (77 * r + 150 * g + 29 * b) >> 8;
}

/** The matrix that applies `right` first. */
function times(left: Matrix, right: readonly unknown[]): Matrix {
  const [a, b, c, d, e, f] = left;
  const [a2, b2, c2, d2, e2, f2] = Array.from({ length: 6 }, (_, i) => Number(right[i])) as unknown as Matrix;
  return [a * a2 + c * b2, b * a2 + d * b2, a * c2 + c * d2, b * c2 + d * d2, a * e2 + c * f2 + e, b * e2 + d * f2 + f];
}
