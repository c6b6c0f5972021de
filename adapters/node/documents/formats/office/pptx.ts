/** PowerPoint slides: titles, text, tables and speaker notes, slide by slide. */

import type { Document } from "../../../../../src/types.js";
import type { ReadContext } from "../../input.js";
import { unreadable } from "../../skip.js";
import { BULLET, type NumberFormat, numberText } from "../list-marks.js";
import { metadataOf } from "../records.js";
import { superscript } from "../superscript.js";
import { TextBuilder } from "../text-builder.js";
import { assertNotOle, OfficeArchive } from "./archive.js";
import type { XmlEvents } from "./xml-stream.js";

const PRESENTATION = "ppt/presentation.xml";

/**
 * One document; its places are slides ("slide 3", "slide 3, notes"), in the order of the show. The titles of slides are
 * headings. Hidden slides are read, too.
 * @throws VerbatimError `unreadable-document` when password-protected, damaged, a zip bomb, or too large
 */
export async function readPptx(bytes: Uint8Array, context: ReadContext): Promise<Document[]> {
  assertNotOle(bytes, "ppt");
  const archive = new OfficeArchive(bytes, context);
  const builder = new TextBuilder(context.limits);
  const slides = await slidesOf(archive);
  for (const [i, slide] of slides.entries()) {
    const path = `slide ${i + 1}`;
    context.onPart();
    builder.separate("\n\n");
    const diagrams = new Set<string>();
    const onDiagram = (id: string): void => void diagrams.add(id);
    await archive.stream(slide, slideEvents(builder, { path, isNotes: false, onDiagram }));
    const relations = archive.relations(slide);
    for (const id of diagrams) await readDiagram(archive, relations.get(id)?.path, { builder, path });
    const notes = [...relations.values()].find(({ type }) => type === "notesSlide");
    if (notes === undefined || !archive.has(notes.path)) continue;
    builder.separate("\n\n");
    await archive.stream(notes.path, slideEvents(builder, { path: `${path}, notes`, isNotes: true }));
  }
  const { title, author } = archive.properties();
  return [
    {
      id: context.input.id,
      title: isDescriptive(title) ? title : builder.firstHeading() || context.name,
      source: context.input.path,
      ...builder.content("pptx"),
      metadata: metadataOf(Object.entries({ author: author || undefined, slides: slides.length })),
    },
  ];
}

/** False for the default title of a new presentation, which is in the language of the program. */
function isDescriptive(title: string): boolean {
  return title !== "" && !/^(?:powerpoint[ -]|pr(?:e|é|ä)sent|untitled|slide ?\d*$)/i.test(title);
}

/** Paths of the slides in the order of the show. */
async function slidesOf(archive: OfficeArchive): Promise<string[]> {
  if (!archive.has(PRESENTATION)) throw unreadable("is damaged (it has no presentation part)", "Save it again.");
  const relations = archive.relations(PRESENTATION);
  const slides = new Set<string>(); // ordinary files list each slide once; hostile ones repeat one many times
  await archive.stream(PRESENTATION, {
    open: (name, attributes) => {
      const target = name === "sldId" ? relations.get(attributes["r:id"] ?? "") : undefined;
      if (target !== undefined && archive.has(target.path)) slides.add(target.path);
    },
  });
  return [...slides];
}

/** Placeholders whose text is not of the slide: its number, date and footer. */
const FIELDS = new Set(["sldNum", "dt", "ftr", "hdr", "sldImg"]);

/**
 * Writes the text of a SmartArt graphic (ECMA-376 part 1, 21.4.3), which is in a part of its own: a line for each of
 * its points.
 */
async function readDiagram(
  archive: OfficeArchive,
  part: string | undefined,
  { builder, path }: { builder: TextBuilder; path: string },
): Promise<void> {
  if (part === undefined || !archive.has(part)) return;
  let inRun = false;
  builder.separate("\n\n");
  await archive.stream(part, {
    open(name) {
      if (name === "pt" || name === "p" || name === "br") builder.separate("\n");
      else if (name === "r" || name === "fld") inRun = true;
    },
    text(text) {
      if (inRun) builder.write(text, { path });
    },
    close(name) {
      if (name === "r" || name === "fld") inRun = false;
    },
  });
  builder.separate("\n\n");
}

interface SlideOptions {
  path: string;
  isNotes: boolean;
  /** Called with the id of the relationship to each SmartArt graphic. */
  onDiagram?(id: string): void;
}

