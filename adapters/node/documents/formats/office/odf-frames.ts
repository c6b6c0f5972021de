/** Text boxes and shapes of OpenDocument files: they would interrupt a sentence, or be taken for a part of a cell. */

import { oneLine } from "../../../../../src/text/one-line.js";
import type { ReadLimits } from "../../limits.js";
import { unreadable } from "../../skip.js";
import type { TextBuilder } from "../text-builder.js";
import type { XmlEvents } from "./xml-stream.js";

/** Shapes that may have text (OpenDocument 1.3 part 3, section 10). */
const SHAPES = new Set([
  ...["frame", "custom-shape", "g", "rect", "ellipse", "circle", "line", "polyline", "polygon", "regular-polygon"],
  ...["path", "connector", "caption", "measure"],
]);
const PARAGRAPHS = new Set(["p", "h"]);
/** Have paragraphs of their own inside of a paragraph. */
const SCOPES = new Set(["note", "annotation"]);

interface Event {
  kind: "open" | "close" | "text";
  /** Name of the element, or text. */
  value: string;
  attributes: Readonly<Record<string, string>>;
}

/**
 * Events that wait for the end of a paragraph. Those of an inner paragraph are a list, so that none is copied at each
 * level.
 */
type Waiting = (Event | Waiting)[];

/** An open paragraph, shape or scope. */
interface Part {
  kind: "paragraph" | "shape" | "scope";
  depth: number;
  /** In a paragraph: the events of its shapes. */
  shapes: Waiting;
  /** Where the events around it go. */
  outer: Waiting | undefined;
}

const NONE: Readonly<Record<string, string>> = {};

/** The events with the shapes of each paragraph behind it, in their order. */
export function withShapesBelow(events: XmlEvents): XmlEvents {
  const parts: Part[] = [];
  let depth = 0;
  /** Where events go; undefined: they are passed on at once. */
  let waiting: Waiting | undefined;

  const pass = (event: Event): void => {
    if (waiting === undefined) passOn(event, events);
    else waiting.push(event);
  };
  return {
    open: (name, attributes) => {
      depth++;
      const part = parts.at(-1);
      if (SHAPES.has(name) && part?.kind === "paragraph") {
        parts.push({ kind: "shape", depth, shapes: [], outer: waiting });
        waiting = part.shapes;
      } else if (PARAGRAPHS.has(name)) parts.push({ kind: "paragraph", depth, shapes: [], outer: waiting });
      else if (SCOPES.has(name)) parts.push({ kind: "scope", depth, shapes: [], outer: waiting });
      pass({ kind: "open", value: name, attributes });
    },
    text: (text) => pass({ kind: "text", value: text, attributes: NONE }),
    close: (name) => {
      pass({ kind: "close", value: name, attributes: NONE });
      depth--;
      const part = parts.at(-1);
      if (part === undefined || part.depth <= depth) return;
      parts.pop();
      waiting = part.outer;
      if (part.kind !== "paragraph" || part.shapes.length === 0) return;
      if (waiting === undefined) passAllOn(part.shapes, events);
      else waiting.push(part.shapes);
    },
  };
}

function passOn({ kind, value, attributes }: Event, events: XmlEvents): void {
  if (kind === "open") events.open?.(value, attributes);
  else if (kind === "close") events.close?.(value);
  else events.text?.(value);
}

/** Calls itself for each level of paragraphs: the levels of a part are limited. */
function passAllOn(waiting: Waiting, events: XmlEvents): void {
  for (const one of waiting) {
    if (Array.isArray(one)) passAllOn(one, events);
    else passOn(one, events);
  }
}

interface BoxParagraph {
  text: string;
  path: string;
}

/** Collects the text boxes and shapes of a sheet, which are written below its rows. */
export class SheetBoxes {
  readonly #limits: Pick<ReadLimits, "maxTextUnits" | "maxSegments">;
  /** Open elements, from the outermost shape on. */
  #depth = 0;
  #paragraphs: BoxParagraph[] = [];
  readonly #openParagraphs: BoxParagraph[] = [];
  #units = 0;

  constructor(limits: Pick<ReadLimits, "maxTextUnits" | "maxSegments">) {
    this.#limits = limits;
  }

  /**
   * @param place  of the shape
   * @returns whether the element is a shape, or in one, and so no part of a cell
   * @throws VerbatimError `unreadable-document` beyond the limit on parts of a document
   */
  open(name: string, place: () => string): boolean {
    if (this.#depth === 0 && !SHAPES.has(name)) return false;
    this.#depth++;
    if (PARAGRAPHS.has(name)) {
      const paragraph = { text: "", path: place() };
      this.#openParagraphs.push(paragraph);
      this.#paragraphs.push(paragraph);
      if (this.#paragraphs.length > this.#limits.maxSegments) throw unreadable("has too many text boxes", "Split it.");
    } else if (name === "s" || name === "tab" || name === "line-break") this.text(" ");
    return true;
  }

  /**
   * @returns whether the text is in a shape
   * @throws VerbatimError `unreadable-document` beyond the limit on text
   */
  text(text: string): boolean {
    if (this.#depth === 0) return false;
    const paragraph = this.#openParagraphs.at(-1);
    if (paragraph === undefined) return true;
    paragraph.text += text;
    this.#units += text.length;
    if (this.#units > this.#limits.maxTextUnits) {
      throw unreadable("has too much text", "Split it, or raise the limit.");
    }
    return true;
  }

  /** @returns whether the element is a shape, or in one */
  close(name: string): boolean {
    if (this.#depth === 0) return false;
    this.#depth--;
    if (PARAGRAPHS.has(name)) this.#openParagraphs.pop();
    return true;
  }

  /** Writes the paragraphs that were collected, and forgets them. */
  write(builder: TextBuilder): void {
    for (const { text, path } of this.#paragraphs) {
      builder.separate("\n\n");
      builder.write(oneLine(text), { path });
    }
    builder.separate("\n\n");
    this.#paragraphs = [];
    this.#units = 0;
  }
}
