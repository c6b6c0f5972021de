/** `<verbatim-ask>`, without a browser, over a stub of a published site. */

import { afterEach, expect, it, vi } from "vitest";
import { StubNode, stubPage } from "./stub-dom.js";

const ANSWER = {
  ...{ documentId: "ships.txt", title: "Ships", source: "ships.txt", place: { line: 3 }, score: 1 },
  ...{ start: 4, end: 14, text: "Anselm Roe", context: "It was Anselm Roe.", contextStart: -3, shown: "sentence" },
  evidence: [],
};

/** What a custom element inherits. */
class StubElement extends StubNode {
  readonly isConnected = true;
  shadowRoot: StubNode | null = null;

  constructor() {
    super("verbatim-ask");
  }

  attachShadow(): StubNode {
    this.shadowRoot = new StubNode("#shadow");
    return this.shadowRoot;
  }

  getAttribute(name: string): string | null {
    return this.attributes.get(name) ?? null;
  }

  closest(): null {
    return null;
  }
}

afterEach(() => {
  vi.doUnmock("../../adapters/browser/site.js");
  vi.unstubAllGlobals();
});

it("copies links that open the answer on the published site, not on the embedding page", async () => {
  const opened: string[] = [];
  const copied: string[] = [];
  const site = {
    async *ask(question: string) {
      yield { kind: "spans", question, answers: [ANSWER], tookMs: 1 };
    },
  };
  vi.doMock("../../adapters/browser/site.js", () => ({
    openSite: async ({ href }: URL) => {
      opened.push(href);
      return site;
    },
  }));
  stubPage("https://host.example/guide/page.html?chapter=2");
  vi.stubGlobal("HTMLElement", StubElement);
  vi.stubGlobal(
    "CSSStyleSheet",
    class {
      replaceSync(): void {}
    },
  );
  const clipboard = { writeText: async (text: string) => void copied.push(text) };
  vi.stubGlobal("navigator", { languages: ["en"], clipboard });
  let Defined: (new () => StubElement & { connectedCallback(): void }) | undefined;
  const define = (_: string, type: typeof Defined): void => {
    Defined = type;
  };
  vi.stubGlobal("customElements", { get: () => undefined, define });
  const path = "../../web/src/site/element.js";
  await import(path);

  const element = new Defined!();
  element.setAttribute("src", "../answers");
  element.connectedCallback();
  const root = element.shadowRoot!;
  await expect.poll(() => root.all("input").length).toBe(1);
  const [field] = root.all("input");
  field!.dispatch("input", { value: "who?" });
  await expect.poll(() => field!.attributes.get("value")).toBe("who?");
  root.all("form")[0]!.dispatch("submit");
  await expect.poll(() => root.buttons("Link").length).toBe(1);
  root.buttons("Link")[0]!.click();

  expect(opened).toEqual(["https://host.example/answers/"]);
  const link = new URL(copied[0]!);
  expect(link.origin + link.pathname).toBe(opened[0]);
  const { q, doc, start, end } = Object.fromEntries(link.searchParams);
  expect({ q, doc, start, end }).toEqual({ q: "who?", doc: "ships.txt", start: "4", end: "14" });
});
