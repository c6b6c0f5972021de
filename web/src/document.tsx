/** A document, opened at an answer. Its text is shown as plain text, never as markup. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Opened } from "./address.js";
import { type DocumentText, RequestError } from "./api.js";
import { focusedAround } from "./focus.js";
import type { Transport } from "./transport.js";

/** Text to read before and after the answer, in UTF-16 units. */
const MARGIN = 20_000;

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

  // A layout effect: the focus moves in the same frame in which the dialog appears or disappears.
  useLayoutEffect(() => {
    const element = dialog.current;
    const before = focusedAround(element);
    // A click on the backdrop closes the dialog, as Esc does.
    const onBackdrop = (event: MouseEvent): void => {
      if (event.target === element) element?.close();
    };
    element?.showModal();
    element?.addEventListener("click", onBackdrop);
    return () => {
      // Esc closes the dialog shortly before it is removed. If the focus has moved since, it stays
      // where it is.
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
    void load(start - MARGIN, end + MARGIN);
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
            <button type="button" class="link" onClick={() => load(read.from - 5 * MARGIN, read.to)}>
              Show earlier text
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
            <button type="button" class="link" onClick={() => load(read.from, read.to + 5 * MARGIN)}>
              Show later text
            </button>
          )}
        </article>
      )}
    </dialog>
  );
}
