/**
 * As much of the DOM as Preact and the page's components need, to test components without a
 * browser: elements, texts, attributes and events. No layout, no selectors.
 */

import { vi } from "vitest";

interface Preact {
  h(component: unknown, props: object): unknown;
  render(component: unknown, root: StubNode): void;
}

// Preact's types would bring those of a browser into all tests, so it is loaded without them.
const preact: string = "preact";
export const { h, render } = (await import(preact)) as Preact;

interface StubEvent {
  type: string;
  currentTarget: object;
  preventDefault(): void;
}

type Listener = (this: StubNode, event: StubEvent) => void;

export class StubNode {
  readonly nodeType: number;
  readonly localName: string;
  readonly namespaceURI = "http://www.w3.org/1999/xhtml";
  readonly style: Record<string, string> = {};
  readonly attributes = new Map<string, string>();
  readonly childNodes: StubNode[] = [];
  parentNode: StubNode | null = null;
  /** The text of a text node. */
  data: string;
  readonly #listeners = new Map<string, Listener>();

  constructor(localName: string, data = "") {
    this.nodeType = localName === "#text" ? 3 : 1;
    this.localName = localName;
    this.data = data;
  }

  get firstChild(): StubNode | null {
    return this.childNodes[0] ?? null;
  }

  get nextSibling(): StubNode | null {
    const siblings = this.parentNode?.childNodes ?? [];
    return siblings[siblings.indexOf(this) + 1] ?? null;
  }

  get textContent(): string {
    return this.data + this.childNodes.map((child) => child.textContent).join("");
  }

  insertBefore(node: StubNode, before: StubNode | null): void {
    node.remove();
    const at = before === null ? this.childNodes.length : this.childNodes.indexOf(before);
    this.childNodes.splice(at, 0, node);
    node.parentNode = this;
  }

  remove(): void {
    const siblings = this.parentNode?.childNodes ?? [];
    if (siblings.includes(this)) siblings.splice(siblings.indexOf(this), 1);
    this.parentNode = null;
  }

  removeChild(node: StubNode): void {
    node.remove();
  }

  setAttribute(name: string, value: unknown): void {
    this.attributes.set(name, String(value));
  }

  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, listener);
  }

  removeEventListener(type: string): void {
    this.#listeners.delete(type);
  }

  /** @param currentTarget  what the listener sees of this element */
  dispatch(type: string, currentTarget: object = this): void {
    this.#listeners.get(type)?.call(this, { type, currentTarget, preventDefault: () => {} });
  }

  click(): void {
    this.dispatch("click");
  }

  // what a component does with an element of its own
  showModal(): void {}
  querySelector(): null {
    return null;
  }
  getRootNode(): { activeElement: null } {
    return { activeElement: null };
  }
  contains(): boolean {
    return false;
  }

  /** The elements inside this one that have this name. */
  all(localName: string): StubNode[] {
    return this.childNodes.flatMap((child) => [
      ...(child.localName === localName ? [child] : []),
      ...child.all(localName),
    ]);
  }

  /** The buttons with this text. */
  buttons(text: string): StubNode[] {
    return this.all("button").filter(({ textContent }) => textContent === text);
  }

  /** The texts of the `mark` elements, those of a class as "class: text". */
  marks(): string[] {
    return this.all("mark").map(({ attributes, textContent }) =>
      attributes.has("class") ? `${attributes.get("class")}: ${textContent}` : textContent,
    );
  }
}

/**
 * Stubs `document` and `location` until `vi.unstubAllGlobals`.
 * @returns what shows a component, and shows it again with other props
 */
export function stubPage(address: string): { root: StubNode; show: (component: unknown) => void } {
  vi.stubGlobal("document", {
    createElementNS: (_: string, name: string) => new StubNode(name),
    createTextNode: (data: string) => new StubNode("#text", data),
    baseURI: address,
  });
  vi.stubGlobal("location", new URL(address));
  const root = new StubNode("body");
  return { root, show: (component) => render(component, root) };
}
