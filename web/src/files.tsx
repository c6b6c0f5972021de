/** Uploads files that the user drops on the page or chooses, and shows their progress. */

import { useEffect, useRef, useState } from "preact/hooks";
import { type Job, job, upload } from "./api.js";
import { followJob } from "./server/follow-job.js";
import { useTexts } from "./texts/localised.js";

interface Sent {
  /** Files of different folders may have the same name. */
  key: number;
  name: string;
  job?: Job;
  error?: string;
}

type Dropped = Pick<DataTransfer, "files" | "items">;

/** What was dropped, without the folders: their bytes cannot be read. Only valid during the event. */
function withoutFolders({ files, items }: Dropped): { files: File[]; folders: string[] } {
  const folders = [...items].flatMap((item) => {
    const entry = item.webkitGetAsEntry?.();
    return entry?.isDirectory ? [entry.name] : [];
  });
  return { files: [...files].filter(({ name }) => !folders.includes(name)), folders };
}

export function Files({ mayWrite, onChange }: { mayWrite: boolean; onChange: () => void }) {
  const t = useTexts();
  const [sent, setSent] = useState<readonly Sent[]>([]);
  const [over, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const nextKey = useRef(0);
  /** Adds rows, which replace earlier ones with the same name. */
  const addRows = <Row extends Omit<Sent, "key">>(added: readonly Row[]): (Row & { key: number })[] => {
    const rows = added.map((row) => ({ ...row, key: nextKey.current++ }));
    setSent((list) => [...list.filter(({ name }) => !rows.some((row) => row.name === name)), ...rows]);
    return rows;
  };
  const update = (key: number, change: Partial<Sent>): void =>
    setSent((list) => list.map((it) => (it.key === key ? { ...it, ...change } : it)));

  const uploadAll = async (files: readonly File[]): Promise<void> => {
    for (const { key, file } of addRows(files.map((file) => ({ name: file.name, file })))) {
      try {
        await followJob(await upload(file), { read: job, onProgress: (now) => update(key, { job: now }) });
        onChange();
      } catch (error) {
        update(key, { error: t.error(error, "uploadFailed") });
      }
    }
  };

  useEffect(() => {
    if (!mayWrite) return;
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
    const onOver = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const onLeave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(false);
    };
    const onDrop = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      if (event.dataTransfer === null) return;
      const { files, folders } = withoutFolders(event.dataTransfer);
      addRows(folders.map((name) => ({ name, error: t.text("folderDropped") })));
      void uploadAll(files);
    };
    addEventListener("dragover", onOver);
    addEventListener("dragleave", onLeave);
    addEventListener("drop", onDrop);
    return () => {
      removeEventListener("dragover", onOver);
      removeEventListener("dragleave", onLeave);
      removeEventListener("drop", onDrop);
    };
  }, [mayWrite, t]);

  if (!mayWrite) return null;
  return (
    <section class="files" aria-label={t.text("addFiles")}>
      <input
        ref={input}
        type="file"
        multiple
        class="hidden"
        tabIndex={-1}
        aria-label={t.text("filesToAdd")}
        onChange={(event) => {
          void uploadAll([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = "";
        }}
      />
      <button type="button" class="link" onClick={() => input.current?.click()}>
        {t.text("addFiles")}
      </button>
      <span class="quiet"> {t.text("orDropThem")}</span>
      {over && <div class="drop">{t.text("dropToAdd")}</div>}
      {sent.length > 0 && (
        <ul role="status" class="sent">
          {sent.map((it) => (
            <li key={it.key}>
              <span dir="auto">{it.name}</span> <State sent={it} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function State({ sent: { job: now, error } }: { sent: Sent }) {
  const t = useTexts();
  if (error !== undefined) return <span class="bad">{error}</span>;
  if (now === undefined) return <progress aria-label={t.text("uploading")} />;
  if (now.error !== undefined) return <span class="bad">{t.problem(now.error.code, now.error.title)}</span>;
  const [skip] = now.skipped;
  if (now.state === "done" && skip !== undefined && now.documents === 0) {
    return (
      <span class="bad">
        {skip.reason}. {skip.hint}
      </span>
    );
  }
  if (now.state === "done") {
    return (
      <>
        <span class="good">{t.text(now.documents > 0 ? "added" : "alreadyIndexed")}</span>
        {now.note !== undefined && (
          <span class="quiet">
            {" "}
            {now.note.title} {now.note.hint}
          </span>
        )}
      </>
    );
  }
  return <progress aria-label={t.text("indexing")} {...(now.progress === null ? {} : { value: now.progress })} />;
}