/** Writes the text of a slide (ECMA-376 part 1, 19.3 and 21.1.2). */
function slideEvents(builder: TextBuilder, { path, isNotes, onDiagram }: SlideOptions): XmlEvents {
  const mark = { path };
  let placeholder = "";
  let inText = false;
  let isRaised = false;
  let inCell = false;
  let isSkipped = false;
  let inProperties = false;
  let lists = new ShapeLists();
  return {
    open(name, attributes) {
      if (name === "sp" || name === "graphicFrame") {
        placeholder = "";
        isSkipped = false;
        lists = new ShapeLists();
        builder.separate("\n\n");
      } else if (name === "pPr") {
        inProperties = true;
        lists.beginParagraph(attributes);
      } else if (inProperties && name === "buChar") builder.beginItem(BULLET);
      else if (inProperties && name === "buAutoNum") builder.beginItem(lists.nextMark(attributes));
      else if (name === "ph") {
        placeholder = attributes.type ?? "";
        isSkipped = FIELDS.has(placeholder);
        if (!isNotes && (placeholder === "title" || placeholder === "ctrTitle")) builder.beginHeading(1);
      } else if (name === "p" || name === "br") {
        builder.separate(inCell ? " " : "\n");
      } else if (name === "r" || name === "fld") isRaised = false;
      else if (name === "rPr") isRaised = Number.parseFloat(attributes.baseline ?? "0") > 0;
      else if (name === "tr") builder.beginRow();
      else if (name === "tc") {
        builder.beginCell();
        inCell = true;
      } else if (name === "t") inText = true;
      else if (name === "relIds") onDiagram?.(attributes.dm ?? "");
    },
    text(text) {
      if (!inText || isSkipped) return;
      const shown = isRaised ? superscript(text) : text;
      builder.write(shown, mark);
    },
    close(name) {
      if (name === "t") inText = false;
      else if (name === "pPr") {
        inProperties = false;
        lists.endProperties();
      } else if (name === "tc") inCell = false;
      else if (name === "tr") {
        builder.endRow();
      } else if (name === "p") {
        builder.endItem();
        builder.separate(inCell ? " " : "\n");
      } else if (name === "sp" || name === "graphicFrame") {
        builder.endHeading();
        builder.separate("\n\n");
      }
    },
  };
}

const NUMBER_FORMATS: ReadonlyArray<readonly [prefix: string, format: NumberFormat]> = [
  ["alphaLc", "lower-letter"],
  ["alphaUc", "upper-letter"],
  ["romanLc", "lower-roman"],
  ["romanUc", "upper-roman"],
];
const MAX_NUMBER = 32_767;
const MAX_LEVEL = 8;

/** Numbers of a shape's paragraphs; a paragraph without a number ends the lists of its level and below. */
class ShapeLists {
  /** By level. */
  readonly #numbers: number[] = [];
  #level = 0;
  #isNumbered = false;

  beginParagraph({ lvl = "0" }: Readonly<Record<string, string>>): void {
    this.#level = Math.min(MAX_LEVEL, Math.max(0, Math.trunc(Number(lvl)) || 0));
    this.#isNumbered = false;
  }

  /** The mark of the paragraph that is open, whose numbers are described by a `buAutoNum`. */
  nextMark(attributes: Readonly<Record<string, string>>): string {
    this.#isNumbered = true;
    this.#end(this.#level + 1);
    const number = (this.#numbers[this.#level] ?? firstNumber(attributes) - 1) + 1;
    this.#numbers[this.#level] = number;
    return numberMark(number, attributes.type ?? "");
  }

  endProperties(): void {
    if (!this.#isNumbered) this.#end(this.#level);
  }

  /** Ends the lists from a level on. */
  #end(level: number): void {
    this.#numbers.length = Math.min(this.#numbers.length, level);
  }
}

function firstNumber({ startAt }: Readonly<Record<string, string>>): number {
  const number = Number(startAt ?? 1);
  return Number.isInteger(number) && number >= 1 && number <= MAX_NUMBER ? number : 1;
}

/** @param type  "arabicPeriod", "alphaLcParenBoth", … (ECMA-376 part 1, 20.1.10.61) */
function numberMark(number: number, type: string): string {
  const text = numberText(number, NUMBER_FORMATS.find(([prefix]) => type.startsWith(prefix))?.[1] ?? "decimal");
  if (type.endsWith("ParenBoth")) return `(${text})`;
  if (type.endsWith("ParenR")) return `${text})`;
  return type.endsWith("Plain") ? text : `${text}.`;
}
