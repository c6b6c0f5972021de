/** MathML as one line of text (W3C MathML Core): "x=(a+b)/2", "5⋅10⁶", "√(x+1)". */

import { grouped, lowered, raised, raisedDigits } from "../office/docx-equations.js";
import { type Element, isElement, isText, type Node, type TextNode } from "./html-elements.js";
import { attribute } from "./html-navigation.js";

/** The source of a formula, and what is not shown. */
const UNREAD = new Set(["annotation", "annotation-xml", "mphantom"]);
/** Function application is shown as a space; other invisible operators as nothing. */
const INVISIBLE = /[\u2062-\u2064\u200b]/g;
const FUNCTION_APPLICATION = /\u2061/g;
/** Signs above a letter, as characters that combine with it. */
const ACCENTS: Readonly<Record<string, string>> = {
  ...{ "¯": "\u0304", "‾": "\u0304", "^": "\u0302", ˆ: "\u0302", "~": "\u0303", "˜": "\u0303" },
  ...{ "→": "\u20d7", "˙": "\u0307", "¨": "\u0308" },
};

/** The text of a `<math>` element. The stack is explicit because trees may be deeper than the call stack. */
export function mathText(math: Element): string {
  const texts = new Map<Node, string>();
  const stack: { node: Node; isDone: boolean }[] = [{ node: math, isDone: false }];
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    const { node, isDone } = step;
    if (isText(node)) texts.set(node, shownCharacters(node));
    else if (!isElement(node) || UNREAD.has(node.tagName)) continue;
    else if (isDone) {
      texts.set(node, shown(node, partsOf(node, texts)));
      for (const child of node.childNodes) texts.delete(child);
    } else {
      stack.push({ node, isDone: true });
      for (const child of node.childNodes) stack.push({ node: child, isDone: false });
    }
  }
  return texts.get(math) ?? "";
}

function shownCharacters({ value, parentNode }: TextNode): string {
  const isToken = /^m[ino]$/.test(parentNode?.nodeName ?? "");
  return (isToken ? value.trim() : value)
    .replace(/[ \t\r\n]+/g, " ")
    .replace(INVISIBLE, "")
    .replace(FUNCTION_APPLICATION, " ");
}

/** The texts of the children: space between elements is not part of a formula. */
function partsOf(element: Element, texts: ReadonlyMap<Node, string>): string[] {
  const elements = element.childNodes.filter(isElement);
  const children = elements.length > 0 ? elements : element.childNodes;
  return children.flatMap((child) => texts.get(child) ?? []);
}

function shown(element: Element, parts: string[]): string {
  const [base = "", second = "", third = ""] = parts;
  switch (element.tagName) {
    case "mfrac":
      return `${grouped(base)}/${grouped(second)}`;
    case "msqrt":
      return `√${grouped(joined(parts))}`;
    case "mroot":
      return `${raisedDigits(second) ?? grouped(second)}√${grouped(base)}`;
    case "msup":
      return base + raised(second);
    case "msub":
    case "munder":
      return base + lowered(second);
    case "mover":
      return base + ((second.length === 1 ? ACCENTS[second] : undefined) ?? raised(second));
    case "msubsup":
    case "munderover":
      return base + lowered(second) + raised(third);
    case "mfenced":
      return (attribute(element, "open") ?? "(") + joined(parts, ",") + (attribute(element, "close") ?? ")");
    case "mtr":
      return joined(parts, " ");
    case "mtable":
      return joined(parts, "; ");
    case "mspace":
      return " ";
    default:
      return joined(parts);
  }
}

/** Not `join`, which would copy the texts at each level. */
function joined(parts: readonly string[], separator = ""): string {
  return parts.reduce((text, part, i) => (i === 0 ? part : text + separator + part), "");
}
