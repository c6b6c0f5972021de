/**
 * Finds menus, breadcrumbs and the like in an HTML page: text that repeats on every page of a site and answers
 * nothing.
 */

import type { DefaultTreeAdapterTypes } from "parse5";

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

/** WAI-ARIA 1.2 roles of parts that are for moving around. */
const ROLES = new Set("navigation menu menubar search toolbar tablist doc-toc doc-index doc-pagelist".split(" "));

/** Elements that may be a menu as a whole. */
const CONTAINERS = new Set("aside center div dl footer header menu ol p section table td ul".split(" "));

/** Words in the class or id of menus. */
const NAMES =
  /(?:^|[\s_-])(?:nav|navbar|navigation|navi|sidebar|sphinxsidebar|submenu|topbar|breadcrumbs?|pagination|pager|skip-?link|skip-?nav|site-?header|site-?footer|nav-?(?:bar|links|list|wrapper|header|footer))(?:$|[\s_-])/i;

/** Words that other parts have as well: a menu of dishes, related products. */
const AMBIGUOUS_NAMES = /(?:^|[\s_-])(?:menu|toc|related)(?:$|[\s_-])/i;

/** A container with a name of menus is one if this share of its text is in links; … */
const NAMED_LINK_SHARE = 0.5;
/** … one with an ambiguous name, or in a place where pages have menus, if nearly all of it is. */
const LINK_SHARE = 0.85;
const MIN_LINKS = 4;
/** A paragraph without links that is longer belongs to the content. */
const PROSE_UNITS = 80;
/** Next to a `<main>` of at least this length, parts with neither a heading `h1` nor a paragraph are not content. */
const MIN_MAIN_UNITS = 400;
/** A page that would keep less than this is a list of links, and is left unchanged. */
const MIN_LEFT_UNITS = 100;
const MIN_LEFT_SHARE = 0.3;

interface Counts {
  /** Characters without white space. */
  text: number;
  linked: number;
  links: number;
  /** Holds an `h1` or a paragraph of the content. */
  content: boolean;
}

interface Visit {
  node: Node;
  /** True once everything below is counted. */
  done: boolean;
  inMain: boolean;
}

/** An element that may be a menu. Places are characters of the page without white space. */
interface Candidate {
  element: Element;
  inMain: boolean;
  from: number;
  to: number;
}

/**
 * The elements of a page to skip: `<nav>`, elements with such a role, link lists with a name such as "sidebar", and
 * link lists outside of `<main>`, or in a page without it before the first paragraph or after the last. O(page)
 */
export function navigationOf(root: Node): ReadonlySet<Element> {
  const page = new CountedPage(root);
  const skipped = new Set<Element>();
  let removed = 0;
  let coveredFrom = Infinity;
  // From the end, so that an element comes before those inside it.
  for (const candidate of page.candidates.reverse()) {
    if (candidate.from >= coveredFrom || !page.isToSkip(candidate)) continue;
    skipped.add(candidate.element);
    removed += page.counts.get(candidate.element)!.text;
    coveredFrom = candidate.from;
  }
  const left = page.length - removed;
  return left < MIN_LEFT_UNITS && left < MIN_LEFT_SHARE * page.length ? new Set() : skipped;
}

/** What the nodes of a page hold, and where its content is. */
class CountedPage {
  readonly counts = new Map<Node, Counts>();
  /** In the order of their ends. */
  readonly candidates: Candidate[] = [];
  /** Characters without white space; while counting: of what has been passed. */
  length = 0;
  readonly #starts = new Map<Node, number>();
  readonly #holdsMain = new Set<Node>();
  #mainUnits = 0;
  #firstProse = Infinity;
  #lastProse = 0;

