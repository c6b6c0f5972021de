/** The page of a published site: the engine runs in this browser, on files of a static host. */

import { render } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { openSite, type Site } from "../../../adapters/browser/site.js";
import { documentsLabel } from "../ask-form.js";
import { Page } from "../page.js";
import type { Transport } from "../transport.js";
import { opener, siteTransport, wordsOf } from "./site-transport.js";

/** The site's folder: this script lies in its `assets/`. */
const here = import.meta.url;
const base = new URL("../", here);
const title = document.title;
/** A page that nobody has asked for so long is kept for later all the same. */
const IDLE_MS = 10_000;

/** The service worker fetches the page once more: not before an answer. Without HTTPS there is none; then the page needs a network. */
function keepPage(): void {
  navigator.serviceWorker?.register(new URL("sw.js", base)).catch(() => {});
}

function SitePage() {
  const [site, setSite] = useState<Site | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [loaded, setLoaded] = useState<number | undefined>(undefined);
  const open = useMemo(() => opener(() => openSite(base, { onPhraseProgress: setLoaded })), []);
  const transport = useMemo((): Transport => {
    const all = siteTransport(open, { hasPhrases: site?.hasPhrases ?? false });
    return {
      ...all,
      async ask(question, rest) {
        await all.ask(question, rest);
        const opened = await open();
        setSite(opened);
        setProblem(undefined);
        keepPage();
        opened.keepOffline().catch(() => {}); // the answer is there: no word about what else failed
      },
    };
  }, [site]);
  useEffect(() => {
    open().then(setSite, (error) => setProblem(wordsOf(error)));
  }, []);
  const share = loaded === undefined || loaded >= 1 ? "" : `, loading the model, ${Math.round(loaded * 100)} %`;
  return (
    <Page
      transport={transport}
      title={title}
      idle={site === undefined ? "" : documentsLabel(site.manifest.documents)}
      loading={share}
      problem={problem}
    />
  );
}

const root = document.getElementById("app")!;
root.replaceChildren();
render(<SitePage />, root);
setTimeout(keepPage, IDLE_MS);
