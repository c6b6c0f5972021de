/** What is shown before the first question: progress, examples, what is indexed, how to add files. */

import { useEffect, useState } from "preact/hooks";
import type { Opened } from "./address.js";
import { type Overview, overview, type Status } from "./api.js";
import { useTexts } from "./texts/localised.js";

interface Props {
  status: Status | undefined;
  mayWrite: boolean;
  ask: (question: string) => void;
  open: (place: Opened) => void;
}

export function Start({ status, mayWrite, ask, open }: Props) {
  const t = useTexts();
  const [shown, setShown] = useState<Overview | undefined>(undefined);
  const mayAsk = status !== undefined && status.scope !== null;
  const version = status?.version ?? 0;
  useEffect(() => {
    if (mayAsk) overview().then(setShown, () => {}); // the page works without it
  }, [mayAsk, version]);
  if (!mayAsk) return null;
  const [job] = status.jobs;
  const { newest = [], folders = [], questions = [] } = shown ?? {};
  return (
    <div class="start">
      {job !== undefined && (
        <section aria-label={t.text("progress")}>
          <p>{t.text(status.documents === 0 ? "firstDocuments" : "moreDocuments")}</p>
          <progress aria-label={t.text("indexing")} {...(job.progress === null ? {} : { value: job.progress })} />
        </section>
      )}
      {questions.length > 0 && (
        <section>
          <h2>{t.text("tryQuestion")}</h2>
          <ul>
            {questions.map((question) => (
              <li key={question}>
                <button type="button" class="link" dir="auto" onClick={() => ask(question)}>
                  {question}
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      {newest.length > 0 && (
        <section>
          <h2>{t.text("newestDocuments")}</h2>
          <ul>
            {newest.map(({ id, title, source, metadata }) => (
              <li key={id}>
                <button
                  type="button"
                  class="link"
                  dir="auto"
                  title={source}
                  onClick={() => open({ id, start: 0, end: 0 })}
                >
                  {title}
                </button>
                <span class="quiet">{t.day(String(metadata["file.modified"] ?? ""))}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {folders.length > 1 && (
        <section>
          <h2>{t.text("folders")}</h2>
          <ul>
            {folders.map(({ folder, documents }) => (
              <li key={folder}>
                <span dir="auto">{folder === "" ? t.text("noFolder") : folder}</span>
                <span class="quiet">{t.number(documents)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {!mayWrite && <p class="quiet">{t.text(status.writable ? "howToAdd" : "readOnly")}</p>}
    </div>
  );
}
