/** RTF: paragraphs, headings, tables and footnotes (Rich Text Format Specification 1.9.1). Objects are not opened. */

import type { Document } from "../../../../../src/types.js";
import type { ReadContext } from "../../input.js";
import { decodeAs, endsInLeadByte } from "../../older-encodings.js";
import { unreadable } from "../../skip.js";
import { BULLET } from "../list-marks.js";
import { metadataOf } from "../records.js";
import { superscript } from "../superscript.js";
import { TextBuilder } from "../text-builder.js";
import { RtfFonts } from "./rtf-fonts.js";
import { RtfTable } from "./rtf-table.js";

/**
 * One document; its places are paragraphs ("paragraph 12"). Title: that of the document's information, else the first
 * heading, else the file's name.
 * @throws VerbatimError `unreadable-document` when damaged or nested too deeply
 */
export function readRtf(bytes: Uint8Array, context: ReadContext): Document[] {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  if (!source.trimStart().startsWith("{\\rtf")) {
    throw unreadable("is damaged (it does not begin like RTF)", "Save it again, or use --format txt.");
  }
  const builder = new TextBuilder(context.limits);
  const { title, author } = new RtfReader(source, builder, context.limits.maxDepth).read();
  return [
    {
      id: context.input.id,
      title: title || builder.firstHeading() || context.name,
      source: context.input.path,
      ...builder.content("rtf"),
      metadata: metadataOf(Object.entries({ author: author || undefined })),
    },
  ];
}

/** Groups whose content is not text of the document. */
const DROPPED = new Set(
  (
    "colortbl stylesheet pict object header headerl headerr headerf footer footerl footerr footerf fldinst " +
    "themedata colorschememapping latentstyles datastore listtable listoverridetable rsidtbl generator xmlnstbl " +
    "mmathPr filetbl revtbl pgptbl annotation atnid atnauthor atntime atnref bkmkstart bkmkend nonshppict " +
    "shpinst template operator company category keywords comment doccomm pntxta pntxtb pnseclvl " +
    "nesttableprops nonesttables"
  ).split(" "),
);

const CHARACTERS: Record<string, string> = {
  ...{ emdash: "—", endash: "–", lquote: "‘", rquote: "’", ldblquote: "“", rdblquote: "”", bullet: "•" },
  ...{ emspace: " ", enspace: " ", qmspace: " ", tab: " " },
};

/** A longer mark of a list item is cut. */
const MAX_MARK_UNITS = 60;

interface Group {
  /** "": text of the document; "drop"; or the field, note or mark of a list item that the text goes to. */
  to: "" | "drop" | "title" | "author" | "note" | "mark" | "styles" | "fonts";
  hidden: boolean;
  raised: boolean;
  /** How many characters follow a `\u` as its fallback for old readers; they are skipped. */
  unicodeSkip: number;
  /** Number of the font, whose character set the bytes of `\'hh` are in. */
  font: number;
}

class RtfReader {
  readonly #source: string;
  readonly #builder: TextBuilder;
  readonly #maxDepth: number;
  readonly #table: RtfTable;
  readonly #fonts = new RtfFonts();
  #defaultFont = -1;
  readonly #groups: Group[] = [];
  #group: Group = { to: "", hidden: false, raised: false, unicodeSkip: 1, font: -1 };
  /** Bytes of `\'hh` that may form a character together. */
  #bytes: number[] = [];
  #toSkip = 0;
  #high = "";
  #isOptional = false;
  /** Nothing of the paragraph was written. */
  #atStart = true;
  #paragraphs = 1;
  #level = 0;
  #inTable = false;
  #fields = { title: "", author: "" };
  /** The mark of the list item that begins. Word's second bullet is the letter o. */
  #mark = "";
  #note = "";
  #notes: string[] = [];
  /** Heading level by style number. */
  readonly #styles = new Map<number, number>();
  #style = { number: -1, name: "", level: 0 };

  constructor(source: string, builder: TextBuilder, maxDepth: number) {
    this.#source = source;
    this.#builder = builder;
    this.#table = new RtfTable(builder);
    this.#maxDepth = maxDepth;
  }