  constructor(root: Node) {
    const stack: Visit[] = [{ node: root, done: false, inMain: false }];
    for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
      const { node } = visit;
      if (visit.done) this.#close(node, visit.inMain);
      else if (node.nodeName === "#text") this.#text(node as DefaultTreeAdapterTypes.TextNode);
      else if ("childNodes" in node && !isInvisible(node)) {
        this.#starts.set(node, this.length);
        const isMain = "tagName" in node && (node.tagName === "main" || attribute(node, "role") === "main");
        if (isMain) this.#noteMain(node);
        stack.push({ ...visit, done: true });
        const below = { done: false, inMain: visit.inMain || isMain };
        for (let i = node.childNodes.length - 1; i >= 0; i--) stack.push({ node: node.childNodes[i]!, ...below });
      }
    }
  }

  isToSkip({ element, inMain, from, to }: Candidate): boolean {
    const counts = this.counts.get(element)!;
    const isOutside = this.#mainUnits >= MIN_MAIN_UNITS && !inMain && !this.#holdsMain.has(element);
    if (isOutside && !counts.content) return true;
    const isBeforeOrAfter = this.#firstProse < Infinity && (to <= this.#firstProse || from >= this.#lastProse);
    return isMenu(element, counts, this.#holdsMain.size > 0 ? !inMain : isBeforeOrAfter);
  }

  #text(node: DefaultTreeAdapterTypes.TextNode): void {
    const text = node.value.replace(/\s+/g, "").length;
    this.counts.set(node, { text, linked: 0, links: 0, content: false });
    this.length += text;
  }

  #noteMain(main: Node): void {
    for (let node: Node | null = main; node !== null && !this.#holdsMain.has(node); node = parentOf(node)) {
      this.#holdsMain.add(node);
    }
  }

  /** Everything below the node is counted. */
  #close(node: Node, inMain: boolean): void {
    const sum = sumOf(node, this.counts);
    this.counts.set(node, sum);
    if (!("tagName" in node)) return;
    if (isLink(node)) {
      sum.links++;
      sum.linked = sum.text;
    }
    const from = this.#starts.get(node)!;
    const isProse = sum.text - sum.linked > PROSE_UNITS && isParagraph(node, this.counts);
    if (isProse) {
      this.#firstProse = Math.min(this.#firstProse, from);
      this.#lastProse = this.length;
    }
    sum.content ||= node.tagName === "h1" || isProse;
    if (node.tagName === "main") this.#mainUnits = Math.max(this.#mainUnits, sum.text);
    if (CONTAINERS.has(node.tagName) || isNavigation(node)) {
      this.candidates.push({ element: node, inMain, from, to: this.length });
    }
  }
}

function isMenu(element: Element, { text, linked, links }: Counts, atRim: boolean): boolean {
  if (isNavigation(element)) return true;
  if (text === 0 || links === 0) return false;
  const share = linked / text;
  const names = `${attribute(element, "class") ?? ""} ${attribute(element, "id") ?? ""}`;
  if (NAMES.test(names) && share >= NAMED_LINK_SHARE) return true;
  if (share < LINK_SHARE) return false;
  return AMBIGUOUS_NAMES.test(names) || (atRim && links >= MIN_LINKS);
}

function isNavigation(element: Element): boolean {
  return element.tagName === "nav" || ROLES.has(attribute(element, "role") ?? "");
}

/** Addresses of people and files, which are content. */
const CONTENT_LINK = /^\s*(?:mailto|tel):|\.(?:pdf|docx?|xlsx?|pptx?|odt|ods)$/i;

/** A link to another page: an anchor without `href` is a target. */
function isLink(element: Element): boolean {
  const address = element.tagName === "a" ? attribute(element, "href") : undefined;
  return address !== undefined && !CONTENT_LINK.test(address);
}

function isInvisible(node: Node): boolean {
  return "tagName" in node && /^(head|script|style|template|noscript|svg)$/.test(node.tagName);
}

/** A paragraph, or text directly in a larger part. */
function isParagraph(element: Element, counts: ReadonlyMap<Node, Counts>): boolean {
  if (/^(p|pre|dd|blockquote)$/.test(element.tagName)) return true;
  if (!/^(li|td|div|section)$/.test(element.tagName)) return false;
  let own = 0;
  for (const child of element.childNodes) if (child.nodeName === "#text") own += counts.get(child)!.text;
  return own > PROSE_UNITS / 2;
}

function parentOf(node: Node): Node | null {
  return "parentNode" in node ? node.parentNode : null;
}

function sumOf(node: Node, counts: ReadonlyMap<Node, Counts>): Counts {
  const sum: Counts = { text: 0, linked: 0, links: 0, content: false };
  if (!("childNodes" in node)) return sum;
  for (const child of node.childNodes) {
    const counted = counts.get(child);
    if (counted === undefined) continue;
    const { text, linked, links, content } = counted;
    sum.content ||= content;
    sum.text += text;
    sum.linked += linked;
    sum.links += links;
  }
  return sum;
}

/**
 * True for a link that is not text of the page: "Skip to content", or "¶", "#", "§" for the address of its own
 * heading.
 */
export function isPageAid(element: Element): boolean {
  if (element.tagName !== "a" || !attribute(element, "href")?.includes("#")) return false;
  const [only] = element.childNodes;
  if (element.childNodes.length !== 1 || only?.nodeName !== "#text") return false;
  const text = (only as DefaultTreeAdapterTypes.TextNode).value.trim();
  return /^(?:[¶§#🔗]|skip to [\p{L} ]{1,30})$/iu.test(text);
}

export function attribute(element: Element, name: string): string | undefined {
  return element.attrs.find((each) => each.name === name)?.value;
}
