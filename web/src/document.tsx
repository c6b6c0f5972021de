/** A document, opened where an answer stands. The text is shown as text, whatever it holds. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Opened } from "./address.js";
import { type DocumentText, RequestError } from "./api.js";
import { focusedAround } from "./focus.js";
import type { Transport } from "./transport.js";

/** UTF-16 units that are read to either side, and more at a time. */
const AROUND = 20_000;

interface Props {
  opened: Opened;
  close: () => void;
  transport: Transport;
}

export function DocumentView({ opened, close, transport }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const mark = useRef<HTMLElement>(null);
  const [read, setRead] = useState<DocumentText | string | undefined>(undefined);
  const { id, start, end } = opened;

  // In the same turn as the sheet comes and goes.
  useLayoutEffect(() => {
    const element = dialog.current;
    const before = focusedAround(element);
    // Beside the sheet; by the keyboard it is Esc.
    const onBeside = (event: MouseEvent): void => {
      if (event.target === element) element?.close();
    };
    element?.showModal();
    element?.addEventListener("click", onBeside);
    return () => {
      // Esc closes the sheet a moment before it goes: where the focus has gone since, it stays.
      const now = focusedAround(element) ?? element?.ownerDocument.activeElement;
      const isFree = !now || now === now.ownerDocument.body || element?.contains(now);
      if (isFree && before instanceof HTMLElement) before.focus();
    };
  }, []);

  const load = async (from: number, to: number): Promise<void> => {
    try {
      setRead(await transport.readDocument(id, from, to));
    } catch (error) {
      setRead(error instanceof RequestError ? error.message : "The document cannot be shown.");
    }
  };
  useEffect(() => {
    setRead(undefined);
    void load(start - AROUND, end + AROUND);
  }, [id, start, end]);

  const isRead = typeof read === "object";
  useLayoutEffect(() => {
    if (!isRead || mark.current === null) return;
    mark.current.scrollIntoView({ block: "center" });
    mark.current.focus({ preventScroll: true });
  }, [isRead, start, end]);

  return (
    <dialog ref={dialog} class="document" aria-labelledby="document-title" onClose={close}>
      <header>
        <div>
          <h2 id="document-title" dir="auto">
            {isRead ? read.title : "…"}
          </h2>
          <p class="quiet">{isRead ? read.source : ""}</p>
        </div>
        <button type="button" class="close" aria-label="Close the document" onClick={close}>
          ×
        </button>
      </header>
      {typeof read === "string" && <p role="alert">{read}</p>}
      {isRead && (
        <article class="text" dir="auto">
          {read.from > 0 && (
            <button type="button" class="link" onClick={() => load(read.from - 5 * AROUND, read.to)}>
              Show what stands before
            </button>
          )}
          <div>
            {read.text.slice(0, Math.max(0, start - read.from))}
            {end > start && (
              <mark ref={mark} tabIndex={-1}>
                {read.text.slice(Math.max(0, start - read.from), Math.max(0, end - read.from))}
              </mark>
            )}
            {read.text.slice(Math.max(0, end - read.from))}
          </div>
          {read.to < read.length && (
            <button type="button" class="link" onClick={() => load(read.from, read.to + 5 * AROUND)}>
              Show what follows
            </button>
          )}
        </article>
      )}
    </dialog>
  );
}
