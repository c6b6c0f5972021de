/** Elements of an HTML tree: what they are, and whether their text is visible. */

import type { DefaultTreeAdapterTypes } from "parse5";
import { checkBox } from "../list-marks.js";
import type { Separator } from "../text-builder.js";
import { attribute } from "./html-navigation.js";

export type Node = DefaultTreeAdapterTypes.Node;
export type Element = DefaultTreeAdapterTypes.Element;
export type TextNode = DefaultTreeAdapterTypes.TextNode;

/** Elements whose content is not visible text, or repeats it (furigana, the source of a formula). */
const UNREAD = new Set(
  "annotation annotation-xml audio canvas datalist embed head iframe map nav noembed noframes noscript object rp rt rtc script select style svg template textarea title video".split(
    " ",
  ),
);

/** What separates the text of an element from the rest; inline elements are not listed. */
export const BLOCKS: ReadonlyMap<string, Separator> = new Map([
  ..."address article aside blockquote body center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html main menu ol p pre section summary table ul"
    .split(" ")
    .map((name): [string, Separator] => [name, "\n\n"]),
  ..."caption dd dt legend li optgroup option tbody tfoot thead tr"
    .split(" ")
    .map((name): [string, Separator] => [name, "\n"]),
]);

/**
 * What separates the text before a tag from the text after it; "" for a tag inside a line.
 * @param tag  a start or end tag, as it is written
 */
export function separatorOfTag(tag: string): Separator {
  const name = /^<\/?([a-z][a-z0-9-]*)/i.exec(tag)?.[1]?.toLowerCase() ?? "";
  if (name === "br") return " ";
  return name === "td" || name === "th" ? " | " : (BLOCKS.get(name) ?? "");
}

export function isElement(node: Node): node is Element {
  return "tagName" in node;
}

export function isText(node: Node): node is TextNode {
  return node.nodeName === "#text";
}

export function isCell({ tagName }: Element): boolean {
  return tagName === "td" || tagName === "th";
}

/** Whether the text of an element is not part of the page. Text that one click shows is. */
export function isUnread(element: Element): boolean {
  if (UNREAD.has(element.tagName)) return true;
  if (element.tagName === "button" && !isHeading(element) && !isQuestion(element)) return true;
  return isHidden(element) && !isFolded(element) && !isFormula(element) && !isNote(element);
}

function isHidden(element: Element): boolean {
  return element.attrs.some(
    ({ name, value }) =>
      name === "hidden" ||
      (name === "aria-hidden" && value === "true") ||
      (name === "style" && /display\s*:\s*none|visibility\s*:\s*hidden/i.test(value)),
  );
}

/** MediaWiki hides the MathML of a formula behind an image of it. */
function isFormula(element: Element): boolean {
  return attribute(element, "class")?.includes("mwe-math-mathml") ?? false;
}

const NOTES = new Set(
  "footnote footnotes endnote endnotes rearnote rearnotes doc-footnote doc-endnote doc-endnotes".split(" "),
);

/** Programs for books show a hidden note at its reference (EPUB Structural Semantics Vocabulary, DPUB-ARIA). */
function isNote(element: Element): boolean {
  const types = [attribute(element, "epub:type"), attribute(element, "role")].join(" ").split(/\s/);
  return types.some((type) => NOTES.has(type));
}

/** Hidden elements with these roles are controls or messages. */
const CONTROLS = new Set("alert alertdialog dialog listbox menu status tooltip".split(" "));
/** A question or an answer has at least this many words. */
const MIN_WORDS = 3;

/** A hidden tab, section or answer: the element before it opens it, or is its heading. */
function isFolded(element: Element): boolean {
  const role = attribute(element, "role") ?? "";
  if (attribute(element, "hidden") === "until-found" || role === "tabpanel") return true;
  if (!BLOCKS.has(element.tagName) || element.tagName === "dialog" || CONTROLS.has(role)) return false;
  const before = elementBefore(element);
  if (before === undefined) return false;
  return opensText(before) || (/^(?:h[2-6]|dt)$/.test(before.tagName) && wordsIn(element) >= MIN_WORDS);
}

/** Whether an element, or the first one in it, is a control with `aria-expanded` that opens no menu. */
function opensText(element: Element): boolean {
  let inner: Element | undefined = element;
  for (let level = 0; level < 3 && inner !== undefined; level++) {
    if (attribute(inner, "aria-expanded") !== undefined) return attribute(inner, "aria-haspopup") === undefined;
    inner = inner.childNodes.slice(0, MAX_IN_HEADING).find(isElement);
  }
  return false;
}

/** A button that opens an answer. Others, such as "Menu", have fewer words. */
function isQuestion(button: Element): boolean {
  return opensText(button) && wordsIn(button) >= MIN_WORDS;
}

/** Words at the beginning of an element, up to MIN_WORDS. */
function wordsIn(element: Element): number {
  let words = 0;
  const stack: Node[] = [element];
  for (let visited = 0; visited < 100 && words < MIN_WORDS; visited++) {
    const node = stack.pop();
    if (node === undefined) break;
    if (isText(node)) words += node.value.slice(0, 200).split(/\s+/).filter(Boolean).length;
    else if ("childNodes" in node) stack.push(...node.childNodes.slice(0, 20).reverse());
  }
  return words;
}

function elementBefore(element: Element): Element | undefined {
  const siblings = element.parentNode?.childNodes ?? [];
  if (siblings.length > MAX_SIBLINGS) return undefined;
  return siblings.slice(0, siblings.indexOf(element)).findLast(isElement);
}

/** Pages that fold their sections have a button in each heading, with all of its text. */
function isHeading(button: Element): boolean {
  let inner: Node = button;
  let parent: Node | null = button.parentNode;
  if (parent !== null && isElement(parent) && parent.tagName === "span") {
    inner = parent;
    parent = parent.parentNode;
  }
  if (parent === null || !isElement(parent) || !/^(?:h[1-6]|dt|summary)$/.test(parent.tagName)) return false;
  return (
    parent.childNodes.length <= MAX_IN_HEADING && parent.childNodes.every((node) => node === inner || isBlank(node))
  );
}

/** A heading of more parts is not only a button. */
const MAX_IN_HEADING = 10;

/** White space, a comment, or an empty element such as an icon. */
function isBlank(node: Node): boolean {
  return isText(node) ? node.value.trim() === "" : !("childNodes" in node) || node.childNodes.length === 0;
}

/**
 * The sign for a check box that says something: it cannot be changed, or belongs to no form because it has no name, or
 * it is checked and has a text behind it. Others are controls of a page.
 */
export function tickOf(element: Element): string | undefined {
  if (element.tagName !== "input") return undefined;
  const attributes = new Map(element.attrs.map(({ name, value }) => [name, value.toLowerCase()]));
  if (!/^(?:checkbox|radio)$/.test(attributes.get("type") ?? "")) return undefined;
  const isChecked = attributes.has("checked");
  const isControl = !attributes.has("disabled") && (attributes.has("name") || attributes.has("id"));
  if (isControl && !(isChecked && hasLabelBehind(element))) return undefined;
  return checkBox(isChecked);
}

/** Among more siblings, the next one is not looked for: that would take quadratic time. */
const MAX_SIBLINGS = 1000;

function hasLabelBehind(element: Element): boolean {
  const siblings = element.parentNode?.childNodes ?? [];
  if (siblings.length > MAX_SIBLINGS) return false;
  const behind = siblings.indexOf(element) + 1;
  const next = siblings.slice(behind, behind + 2).find((node) => !isBlank(node));
  return next !== undefined && (isText(next) || (isElement(next) && next.tagName === "label"));
}
