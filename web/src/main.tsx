/** The page of a server: questions, a token if the server needs one, and uploads. */

import { useState } from "preact/hooks";
import { server, setToken, takeToken } from "./api.js";
import { documentsLabel } from "./ask-form.js";
import { Files } from "./files.js";
import { Page } from "./page.js";
import type { PdfView } from "./pdf/pdf-view.js";
import { useStatus } from "./server/use-status.js";
import { Start } from "./start.js";
import { renderLocalised, useTexts } from "./texts/localised.js";

/** pdf.js is larger than the page, so it comes with the first PDF. */
const loadPdfView = async (): Promise<typeof PdfView> => (await import("./pdf/pdf-view.js")).PdfView;

function ServerPage() {
  const t = useTexts();
  const { now, problem, look } = useStatus();
  const [job] = now?.scope === null ? [] : (now?.jobs ?? []);
  const share = job?.progress;
  const indexing =
    job && (share ? t.text("indexingShare", { percent: t.percent(share) }) : t.text("indexingDocuments"));
  const mayWrite = now?.writable === true && (now.scope === "write" || now.scope === "admin");
  return (
    <Page
      transport={server}
      loadPdfView={loadPdfView}
      title="Verbatim"
      folder="/"
      idle={now === undefined || now.scope === null ? "" : documentsLabel(now.documents, t)}
      first={indexing}
      problem={problem === undefined ? undefined : t.error(problem, "somethingWrong")}
      notice={(again) =>
        now?.tokenNeeded &&
        now.scope === null && (
          <TokenForm
            onToken={async (token) => {
              setToken(token);
              await look();
              again();
            }}
          />
        )
      }
      start={({ ask, open }) => <Start status={now} mayWrite={mayWrite} ask={ask} open={open} />}
      footer={
        <>
          {" · "}
          <a href="/docs">API</a>
        </>
      }
    >
      <Files mayWrite={mayWrite} onChange={look} />
    </Page>
  );
}

function TokenForm({ onToken }: { onToken: (token: string) => void }) {
  const t = useTexts();
  const [token, setValue] = useState("");
  return (
    <form
      class="token"
      onSubmit={(event) => {
        event.preventDefault();
        onToken(token.trim());
      }}
    >
      <label>
        {t.text("tokenNeeded")}{" "}
        <input
          type="password"
          autoComplete="current-password"
          value={token}
          onInput={(event) => setValue(event.currentTarget.value)}
        />
      </label>
      <button type="submit">{t.text("useToken")}</button>
    </form>
  );
}

takeToken();
void renderLocalised(<ServerPage />, document.getElementById("app")!);
