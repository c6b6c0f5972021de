/** Elements of an HTML tree: what they are, and whether their text is visible. */

import type { DefaultTreeAdapterTypes } from "parse5";
import { checkBox } from "../list-marks.js";
import type { Separator } from "../text-builder.js";

export type Node = DefaultTreeAdapterTypes.Node;
export type Element = DefaultTreeAdapterTypes.Element;
export type TextNode = DefaultTreeAdapterTypes.TextNode;

/** Elements whose content is not visible text, or repeats it (furigana, the source of a formula). */
const UNREAD = new Set(
  "annotation annotation-xml audio canvas datalist embed head iframe map math-ml nav noembed noframes noscript object rp rt rtc script select style svg template textarea title video".split(
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

export function isUnread(element: Element): boolean {
  if (UNREAD.has(element.tagName) || (element.tagName === "button" && !isHeading(element))) return true;
  return element.attrs.some(
    ({ name, value }) =>
      name === "hidden" ||
      (name === "aria-hidden" && value === "true") ||
      (name === "style" && /display\s*:\s*none|visibility\s*:\s*hidden/i.test(value)),
  );
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
