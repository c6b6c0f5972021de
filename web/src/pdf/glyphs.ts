/** The glyphs of a PDF page with their places, from the list of drawing operators of pdf.js. */

import { type DrawnGlyph, type Font, type Glyph, IDENTITY, type Matrix, TextState } from "./text-state.js";

export interface PageOperators {
  fnArray: readonly number[];
  argsArray: readonly unknown[];
}

type Change = (state: TextState, args: readonly never[]) => void;

/** The operators that change only the state, by name. */
const CHANGES = {
  transform: (state, args) => state.transform(args as unknown as Matrix),
  beginText: (state) => state.setTextMatrix(IDENTITY),
  setCharSpacing(state, [spacing]) {
    state.charSpacing = spacing!;
  },
  setWordSpacing(state, [spacing]) {
    state.wordSpacing = spacing!;
  },
  setHScale(state, [percent]) {
    state.scale = percent! / 100;
  },
  setLeading(state, [leading]) {
    state.leading = -leading!;
  },
  setTextRise(state, [rise]) {
    state.rise = rise!;
  },
  moveText: (state, [x, y]) => state.moveBy(x!, y!),
  setLeadingMoveText(state, [x, y]) {
    state.leading = y!;
    state.moveBy(x!, y!);
  },
  setTextMatrix: (state, [matrix]) => state.setTextMatrix(Array.from<number>(matrix!) as unknown as Matrix),
  nextLine: (state) => state.moveBy(0, state.leading),
} as const satisfies Record<string, Change>;

const OTHERS = [
  "save",
  "restore",
  "setFont",
  "showText",
  "showSpacedText",
  "paintFormXObjectBegin",
  "paintFormXObjectEnd",
] as const;
const OPERATORS = [...OTHERS, ...(Object.keys(CHANGES) as (keyof typeof CHANGES)[])];

/** The operators that move text, by name, with their numbers in pdf.js. */
export type OperatorNumbers = Readonly<Record<(typeof OPERATORS)[number], number>>;

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
  const stack: TextState[] = [];
  let state = new TextState();
  for (const [at, number] of fnArray.entries()) {
    const name = names.get(number);
    const args = (argsArray[at] ?? []) as never[];
    switch (name) {
      case undefined:
        break;
      case "save":
        stack.push(state.copy());
        break;
      case "restore":
      case "paintFormXObjectEnd":
        state = stack.pop() ?? state;
        break;
      case "paintFormXObjectBegin": {
        stack.push(state.copy());
        const matrix = args[0] as Matrix | null | undefined;
        if (matrix) state.transform(matrix);
        break;
      }
      case "setFont":
        state.font = fontOf(args[0]!) ?? {};
        state.size = args[1]!;
        break;
      case "showText":
      case "showSpacedText":
        state.show(args[0] as unknown as (DrawnGlyph | number | null)[], glyphs);
        break;
      default:
        (CHANGES[name] as Change)(state, args);
    }
  }
  return glyphs;
}
