/** What is shown before the first question: progress, examples, what is indexed, how to add files. */

import { useEffect, useState } from "preact/hooks";
import type { Opened } from "./address.js";
import { type Overview, overview, type Status } from "./api.js";

interface Props {
  status: Status | undefined;
  mayWrite: boolean;
  ask: (question: string) => void;
  open: (place: Opened) => void;
}

export function Start({ status, mayWrite, ask, open }: Props) {
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
        <section aria-label="Progress">
          <p>
            {status.documents === 0
              ? "The first documents are being indexed. You can ask already: the question waits for them."
              : "Documents are being indexed. Answers come from those that are ready."}
          </p>
          <progress aria-label="Indexing" {...(job.progress === null ? {} : { value: job.progress })} />
        </section>
      )}
      {questions.length > 0 && (
        <section>
          <h2>Try a question</h2>
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
          <h2>Newest documents</h2>
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
                <span class="quiet">{metadata["file.modified"]}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {folders.length > 1 && (
        <section>
          <h2>Folders</h2>
          <ul>
            {folders.map(({ folder, documents }) => (
              <li key={folder}>
                <span dir="auto">{folder === "" ? "(no folder)" : folder}</span>
                <span class="quiet">{documents.toLocaleString("en")}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {!mayWrite && (
        <p class="quiet">
          {status.writable
            ? "To add files, put them in a served folder, or open the address that the server printed: it has the token."
            : "This server is read-only: documents are added with verbatim index."}
        </p>
      )}
    </div>
  );
}
