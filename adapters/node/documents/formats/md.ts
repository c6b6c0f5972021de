/**
 * Markdown (CommonMark, GitHub tables, front matter): the text of its blocks, each line tied to its line in the
 * source.
 */

import { parseFragment } from "parse5";
import remarkFrontmatter from "remark-frontmatter";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import { unified } from "unified";
import { isMap, isScalar, parseDocument } from "yaml";
import type { Document } from "../../../../src/types.js";
import { decodeText } from "../decode.js";
import type { ReadContext } from "../input.js";
import type { ReadLimits } from "../limits.js";
import { separatorOfTag } from "./html/html-elements.js";
import { writeHtmlText } from "./html/html-text.js";
import { limitedTree } from "./limited-tree.js";
import { BULLET, checkBox } from "./list-marks.js";
import { isPlainlyParsed } from "./markdown-complexity.js";
import { type MarkdownPiece, splitMarkdown } from "./md-pieces.js";
import { metadataOf } from "./records.js";
import { superscript } from "./superscript.js";
import { type Separator, type SourceMark, TextBuilder } from "./text-builder.js";

/** Text between single tildes is not struck out: "5~10 and 20~30" are ranges. */
const GFM = { singleTilde: false };

const pieceParser = unified().use(remarkParse).use(remarkGfm, GFM).freeze();
/** Front matter is recognised only at the start of a file. */
const wholeParser = unified().use(remarkParse).use(remarkGfm, GFM).use(remarkFrontmatter, ["yaml", "toml"]).freeze();

/** The part of a syntax tree node (mdast) that is used. */
interface Node {
  type: string;
  value?: string;
  alt?: string | null;
  depth?: number;
  spread?: boolean | null;
  /** Lists only: whether the items are numbered, and the first number. */
  ordered?: boolean | null;
  start?: number | null;
  /** A task in a list has it. */
  checked?: boolean | null;
  children?: Node[];
  position?: { start: { line: number; offset?: number }; end: { line: number; offset?: number } };
}

/**
 * Title: that of the front matter, else the first heading, else the file's name. Scalars and lists of the front matter
 * become metadata; front matter that is not valid YAML, or longer than 64 Ki characters, is ignored. Text between two
 * rules at the start of a file is text.
 * A stretch that would take the parser very long (thousands of open brackets, deep nesting) is kept as plain text.
 * @throws VerbatimError `unsupported-document` for binary data, `unreadable-document` beyond the text limit
 */
export function readMd(bytes: Uint8Array, context: ReadContext): Document[] {
  const { text: source } = decodeText(bytes);
  const writer = new MarkdownWriter(context.limits);
  let frontMatter: Record<string, unknown> = {};
  for (const piece of splitMarkdown(source)) {
    if (!isPlainlyParsed(piece.text)) {
      writer.writePlain(piece);
      continue;
    }
    const tree: Node = piece.line === 1 ? parseStart(piece.text) : pieceParser.parse(piece.text);
    if (piece.line === 1) frontMatter = frontMatterOf(tree) ?? {};
    writer.writePiece(piece, tree.children ?? []);
    context.onPart();
  }
  const { title, ...others } = frontMatter;
  return [
    {
      id: context.input.id,
      title: titleText(title) || writer.builder.firstHeading() || context.name,
      source: context.input.path,
      ...writer.builder.content("markdown"),
      metadata: metadataOf(Object.entries(others)),
    },
  ];
}

function titleText(title: unknown): string {
  return typeof title === "string" || typeof title === "number" ? String(title).trim() : "";
}

/** Longer front matter is data, not a description of the document; it is skipped. */
const MAX_FRONT_MATTER_UNITS = 64 * 1024;
const MAX_YAML_BRACKETS = 2000;

/** The YAML parser takes time quadratic in the depth of brackets, and of "- - - …" on one line. */
function isDeepYaml(source: string): boolean {
  let brackets = 0;
  for (const character of source) if (character === "[" || character === "{") brackets++;
  return brackets > MAX_YAML_BRACKETS || source.split("\n").some((line) => line.split("- ", 60).length === 60);
}

/** The first piece of a file. A rule at its start opens front matter only if fields follow. */
function parseStart(text: string): Node {
  const tree: Node = wholeParser.parse(withClosingRule(text));
  const isFrontMatter = frontMatterOf(tree) !== undefined || namesField(yamlOf(tree));
  return isFrontMatter ? tree : pieceParser.parse(text);
}

/** Pandoc also ends front matter with "...", which becomes "---" here: the offsets stay the same. */
function withClosingRule(text: string): string {
  if (!/^---[ \t]*\r?\n/.test(text)) return text;
  const end = /^(?:---|\.\.\.)[ \t]*$/gm;
  end.lastIndex = text.indexOf("\n") + 1;
  const at = end.exec(text)?.index;
  return at !== undefined && text[at] === "." ? `${text.slice(0, at)}---${text.slice(at + 3)}` : text;
}

