/** Marks of list items in HTML, as browsers show them. */

import { BULLET, FORMAT_BY_FIRST, type NumberFormat, numberText } from "../list-marks.js";
import { type Element, isElement, type Node } from "./html-elements.js";
import { attribute } from "./html-navigation.js";

const STYLE = /list-style(?:-type)?\s*:\s*((?:lower|upper)-(?:alpha|latin|roman)|decimal)\b/i;
const STYLES: readonly NumberFormat[] = ["lower-letter", "upper-letter", "lower-roman", "upper-roman", "decimal"];
const UNMARKED = /list-style(?:-type)?\s*:\s*none/i;
/** Larger numbers are not those of a list. */
const MAX_NUMBER = 1_000_000_000;

/** The mark of each item that is a child of `list`; the map is empty for other elements. */
export function itemMarks(list: Element): ReadonlyMap<Node, string> {
  const marks = new Map<Node, string>();
  const { tagName } = list;
  if ((tagName !== "ol" && tagName !== "ul" && tagName !== "menu") || UNMARKED.test(attribute(list, "style") ?? ""))
    return marks;
  const items = list.childNodes.filter((node): node is Element => isElement(node) && node.tagName === "li");
  const style = STYLE.exec(attribute(list, "style") ?? "")?.[1]
    ?.toLowerCase()
    .replace("latin", "letter")
    .replace("alpha", "letter");
  const format =
    STYLES.find((known) => known === style) ?? FORMAT_BY_FIRST.get(attribute(list, "type") ?? "") ?? "decimal";
  const isReversed = attribute(list, "reversed") !== undefined;
  let number = numberOf(list, "start") ?? (isReversed ? items.length : 1);
  for (const item of items) {
    number = numberOf(item, "value") ?? number;
    const mark = tagName === "ol" ? `${numberText(number, format)}.` : BULLET;
    if (!UNMARKED.test(attribute(item, "style") ?? "")) marks.set(item, mark);
    number += isReversed ? -1 : 1;
  }
  return marks;
}

function numberOf(element: Element, name: string): number | undefined {
  const value = attribute(element, name)?.trim() ?? "";
  const number = Number(value);
  return value !== "" && Number.isInteger(number) && Math.abs(number) <= MAX_NUMBER ? number : undefined;
}
