/** The parts of a Markdown draft that matter for quotations: paragraphs, block quotes and footnotes. */

/** `[start, end)` in UTF-16 units of the draft. */
export interface DraftBlock {
  kind: "paragraph" | "quote";
  start: number;
  end: number;
}

export interface DraftBlocks {
  blocks: DraftBlock[];
  /** Text of each footnote or numbered reference, by its label. */
  notes: Map<string, string>;
  /** The draft with code, tags and addresses blanked, so that marks in them do not count; same length. */
  masked: string;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const FENCE_IN_LIST = /^\s*(?:(?:[-*+]|\d+[.)])\s+)?(`{3,}|~{3,})/;
/** A line of a block quote, which may be in a list. */
export const QUOTE_MARKS = /^\s*(?:(?:[-*+]|\d+[.)])\s+)*(?:> ?)+/;
/** The end of a sentence, of a quotation, or of a source. */
const ENDS = /[.!?…。！？"“”»)\]]$/u;
/** A line that is not text of a paragraph: a heading, code, a tag, a table, a rule or a source. */
const NO_TEXT = /^\s*(?:[#`~<|—–]|--|=+$|[*_-][\s*_-]*$|\(.*\)$)/u;
const NOTE = /^ {0,3}\[\^?([^[\]\s]{1,60})\]:?\s+(\S.*)$/;
const LIST_ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s/;
/** UTF-16 units of a note that are kept: its text is read again for every quotation that refers to it. */
const MAX_NOTE_UNITS = 600;

interface Line {
  text: string;
  start: number;
  end: number;
}

/** O(draft) */
export function blocksOf(draft: string): DraftBlocks {
  const blocks: DraftBlock[] = [];
  const notes = new Map<string, string>();
  const masked: string[] = [];
  let open: DraftBlock | undefined;
  let fence: string | undefined;
  let inComment = false;
  let afterBlank = true;
  let inList = false;
  /** Label of the note that an indented line continues. */
  let openNote: string | undefined;
  /** Whether a line without ">" may continue the quote. */
  let continues = false;
  const bodyStart = frontMatterEnd(draft);
  for (const line of linesOf(draft)) {
    const { text } = line;
    const blank = text.trim() === "";
    const hide = (): void => {
      masked.push(" ".repeat(text.length), draft.slice(line.start + text.length, line.end));
      open = undefined;
    };
    if (line.start < bodyStart) {
      hide();
      continue;
    }
    if (fence === undefined && (inComment || opensComment(text))) {
      inComment = !text.includes("-->");
      hide();
      continue;
    }
    const mark = (inList ? FENCE_IN_LIST : FENCE).exec(text)?.[1];
    if (fence !== undefined || mark !== undefined) {
      if (fence === undefined) fence = mark;
      else if (mark?.startsWith(fence) && text.trim() === mark) fence = undefined;
      hide();
      continue;
    }
    if (afterBlank && !inList && /^(?: {4}|\t)/.test(text) && !blank) {
      hide();
      continue;
    }
    inList = LIST_ITEM.test(text) || (inList && (blank || /^\s/.test(text)));
    afterBlank = blank;
    masked.push(maskLine(text), draft.slice(line.start + text.length, line.end));
    const note = NOTE.exec(text);
    if (note !== null) notes.set(note[1]!, note[2]!.slice(0, MAX_NOTE_UNITS));
    else if (openNote !== undefined && /^\s+\S/.test(text)) {
      notes.set(openNote, `${notes.get(openNote)!} ${text.trim()}`.slice(0, MAX_NOTE_UNITS));
    }
    if (note !== null || !/^\s+\S/.test(text)) openNote = note?.[1];
    const content = text.replace(QUOTE_MARKS, "").trimEnd();
    const isText = !blank && !NO_TEXT.test(content);
    const beginsBlock = note !== null || LIST_ITEM.test(text);
    const isQuote: boolean = QUOTE_MARKS.test(text) || (open?.kind === "quote" && continues && isText && !beginsBlock);
    // What follows a whole sentence is taken for a remark, although Markdown displays it in the quote.
    continues = isQuote && isText && content !== "" && !ENDS.test(content);
    const kind = isQuote ? "quote" : "paragraph";
    if (blank || (open !== undefined && open.kind !== kind) || beginsBlock) open = undefined;
    if (blank) continue;
    if (open === undefined) {
      open = { kind, start: line.start, end: line.end };
      blocks.push(open);
    } else open.end = line.end;
  }
  return { blocks, notes, masked: masked.join("") };
}

/** True for a line that ends inside a comment of several lines. */
function opensComment(text: string): boolean {
  return /^\s*<!--/.test(text) && !text.includes("-->");
}

/** The end of the front matter; 0 if there is none, such as after a rule that no line closes. O(draft) */
function frontMatterEnd(draft: string): number {
  let number = 0;
  for (const { text, end } of linesOf(draft)) {
    const line = text.trimEnd();
    if (number === 0 && line !== "---") return 0;
    if (number === 1 && line === "") return 0;
    if (number > 0 && (line === "---" || line === "...")) return end;
    number++;
  }
  return 0;
}

function* linesOf(draft: string): Generator<Line> {
  for (let start = 0; start < draft.length; ) {
    const newline = draft.indexOf("\n", start);
    const end = newline < 0 ? draft.length : newline + 1;
    const text = draft.slice(start, newline < 0 ? end : newline).replace(/\r$/, "");
    yield { text, start, end };
    start = end;
  }
}

/** Backticks, tags and the addresses of links. */
const HIDDEN = /`+|<\/?[A-Za-z!][^<>]*>|(?<=\])\([^()]*\)|\bhttps?:\/\/[^\s<>"“”]+/g;

/** Blanks code spans, tags and addresses. O(text) */
function maskLine(text: string): string {
  const parts: string[] = [];
  let done = 0;
  HIDDEN.lastIndex = 0;
  for (let match = HIDDEN.exec(text); match !== null; match = HIDDEN.exec(text)) {
    let start = match.index;
    let end = HIDDEN.lastIndex;
    if (match[0].startsWith("`")) {
      const closing = text.indexOf("`", end);
      if (closing < 0) continue;
      let closed = closing;
      while (text[closed] === "`") closed++;
      if (closed - closing > end - start) continue; // those backticks may open a span
      start = end - (closed - closing); // further backticks before the span are text
      end = closed;
    }
    parts.push(text.slice(done, start), "·".repeat(end - start)); // no space: a mark next to it still closes
    done = HIDDEN.lastIndex = end;
  }
  return parts.join("") + text.slice(done);
}