/** Whether the first line that is not a comment begins with the name of a field. */
function namesField(yaml: string): boolean {
  const first = yaml.split("\n").find((line) => line.trim() !== "" && !line.startsWith("#"));
  return first === undefined ? yaml.trim() === "" : /^["']?[\w.-]+["']?[ \t]*:/.test(first);
}

function yamlOf(tree: Node): string {
  const first = tree.children?.[0];
  return first?.type === "yaml" ? (first.value ?? "") : "";
}

/** The fields of the front matter; undefined if there are none, or it cannot be read. */
function frontMatterOf(tree: Node): Record<string, unknown> | undefined {
  const source = yamlOf(tree);
  if (source === "" || source.length > MAX_FRONT_MATTER_UNITS || isDeepYaml(source)) return undefined;
  try {
    // Keys are not checked for being unique: that takes time quadratic in their number.
    const document = parseDocument(source, { logLevel: "error", uniqueKeys: false });
    const value: unknown = document.toJS();
    if (document.errors.length > 0 || typeof value !== "object" || value === null || Array.isArray(value))
      return undefined;
    const title = isMap(document.contents) ? document.get("title", true) : undefined;
    // As it is written: 1.10, not 1.1.
    return isScalar(title) && typeof title.value === "number" ? { ...value, title: title.source } : { ...value };
  } catch {
    return undefined;
  }
}

/**
 * The range of a line without spaces at its ends: there they are separators, of which a stronger one takes the place.
 * Spaces that do not break (U+00A0) are text.
 */
function withoutSpaces(line: string): { start: number; end: number } {
  const isSpace = (at: number) => line[at] === " " || line[at] === "\t";
  let start = 0;
  let end = line.length;
  while (start < end && isSpace(start)) start++;
  while (end > start && isSpace(end - 1)) end--;
  return { start, end };
}

const STRUCK_TAG = /^<(\/?)(del|s|strike)[\s>]/i;

/** The children of a node that are not struck out, by "~~" or by tags of HTML. O(children) */
function unstruckChildren({ children = [] }: Node): Node[] {
  const tags = children.map(({ type, value }) => (type === "html" ? STRUCK_TAG.exec(value ?? "") : null));
  const lastEnds = new Map<string, number>();
  for (const [at, tag] of tags.entries()) if (tag?.[1] === "/") lastEnds.set(tag[2]!.toLowerCase(), at);
  /** The name of the element that is open. */
  let open = "";
  return children.filter(({ type }, at) => {
    const tag = tags[at];
    const name = tag?.[2]?.toLowerCase() ?? "";
    if (open !== "") {
      if (tag?.[1] === "/" && name === open) open = "";
      return false;
    }
    if (tag?.[1] === "" && (lastEnds.get(name) ?? -1) > at) open = name;
    return open === "" && type !== "delete";
  });
}

/** Whether a node has words that are not struck out. */
function hasUnstruckText(node: Node): boolean {
  if (node.type === "html") return false;
  const own = node.value ?? node.alt ?? "";
  return /[\p{L}\p{N}]/u.test(own) || (own === "" && unstruckChildren(node).some(hasUnstruckText));
}

/** Writes the text of Markdown; its marks are lines, or one path for all of a source. */
export class MarkdownWriter {
  readonly builder: TextBuilder;
  readonly #limits: ReadLimits;
  #piece: MarkdownPiece = { text: "", line: 1 };
  #path: string | undefined;
  /** Inside `<sup>`. */
  #isRaised = false;
  /** The text of headings and rows stays on one line. */
  #isOneLine = false;
  /** The block is struck out as a whole: a task that is done, which is kept. */
  #isAllStruck = false;

  constructor(limits: ReadLimits) {
    this.builder = new TextBuilder(limits);
    this.#limits = limits;
  }

  /** Writes Markdown that is a part of its file. @param path  where in the file */
  writeSource(source: string, path: string): void {
    this.#path = path;
    for (const piece of splitMarkdown(source)) {
      if (isPlainlyParsed(piece.text)) this.writePiece(piece, (pieceParser.parse(piece.text) as Node).children ?? []);
      else this.writePlain(piece);
    }
    this.#path = undefined;
  }

  #mark(line: number | undefined, linear = false): SourceMark {
    if (this.#path !== undefined) return { path: this.#path };
    return linear ? { line, linear } : { line };
  }

  writePiece(piece: MarkdownPiece, blocks: Node[]): void {
    this.#piece = piece;
    this.writeBlocks(blocks, "\n\n");
  }

  /** Writes a piece with its marks, as it is in the source. */
  writePlain({ text, line }: MarkdownPiece): void {
    this.builder.separate("\n\n");
    this.builder.write(text.trimEnd(), this.#mark(line, true));
    this.builder.separate("\n\n");
  }

  /** Line in the file where a node begins. */
  #lineOf(node: Node): number | undefined {
    return node.position === undefined ? undefined : node.position.start.line + this.#piece.line - 1;
  }

  writeBlocks(blocks: Node[], separator: Separator): void {
    for (const block of blocks) {
      this.builder.separate(separator);
      this.#writeBlock(block);
      this.builder.separate(separator);
    }
  }

  #writeBlock(block: Node): void {
    const line = this.#lineOf(block);
    this.#isRaised = false;
    this.#isOneLine = block.type === "heading" || block.type === "tableRow";
    this.#isAllStruck = (block.type === "heading" || block.type === "paragraph") && !hasUnstruckText(block);
    switch (block.type) {
      case "heading":
        this.builder.beginHeading(block.depth ?? 1);
        this.#writeInline(block);
        this.builder.endHeading();
        return;
      case "code": {
        // A fence is a line of its own above the code; indented code has none.
        const fenced = /^[`~]/.test(
          this.#piece.text.slice(block.position?.start.offset ?? 0, (block.position?.start.offset ?? 0) + 1),
        );
        this.builder.write(
          block.value ?? "",
          this.#mark(line === undefined ? undefined : line + (fenced ? 1 : 0), true),
        );
        return;
      }
      case "html": {
        const tree = parseFragment(block.value ?? "", {
          sourceCodeLocationInfo: true,
          treeAdapter: limitedTree(this.#limits),
        });
        writeHtmlText(tree, this.builder, { lineOffset: (line ?? 1) - 1, mark: (at) => this.#mark(at) });
        return;
      }
      case "list":
        this.#writeList(block);
        return;
      case "table":
        this.writeBlocks(block.children ?? [], "\n");
        return;
      case "tableRow":
        this.builder.beginRow();
        for (const cell of block.children ?? []) {
          this.builder.beginCell();
          this.#writeInline(cell);
        }
        this.builder.endRow();
        return;
      case "listItem":
        this.writeBlocks(block.children ?? [], block.spread ? "\n\n" : "\n");
        return;
      case "blockquote":
      case "footnoteDefinition":
        this.writeBlocks(block.children ?? [], "\n\n");
        return;
      case "yaml":
      case "toml":
      case "definition":
      case "thematicBreak":
        return;
      default:
        this.#writeInline(block);
    }
  }

  /** Items keep their marks: "• Oil", "2. Close the valve", "☑ Send the invoice". */
  #writeList(list: Node): void {
    const separator = this.#isLoose(list) ? "\n\n" : "\n";
    for (const [n, item] of (list.children ?? []).entries()) {
      this.builder.separate(separator);
      if (typeof item.checked === "boolean") this.builder.beginItem(checkBox(item.checked));
      else this.builder.beginItem(list.ordered ? `${(list.start ?? 1) + n}.` : BULLET);
      this.#writeBlock(item);
      this.builder.endItem();
      this.builder.separate(separator);
    }
  }

  #isLoose(list: Node): boolean {
    return list.spread === true || (list.children ?? []).some((item) => item.spread === true);
  }

  #writeInline(node: Node): void {
    const line = this.#lineOf(node);
    switch (node.type) {
      case "text":
        this.#writeText(node);
        return;
      case "inlineCode":
        this.builder.write(node.value ?? "", this.#mark(line));
        return;
      case "image":
      case "imageReference":
        this.builder.write(node.alt ?? "", this.#mark(line));
        return;
      case "break":
        this.builder.separate("\n");
        return;
      case "html":
        this.#readTag(node.value ?? "");
        return;
      case "footnoteReference":
        return;
      default:
        for (const child of this.#isAllStruck ? (node.children ?? []) : unstruckChildren(node))
          this.#writeInline(child);
    }
  }

  /** A tag inside a block of Markdown: each is a node of its own, next to those of the text. */
  #readTag(tag: string): void {
    if (/^<\/?sup[\s>]/i.test(tag)) this.#isRaised = !tag.startsWith("</");
    const separator = separatorOfTag(tag);
    this.builder.separate(separator !== "" && this.#isOneLine ? " " : separator);
  }

  /** Line breaks inside a paragraph are kept, and each line has its own segment. */
  #writeText(node: Node): void {
    const first = this.#lineOf(node);
    const lines = (node.value ?? "").split(/\r\n|\n|\r/);
    for (const [at, line] of lines.entries()) {
      if (at > 0) this.builder.separate("\n");
      const mark = this.#mark(first === undefined ? undefined : first + at);
      const { start, end } = withoutSpaces(line);
      if (start > 0) this.builder.separate(" ");
      const text = line.slice(start, end);
      this.builder.write(this.#isRaised ? superscript(text) : text, mark);
      if (end < line.length) this.builder.separate(" ");
    }
  }
}
