/**
 * The page of a published site: the engine runs in this browser and reads files of a static host.
 */

import { useEffect, useMemo, useState } from "preact/hooks";
import { openSite, type Site } from "../../../adapters/browser/site.js";
import { documentsLabel } from "../ask-form.js";
import { Page } from "../page.js";
import { renderLocalised, useTexts } from "../texts/localised.js";
import type { Transport } from "../transport.js";
import { asRequestError, opener, siteTransport } from "./site-transport.js";

/** This script is in the folder `assets/` of the site. */
const here = import.meta.url;
const base = new URL("../", here);
const title = document.title;
/** The page is stored for offline use after this time, even if no question was asked. */
const IDLE_MS = 10_000;

/**
 * Starts the service worker, which fetches the page again: only after an answer. Browsers have
 * service workers only with HTTPS.
 */
function keepPage(): void {
  navigator.serviceWorker?.register(new URL("sw.js", base)).catch(() => {});
}

function SitePage() {
  const t = useTexts();
  const [site, setSite] = useState<Site | undefined>(undefined);
  const [problem, setProblem] = useState<unknown>(undefined);
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
        // the answer is on the page, so this failure is not reported
        opened.keepOffline().catch(() => {});
      },
    };
  }, [site]);
  useEffect(() => {
    asRequestError(open).then(setSite, setProblem);
  }, []);
  const share = loaded === undefined || loaded >= 1 ? "" : t.text("loadingModel", { percent: t.percent(loaded) });
  return (
    <Page
      transport={transport}
      title={title}
      folder={base.pathname}
      idle={site === undefined ? "" : documentsLabel(site.manifest.documents, t)}
      loading={share}
      problem={problem === undefined ? undefined : t.error(problem, "somethingWrong")}
    />
  );
}

void renderLocalised(<SitePage />, document.getElementById("app")!);
setTimeout(keepPage, IDLE_MS);
