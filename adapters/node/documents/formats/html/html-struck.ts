/** Text of HTML that is struck out. */

import { BLOCKS, type Element, isCell, isElement, isText, isUnread, type Node } from "./html-elements.js";

const STRUCK = new Set(["del", "s", "strike"]);

/**
 * Finds the elements that are struck out and so no longer valid. A paragraph or list item that is struck out as a whole
 * is kept: it is a task that is done, not a correction.
 */
export class StruckText {
  /** By block: whether its own lines have text that is not struck out. */
  readonly #hasOther = new Map<Element, boolean>();

  /** Whether the text of an element is left out. Linear in the tree for all of its elements. */
  isLeftOut(element: Element): boolean {
    if (!isStruck(element) || element.childNodes.some((node) => isElement(node) && isBlock(node))) return false;
    const block = blockOf(element);
    if (block === undefined) return false;
    if (isCell(block)) return true;
    let hasOther = this.#hasOther.get(block);
    if (hasOther === undefined) {
      hasOther = hasUnstruckText(block);
      this.#hasOther.set(block, hasOther);
    }
    return hasOther;
  }
}

function isStruck({ tagName }: Element): boolean {
  return STRUCK.has(tagName);
}

function isBlock(element: Element): boolean {
  return BLOCKS.has(element.tagName) || isCell(element);
}

/** The innermost block that holds an element. */
function blockOf(element: Element): Element | undefined {
  for (let { parentNode: node } = element; node !== null && isElement(node); { parentNode: node } = node)
    if (isBlock(node)) return node;
  return undefined;
}

/** Whether a block has words outside of struck-out elements and of the blocks in it. */
function hasUnstruckText(block: Element): boolean {
  const stack: Node[] = [...block.childNodes];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (isText(node)) {
      if (/[\p{L}\p{N}]/u.test(node.value)) return true;
    } else if (isElement(node) && !isBlock(node) && !isStruck(node) && !isUnread(node)) {
      for (const child of node.childNodes) stack.push(child);
    }
  }
  return false;
}
