/** Gives the components below it their texts, and lets the visitor choose the language. */

import { type ComponentChild, type ComponentChildren, createContext, render } from "preact";
import { useContext, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { rememberLanguage, visitorsLanguage } from "./chosen-language.js";
import { LANGUAGE_NAMES, PAGE_LANGUAGES, type PageLanguage } from "./languages.js";
import { ENGLISH, loadTranslator, type Translator } from "./translator.js";
import type { TextKey } from "./types.js";

interface Localisation {
  t: Translator;
  choose: (language: PageLanguage) => void;
}

const Context = createContext<Localisation>({ t: ENGLISH, choose: () => {} });

/** The texts of a component. */
export const useTexts = (): Translator => useContext(Context).t;

/** Shows a page in the visitor's language, in place of what the element contains. */
export async function renderLocalised(page: ComponentChild, root: HTMLElement): Promise<void> {
  const first = await loadTranslator(visitorsLanguage());
  root.replaceChildren();
  render(<LocalisedPage first={first}>{page}</LocalisedPage>, root);
}

/** In the visitor's language, which becomes that of the HTML document. */
function LocalisedPage({ first, children }: { first: Translator; children: ComponentChildren }) {
  const [t, setTranslator] = useState(first);
  useLayoutEffect(() => {
    document.documentElement.lang = t.language;
    document.documentElement.dir = "ltr";
  }, [t]);
  const value = useMemo(
    (): Localisation => ({
      t,
      choose(language) {
        rememberLanguage(language);
        void loadTranslator(language).then(setTranslator);
      },
    }),
    [t],
  );
  return <Context.Provider value={value}>{children}</Context.Provider>;
}

/** In a given language, as a part of another page. */
export function LocalisedPart({ t, children }: { t: Translator; children: ComponentChildren }) {
  const value = useMemo((): Localisation => ({ t, choose: () => {} }), [t]);
  return (
    <Context.Provider value={value}>
      <div lang={t.language} dir="ltr">
        {children}
      </div>
    </Context.Provider>
  );
}

/** A text whose placeholders are replaced by elements. */
export function RichText({ text, values }: { text: TextKey; values: Readonly<Record<string, ComponentChildren>> }) {
  return <>{useTexts().parts<ComponentChildren>(text, values)}</>;
}

export function LanguageChoice() {
  const { t, choose } = useContext(Context);
  return (
    <label class="language">
      {t.text("language")}{" "}
      <select value={t.language} onChange={(event) => choose(event.currentTarget.value as PageLanguage)}>
        {PAGE_LANGUAGES.map((language) => (
          <option key={language} value={language} lang={language}>
            {LANGUAGE_NAMES[language]}
          </option>
        ))}
      </select>
    </label>
  );
}
