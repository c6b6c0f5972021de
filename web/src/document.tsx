/**
 * A document, opened at an answer: the original page of a PDF, or the text. Text is shown as plain
 * text, never as markup.
 */

import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Opened, placeAgain } from "./address.js";
import type { DocumentLayout, DocumentText } from "./api.js";
import { DocumentBlocks } from "./document-text.js";
import { focusedAround } from "./focus.js";
import type { PdfView, PdfViewProps } from "./pdf/pdf-view.js";
import { useTexts } from "./texts/localised.js";
import type { TextKey } from "./texts/types.js";
import type { Transport } from "./transport.js";

export type LoadPdfView = () => Promise<typeof PdfView>;

/** Text to read before and after the answer, in UTF-16 units. */
const MARGIN = 20_000;
/** A document up to this length is searched as a whole for an answer that has moved. */
const WHOLE = 250_000;

interface Props {
  opened: Opened;
  close: () => void;
  transport: Transport;
  loadPdfView?: LoadPdfView | undefined;
}

export function DocumentView({ opened, close, transport, loadPdfView }: Props) {
  const t = useTexts();
  const dialog = useRef<HTMLDialogElement>(null);
  const [read, setRead] = useState<DocumentText | string | undefined>(undefined);
  const [layout, setLayout] = useState<DocumentLayout | undefined>(undefined);
  /** What shows the pages; undefined while the text is shown. */
  const [pdf, setPdf] = useState<{ View: typeof PdfView } | undefined>(undefined);
  const [note, setNote] = useState<TextKey | undefined>(undefined);
  /** The answer's place, which may have moved since the link to it was made. */
  const [{ start, end }, setPlace] = useState<{ start: number; end: number }>(opened);
  const { id } = opened;

  useModal(dialog);
  const load = async (from: number, to: number): Promise<void> => {
    try {
      setRead(await transport.readDocument(id, from, to));
    } catch (error) {
      setRead(t.error(error, "documentNotShown"));
    }
  };
  const showPages = async (): Promise<void> => {
    setNote(undefined);
    try {
      setPdf({ View: await loadPdfView!() });
    } catch {
      setNote("viewNotLoaded");
    }
  };
  useEffect(() => {
    let left = false;
    const begin = async (): Promise<void> => {
      const found = await findPlace(transport, opened);
      const { start, end } = found.place;
      const laidOut = await transport.readLayout?.(id, start, Math.max(end, start + 1)).catch(() => undefined);
      if (left) return;
      setPlace(found.place);
      setLayout(laidOut);
      if (laidOut?.original && loadPdfView !== undefined) await showPages();
      if (found.note !== undefined) setNote(found.note);
      if (!left) setRead(found.read);
    };
    begin().catch((error) => {
      if (!left) setRead(t.error(error, "documentNotShown"));
    });
    return () => {
      left = true;
    };
  }, [id]);

  const isRead = typeof read === "object";
  const hasPages = layout?.original === true && loadPdfView !== undefined;
  useLayoutEffect(() => {
    const mark = dialog.current?.querySelector<HTMLElement>("article mark");
    mark?.scrollIntoView({ block: "center" });
    mark?.focus({ preventScroll: true });
  }, [isRead, pdf, start, end]);

  return (
    <dialog ref={dialog} class="document" aria-labelledby="document-title" onClose={close}>
      <header>
        <div>
          <h2 id="document-title" dir="auto">
            {isRead ? read.title : "…"}
          </h2>
          <p class="quiet">
            {isRead ? read.source : ""}
            {isRead && hasPages && (
              <>
                {" · "}
                <button
                  type="button"
                  class="link"
                  onClick={() => (pdf === undefined ? void showPages() : setPdf(undefined))}
                >
                  {t.text(pdf === undefined ? "showPage" : "showText")}
                </button>
              </>
            )}
          </p>
        </div>
        <button type="button" class="close" aria-label={t.text("closeDocument")} onClick={close}>
          ×
        </button>
      </header>
      {typeof read === "string" && <p role="alert">{read}</p>}
      {note !== undefined && (
        <p class="note" role="status">
          {t.parts(note)}
        </p>
      )}
      {isRead && pdf !== undefined && (
        <pdf.View
          name={read.title}
          quotes={quotesOf(layout, read, { start, end })}
          read={() => transport.readOriginal!(id)}
          onFail={(reason) => {
            setPdf(undefined);
            setNote(reason);
          }}
        />
      )}
      {isRead && pdf === undefined && <ReadText read={read} place={{ start, end }} load={load} />}
    </dialog>
  );
}

interface ReadTextProps {
  read: DocumentText;
  place: { start: number; end: number };
  load: (from: number, to: number) => void;
}

/** The text that was read, with buttons that load what is before and after it. */
function ReadText({ read, place, load }: ReadTextProps) {
  const t = useTexts();
  const { from, to, length, text } = read;
  return (
    <article class="text" dir="auto">
      {from > 0 && (
        <button type="button" class="link" onClick={() => load(from - 5 * MARGIN, to)}>
          {t.text("showEarlier")}
        </button>
      )}
      <DocumentBlocks text={text} mark={{ start: place.start - from, end: place.end - from }} />
      {to < length && (
        <button type="button" class="link" onClick={() => load(from, to + 5 * MARGIN)}>
          {t.text("showLater")}
        </button>
      )}
    </article>
  );
}

/** Shows the dialog as a modal one while the component lives, and returns the focus after it. */
function useModal(dialog: RefObject<HTMLDialogElement | null>): void {
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
}

/** Reads the text around a place, which may have moved in a document that has changed since. */
async function findPlace(
  transport: Transport,
  opened: Opened,
): Promise<{ read: DocumentText; place: { start: number; end: number }; note?: TextKey }> {
  const { id, start, end } = opened;
  const near = await transport.readDocument(id, start - MARGIN, end + MARGIN);
  const place = placeAgain(near.text, near.from, opened);
  if (place?.start === start) return { read: near, place };
  const all = near.length <= WHOLE ? await transport.readDocument(id, 0, near.length) : near;
  const again = place ?? placeAgain(all.text, all.from, opened);
  if (again !== undefined) return { read: all, place: again, note: "answerMoved" };
  const at = Math.min(start, all.to);
  return { read: all, place: { start: at, end: at }, note: "answerGone" };
}

/** The answer's part of each page, with the text of the page that was read. */
function quotesOf(
  layout: DocumentLayout | undefined,
  read: DocumentText,
  { start, end }: { start: number; end: number },
): PdfViewProps["quotes"] {
  return (layout?.pages ?? []).map((page) => {
    const from = Math.max(page.start, read.from);
    const to = Math.min(page.end, read.to);
    const text = read.text.slice(from - read.from, to - read.from);
    const quote = { text, start: Math.max(0, start - from), end: Math.min(end, to) - from };
    const boxes = (layout?.boxes ?? [])
      .filter((box) => box.page === page.page)
      .map(({ left, top, width, height }) => ({ left, top, right: left + width, bottom: top + height }));
    return { page: page.page, quote: end > start ? quote : undefined, boxes };
  });
}
