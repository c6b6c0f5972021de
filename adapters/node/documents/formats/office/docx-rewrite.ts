/**
 * Rewrites what mammoth drops from a Word document, with the text in it, as elements that it reads: equations and
 * text boxes.
 */

import { SaxesParser } from "saxes";
import { escapeHtml } from "../../../../../src/text/escape-html.js";
import { type Edit, edited, type Range, rewritten } from "./docx-edits.js";
import { Equation } from "./docx-equations.js";
import { localName } from "./xml-stream.js";

/**
 * An open element that may have text boxes: a drawing, or alternatives of one drawing; or the content of a box, which
 * may have drawings of its own.
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
const BOX = "txbxContent";
const ALTERNATIVES = "AlternateContent";
const EQUATIONS = new Set(["oMath", "oMathPara"]);

/**
 * The part with its equations as text, and the text boxes of each drawing as elements of a picture. Of a drawing that
 * is stored in several forms, the first one with text is kept. Unchanged if it has neither, or is not well-formed:
 * then the damage is reported when the text is read.
 */
export function withReadableElements(part: Uint8Array): Uint8Array {
  const bytes = Buffer.from(part.buffer, part.byteOffset, part.length);
  if (!bytes.includes("oMath") && !bytes.includes("txbxContent")) return part;
  return rewritten(part, editsOf);
}

/** The edits in the order of the source; they do not overlap. @throws Error if it is not well-formed */
function editsOf(source: string): Edit[] {
  const rewriting = new Rewriting(source);
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name, attributes }) => {
    rewriting.open(name, attributes, source.lastIndexOf("<", parser.position - 1));
  });
  const onText = (text: string): void => rewriting.text(text);
  parser.on("text", onText);
  parser.on("cdata", onText);
  parser.on("closetag", ({ name }) => rewriting.close(localName(name), parser.position));
  parser.write(source).close();
  return rewriting.edits;
}

/** Collects the edits of a part while its elements are read. */
class Rewriting {
  readonly edits: Edit[] = [];
  readonly #source: string;
  /** Local names of the open elements. */
  readonly #names: string[] = [];
  readonly #frames: Frame[] = [];
  #equation: { start: number; content: Equation } | undefined;
  /** Prefix of the names of Word, as the root has it. */
  #prefix: string | undefined;

  constructor(source: string) {
    this.#source = source;
  }

  /** @param start  offset of the tag */
  open(name: string, attributes: Readonly<Record<string, string>>, start: number): void {
    const local = localName(name);
    const parent = this.#names.at(-1);
    this.#prefix ??= name.slice(0, name.length - local.length);
    this.#names.push(local);
    if (this.#equation !== undefined) this.#equation.content.open(local, attributes);
    else if (EQUATIONS.has(local)) this.#equation = { start, content: new Equation() };
    else if (DRAWINGS.has(local)) this.#openFrame("drawing", start);
    else if (local === BOX) this.#openFrame("box", start);
    else if (local === ALTERNATIVES) {
      // Alternatives of whole paragraphs have text outside of boxes.
      const ofDrawing = parent === "r" || this.#frames.at(-1)?.kind === "drawing";
      this.#openFrame(ofDrawing ? "alternatives" : "box", start);
    }
  }

  text(text: string): void {
    this.#equation?.content.text(text);
  }

  /** @param end  offset after the tag */
  close(local: string, end: number): void {
    this.#names.pop();
    if (this.#equation !== undefined) this.#closeInEquation(local, end, this.#equation);
    else if (local === "Choice" || local === "Fallback") this.#closeAlternative();
    else if (DRAWINGS.has(local) || local === BOX || local === ALTERNATIVES) this.#closeFrame(local, end);
  }

  #openFrame(kind: Frame["kind"], start: number): void {
    this.#frames.push({ kind, start, boxes: [], chosen: [] });
  }

  #closeInEquation(local: string, end: number, { start, content }: { start: number; content: Equation }): void {
    content.close(local);
    if (content.isOpen) return;
    this.#equation = undefined;
    const text = escapeHtml(content.result);
    const run = this.#element("r", this.#element("t", text, ' xml:space="preserve"'));
    this.#replace({ start, end }, () => run);
  }

  #closeAlternative(): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return;
    if (frame.boxes.length === 0) frame.boxes = frame.chosen;
    frame.chosen = [];
  }

  #closeFrame(local: string, end: number): void {
    const frame = this.#frames.pop();
    if (frame === undefined) return;
    const outer = this.#frames.at(-1);
    const boxes = [...frame.boxes, ...frame.chosen];
    if (local === BOX) outer?.chosen.push({ start: frame.start, end });
    else if (frame.kind === "box" || boxes.length === 0) return;
    else if (outer !== undefined && outer.kind !== "box") outer.chosen.push(...boxes);
    else this.#replace({ start: frame.start, end }, (inner) => this.#element("pict", this.#textOf(boxes, inner)));
  }

  /** Replaces a range; edits inside of it apply to what is taken from it. */
  #replace({ start, end }: Range, textOf: (inner: readonly Edit[]) => string): void {
    const first = this.edits.findLastIndex((edit) => edit.start < start) + 1;
    this.edits.push({ start, end, text: textOf(this.edits.splice(first)) });
  }

  /** The boxes' content, one after the other. @param inner  the edits in and between them */
  #textOf(boxes: readonly Range[], inner: readonly Edit[]): string {
    let next = 0;
    const texts = boxes.map((box) => {
      while (next < inner.length && inner[next]!.start < box.start) next++;
      const first = next;
      while (next < inner.length && inner[next]!.end <= box.end) next++;
      return edited(this.#source, box, inner.slice(first, next));
    });
    return texts.join("");
  }

  #element(name: string, content: string, attributes = ""): string {
    return `<${this.#prefix}${name}${attributes}>${content}</${this.#prefix}${name}>`;
  }
}