  read(): { title: string; author: string } {
    const source = this.#source;
    const token =
      /\{|\}|\\(?:([a-zA-Z]{1,32})(-?\d{1,10})? ?|'([0-9a-fA-F]{2})|(\*)|([^a-zA-Z]))|[\r\n]+|[^{}\\\r\n]+/gy;
    for (let match = token.exec(source); match !== null; match = token.exec(source)) {
      const [text, word, parameter, hex, star, symbol] = match;
      if (hex !== undefined) {
        if (this.#toSkip > 0) this.#toSkip--;
        else this.#bytes.push(Number.parseInt(hex, 16));
        continue;
      }
      // Line ends of the file have no meaning, even between the bytes of a character.
      if (text[0] === "\r" || text[0] === "\n") continue;
      const characters = charactersOf(text);
      if (characters !== undefined) {
        this.#writeCharacters(characters);
        continue;
      }
      this.#flushBytes();
      if (text === "{") this.#open();
      else if (text === "}") {
        if (!this.#close()) break;
      } else if (word !== undefined) {
        if (word === "bin") token.lastIndex += Math.max(0, Number(parameter ?? 0));
        else this.#control(word, parameter === undefined ? undefined : Number(parameter));
      } else if (star !== undefined) this.#isOptional = true;
      else if (symbol !== undefined) this.#symbol(symbol);
    }
    this.#flushBytes();
    this.#endParagraph();
    return this.#fields;
  }

  #open(): void {
    if (this.#groups.length >= this.#maxDepth) throw unreadable("is nested too deeply", "Save it as plain text.");
    this.#groups.push(this.#group);
    this.#group = { ...this.#group };
  }

  /** @returns false at the end of the document */
  #close(): boolean {
    const outer = this.#groups.pop();
    if (outer === undefined) return false;
    if (this.#group.to === "note" && outer.to !== "note") {
      this.#notes.push(this.#note.trim());
      this.#note = "";
    }
    if (this.#group.to === "mark" && outer.to === "") this.#beginItem();
    if (this.#group.to === "styles") this.#endStyle();
    this.#group = outer;
    this.#toSkip = 0;
    return this.#groups.length > 0;
  }

  #control(word: string, parameter: number | undefined): void {
    const group = this.#group;
    // `\*` says that the group may be dropped by readers that do not know it.
    if (this.#isOptional && word !== "footnote" && word !== "shptxt") group.to = "drop";
    this.#isOptional = false;
    if (word === "u") {
      const unit = ((parameter ?? 0) + 0x10000) % 0x10000;
      // The two halves of a character beyond U+FFFF come one after the other.
      if (unit >= 0xd800 && unit <= 0xdbff) this.#high = String.fromCharCode(unit);
      else {
        this.#write(this.#high + String.fromCharCode(unit));
        this.#high = "";
      }
      this.#toSkip = group.unicodeSkip;
    } else if (word === "uc") group.unicodeSkip = Math.min(Math.max(parameter ?? 1, 0), 100);
    else if (word === "ansicpg") this.#fonts.setCodePage(parameter ?? 1252);
    else if (this.#format(word, parameter)) return;
    else if (word === "fonttbl") group.to = "fonts";
    else if (group.to === "fonts") {
      if (word === "fcharset") this.#fonts.setCharacterSet(group.font, parameter ?? 0);
    } else if (word === "stylesheet" && group.to === "") group.to = "styles";
    else if (word === "info" && group.to === "") group.to = "drop";
    else if ((word === "title" || word === "author") && group.to === "drop") group.to = word;
    else if (word === "footnote" && group.to !== "drop") group.to = "note";
    else if ((word === "listtext" || word === "pntext") && group.to === "") group.to = "mark";
    else if (DROPPED.has(word)) group.to = "drop";
    else if (word === "shptxt" && group.to === "drop") group.to = "";
    else if (Object.hasOwn(CHARACTERS, word)) this.#write(CHARACTERS[word]!);
    else if (group.to === "styles") {
      if (word === "s") this.#style.number = parameter ?? 0;
      else if (word === "outlinelevel") this.#style.level = headingLevel(parameter);
    } else if (group.to === "note" && (word === "par" || word === "line")) this.#note += " ";
    else if (group.to === "") this.#layout(word, parameter);
  }

  /** Control words for characters. @returns false for others */
  #format(word: string, parameter: number | undefined): boolean {
    const group = this.#group;
    const isOn = parameter !== 0;
    if (word === "v" || word === "deleted") group.hidden = isOn;
    else if (word === "super") group.raised = isOn;
    else if (word === "sub" || word === "nosupersub") group.raised = false;
    else if (word === "f") group.font = parameter ?? 0;
    else if (word === "deff") group.font = this.#defaultFont = parameter ?? 0;
    else if (word === "plain") {
      group.hidden = false;
      group.raised = false;
      group.font = this.#defaultFont;
    } else return false;
    return true;
  }

  /** Control words that end paragraphs, cells and rows. */
  #layout(word: string, parameter: number | undefined): void {
    const builder = this.#builder;
    if (word === "par" || word === "sect" || word === "page") {
      builder.endItem();
      if (this.#inTable) builder.separate(" ");
      else this.#endParagraph();
    } else if (word === "line") builder.separate(this.#inTable ? " " : "\n");
    else if (word === "pard") {
      this.#level = 0;
      this.#inTable = false;
    } else if (word === "intbl" || (word === "itap" && (parameter ?? 0) > 0)) this.#inTable = true;
    else if (word === "trowd") this.#table.beginRow();
    else if (word === "cell") {
      this.#table.endCell();
      this.#atStart = true;
    } else if (word === "nestcell") {
      this.#table.endInnerCell();
      this.#atStart = true;
    } else if (word === "row") {
      this.#table.endRow();
      this.#paragraphs++;
    } else if (word === "outlinelevel") this.#level = headingLevel(parameter);
    else if (word === "s") this.#level = this.#styles.get(parameter ?? 0) ?? this.#level;
  }

  #beginItem(): void {
    const mark = this.#mark.trim();
    this.#mark = "";
    if (mark !== "") this.#builder.beginItem(mark !== "o" && /[\p{L}\p{N}]/u.test(mark) ? mark : BULLET);
  }

  #symbol(symbol: string): void {
    if (symbol === "~") this.#write("\u00a0");
    else if (symbol === "_") this.#write("\u2011");
    else if (symbol === "\n" || symbol === "\r") this.#layout("par", undefined);
  }

  get #fontEncoding(): string {
    return this.#fonts.encodingOf(this.#group.font);
  }

  #flushBytes(): void {
    if (this.#bytes.length === 0) return;
    const text = decodeAs(Uint8Array.from(this.#bytes), this.#fontEncoding);
    this.#bytes = [];
    this.#write(text);
  }

  /** The first one may be the second byte of a character. */
  #writeCharacters(text: string): void {
    const isSecondByte = endsInLeadByte(this.#bytes, this.#fontEncoding);
    if (isSecondByte) this.#bytes.push(text.charCodeAt(0));
    this.#flushBytes();
    this.#write(isSecondByte ? text.slice(1) : text);
  }

  #write(given: string): void {
    let text = given;
    if (this.#toSkip > 0 && given.length > 0 && !/[^\x20-\x7f]/.test(given.slice(0, 1))) {
      const skipped = Math.min(this.#toSkip, given.length);
      text = given.slice(skipped);
      this.#toSkip -= skipped;
    }
    const { to, hidden, raised } = this.#group;
    if (to === "drop" || to === "fonts" || hidden || text === "") return;
    if (to === "title" || to === "author") this.#fields[to] = (this.#fields[to] + text).slice(0, 1000);
    else if (to === "mark") {
      const shown = this.#fonts.isSymbol(this.#group.font) && text.trim() !== "" ? BULLET : text;
      this.#mark = (this.#mark + shown).slice(0, MAX_MARK_UNITS);
    } else if (to === "note") this.#note += text;
    else if (to === "styles") {
      this.#style.name += text.slice(0, 100);
      if (text.includes(";")) this.#endStyle();
    } else {
      if (!this.#inTable) this.#table.end();
      else if (text.trim() !== "") this.#table.assumeRow();
      if (this.#level > 0 && !this.#inTable && !this.#inHeading) {
        this.#builder.beginHeading(this.#level);
        this.#inHeading = true;
      }
      if (this.#atStart) text = text.trimStart();
      if (text === "") return;
      this.#atStart = false;
      if (raised) text = superscript(text);
      this.#builder.write(text, { path: `paragraph ${this.#paragraphs}` });
    }
  }

  #inHeading = false;

  #endParagraph(): void {
    if (this.#inHeading) this.#builder.endHeading();
    this.#inHeading = false;
    this.#builder.endItem();
    if (!this.#atStart) this.#paragraphs++;
    this.#atStart = true;
    this.#builder.separate("\n\n");
    for (const note of this.#notes.splice(0)) {
      this.#builder.write(note, { path: `paragraph ${Math.max(1, this.#paragraphs - 1)}` });
      this.#builder.separate("\n\n");
    }
  }

  #endStyle(): void {
    const named = /^\s*(?:heading|überschrift|titre|título)\s+(\d)/i.exec(this.#style.name)?.[1];
    const level = this.#style.level || Number(named ?? 0);
    if (level > 0 && this.#style.number >= 0) this.#styles.set(this.#style.number, level);
    this.#style = { number: -1, name: "", level: 0 };
  }
}

/** The characters of a token that is text, or one escaped character; undefined for groups and control words. */
function charactersOf(token: string): string | undefined {
  if (token === "\\\\" || token === "\\{" || token === "\\}") return token[1];
  return /^[\\{}]/.test(token) ? undefined : token;
}

/** Word counts outline levels from 0; 9 is text. */
function headingLevel(outlineLevel: number | undefined): number {
  const level = outlineLevel ?? 0;
  return level >= 0 && level <= 8 ? level + 1 : 0;
}
