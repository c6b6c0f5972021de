/** Rewrites what mammoth drops from a Word document, with the text in it, as elements that it reads: equations and text boxes. */

import { SaxesParser } from "saxes";
import { type Edit, edited, type Range, rewritten } from "./docx-edits.js";
import { Equation } from "./docx-equations.js";
import { localName } from "./xml-stream.js";

/**
 * An open element that may have text boxes: a drawing, or alternatives of one drawing; or the content of a box, which may
 * have drawings of its own.
 */
interface Frame {
  kind: "alternatives" | "drawing" | "box";
  start: number;
  /** Content of the boxes: those of the first alternative that has any. */
  boxes: Range[];
  /** Boxes of the alternative that is open. */
  chosen: Range[];
}

const DRAWINGS = new Set(["drawing", "pict"]);
const EQUATIONS = new Set(["oMath", "oMathPara"]);
const MARKUP: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/**
 * The part with its equations as text, and the text boxes of each drawing as elements of a picture. Of a drawing that is
 * stored in several forms, the first one with text is kept. Unchanged if it has neither, or is not well-formed: then the
 * damage is reported when the text is read.
 */
export function withReadableElements(part: Uint8Array): Uint8Array {
  const bytes = Buffer.from(part.buffer, part.byteOffset, part.length);
  if (!bytes.includes("oMath") && !bytes.includes("txbxContent")) return part;
  return rewritten(part, editsOf);
}

/** The edits in the order of the source; they do not overlap. @throws Error if it is not well-formed */
function editsOf(source: string): Edit[] {
  const edits: Edit[] = [];
  const names: string[] = [];
  const frames: Frame[] = [];
  let equation: { start: number; content: Equation } | undefined;
  /** Prefix of the names of Word, as the root has it. */
  let prefix: string | undefined;
  /** Replaces a range; edits inside of it apply to what is taken from it. */
  const replace = (start: number, end: number, textOf: (inner: readonly Edit[]) => string): void => {
    const first = edits.findLastIndex((edit) => edit.start < start) + 1;
    edits.push({ start, end, text: textOf(edits.splice(first)) });
  };
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name, attributes }) => {
    const local = localName(name);
    const parent = names.at(-1);
    prefix ??= name.slice(0, name.length - local.length);
    names.push(local);
    const start = source.lastIndexOf("<", parser.position - 1);
    if (equation !== undefined) equation.content.open(local, attributes);
    else if (EQUATIONS.has(local)) equation = { start, content: new Equation() };
    else if (DRAWINGS.has(local)) frames.push(newFrame("drawing", start));
    else if (local === "txbxContent") frames.push(newFrame("box", start));
    // Alternatives of whole paragraphs have text outside of boxes.
    else if (local === "AlternateContent")
      frames.push(newFrame(parent === "r" || frames.at(-1)?.kind === "drawing" ? "alternatives" : "box", start));
  });
  const onText = (text: string): void => equation?.content.text(text);
  parser.on("text", onText);
  parser.on("cdata", onText);
  parser.on("closetag", ({ name }) => {
    const local = localName(name);
    names.pop();
    const end = parser.position;
    if (equation !== undefined) {
      equation.content.close(local);
      if (equation.content.isOpen) return;
      const { start, content } = equation;
      equation = undefined;
      const text = content.result.replace(/[&<>]/g, (character) => MARKUP[character]!);
      replace(start, end, () => `<${prefix}r><${prefix}t xml:space="preserve">${text}</${prefix}t></${prefix}r>`);
      return;
    }
    const frame = frames.at(-1);
    if (frame === undefined) return;
    if (local === "Choice" || local === "Fallback") {
      if (frame.boxes.length === 0) frame.boxes = frame.chosen;
      frame.chosen = [];
      return;
    }
    if (!DRAWINGS.has(local) && local !== "txbxContent" && local !== "AlternateContent") return;
    frames.pop();
    const outer = frames.at(-1);
    if (local === "txbxContent") {
      outer?.chosen.push({ start: frame.start, end });
      return;
    }
    if (frame.kind === "box") return;
    const boxes = [...frame.boxes, ...frame.chosen];
    if (boxes.length === 0) return;
    if (outer !== undefined && outer.kind !== "box") {
      outer.chosen.push(...boxes);
      return;
    }
    replace(frame.start, end, (inner) => {
      let next = 0;
      const contents = boxes.map((box) => {
        while (next < inner.length && inner[next]!.start < box.start) next++;
        const first = next;
        while (next < inner.length && inner[next]!.end <= box.end) next++;
        return edited(source, box, inner.slice(first, next));
      });
      return `<${prefix}pict>${contents.join("")}</${prefix}pict>`;
    });
  });
  parser.write(source).close();
  return edits;
}

function newFrame(kind: Frame["kind"], start: number): Frame {
  return { kind, start, boxes: [], chosen: [] };
}
