/**
 * `<verbatim-ask src="/answers/">`: asks a published site from any page of its host. It renders
 * into a shadow root, does not affect the styles and scripts of the page, and works with a strict
 * content security policy ('wasm-unsafe-eval' for exact answers).
 */

import { render } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { openSite, type Site } from "../../../adapters/browser/site.js";
import { siteAddress } from "../../../adapters/browser/site-address.js";
import type { Opened } from "../address.js";
import { Answers } from "../answers.js";
import { AskForm, StatusLine } from "../ask-form.js";
import { DocumentView } from "../document.js";
import { KeepFocus } from "../keep-focus.js";
import css from "../page.css?inline";
import { bestLanguage } from "../texts/languages.js";
import { LocalisedPart, useTexts } from "../texts/localised.js";
import { loadTranslator } from "../texts/translator.js";
import { useAsking } from "../use-asking.js";
import { opener, siteTransport } from "./site-transport.js";

/**
 * The page's colours apply to the element. It has the background of the embedding page, so it has
 * that page's colour scheme too, which the visitor's system does not determine.
 */
const OWN_CSS = `${css.replaceAll(":root", ":host")}
:host { display: block; color-scheme: inherit; color: var(--ink); font: 1rem / 1.55 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; overflow-wrap: anywhere; }`;

interface BoxProps {
  /** The site's address. @throws TypeError if `src` is not an address */
  address: () => URL;
  open: () => Promise<Site>;
  hasPhrases: boolean;
  placeholder: string | undefined;
}

function AskBox({ address, open, hasPhrases, placeholder }: BoxProps) {
  const t = useTexts();
  const [typed, setTyped] = useState("");
  const [opened, setOpened] = useState<Opened | undefined>(undefined);
  const field = useRef<HTMLInputElement>(null);
  const transport = useMemo(() => siteTransport(open, { hasPhrases }), [open]);
  const { result, busy, fresh, error, run } = useAsking(transport);
  return (
    <div>
      <AskForm
        typed={typed}
        onType={setTyped}
        onAsk={(question) => void run(question)}
        field={field}
        placeholder={placeholder ?? t.text("askTheseDocuments")}
      />
      <StatusLine idle="" result={result} busy={busy} fresh={fresh} />
      {error !== undefined && <p role="alert">{error}</p>}
      <div aria-busy={busy}>
        <KeepFocus list={result && `${result.kind} ${result.question}`}>
          {result !== undefined && <Answers result={result} open={setOpened} transport={transport} base={address()} />}
        </KeepFocus>
      </div>
      {opened !== undefined && (
        <DocumentView opened={opened} close={() => setOpened(undefined)} transport={transport} />
      )}
    </div>
  );
}

class VerbatimAsk extends HTMLElement {
  #opened: Site | undefined;

  connectedCallback(): void {
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(OWN_CSS);
    root.adoptedStyleSheets = [sheet];
    const src = this.getAttribute("src") ?? "./";
    const { baseURI } = document; // another one once the embedding page changes its address
    const address = (): URL => siteAddress(src, baseURI);
    // Nothing is fetched before the first question.
    const open = opener(async () => {
      this.#opened = await openSite(address());
      return this.#opened;
    });
    const placeholder = this.getAttribute("placeholder") ?? undefined;
    // the language of the embedding page, where that names one
    const own = this.closest<HTMLElement>("[lang]")?.lang;
    const language = bestLanguage(own ? [own, ...navigator.languages] : navigator.languages);
    void loadTranslator(language).then((t) => {
      if (!this.isConnected) return;
      render(
        <LocalisedPart t={t}>
          <AskBox address={address} open={open} hasPhrases={true} placeholder={placeholder} />
        </LocalisedPart>,
        root,
      );
    });
  }

  disconnectedCallback(): void {
    if (this.shadowRoot !== null) render(null, this.shadowRoot);
    this.#opened?.close();
  }
}

if (customElements.get("verbatim-ask") === undefined) customElements.define("verbatim-ask", VerbatimAsk);
