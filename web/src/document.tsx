/**
 * A document, opened at an answer: the original page of a PDF, or the text. Text is shown as plain
 * text, never as markup.
 */

import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Opened } from "./address.js";
import type { DocumentLayout, DocumentText } from "./api.js";
import { DocumentBlocks } from "./document-text.js";
import { focusedAround } from "./keep-focus.js";
import type { PdfViewProps } from "./pdf/pdf-view.js";
import { useTexts } from "./texts/localised.js";
import type { TextKey } from "./texts/types.js";
import type { Transport } from "./transport.js";
import { type LoadPdfView, type Place, useOpenedDocument } from "./use-opened-document.js";

/** Text that a button adds before or after what was read, in UTF-16 units. */
const MORE = 100_000;

interface Props {
  opened: Opened;
  close: () => void;
  transport: Transport;
  loadPdfView?: LoadPdfView | undefined;
}

export function DocumentView({ opened, close, transport, loadPdfView }: Props) {
  const t = useTexts();
  const dialog = useRef<HTMLDialogElement>(null);
  useModal(dialog);
  const shown = useOpenedDocument(opened, { transport, loadPdfView });
  const { read, layout, note, pages, place } = shown;
  const isRead = typeof read === "object";
  const hasPages = layout?.original === true && loadPdfView !== undefined;
  useLayoutEffect(() => {
    const mark = dialog.current?.querySelector<HTMLElement>("article mark");
    mark?.scrollIntoView({ block: "center" });
    mark?.focus({ preventScroll: true });
  }, [isRead, pages, place.start, place.end]);

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
                  onClick={() => (pages === undefined ? shown.showPages() : shown.showText())}
                >
                  {t.text(pages === undefined ? "showPage" : "showText")}
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
      {isRead && pages !== undefined && (
        <pages.View
          name={read.title}
          quotes={quotesOf(layout, read, place)}
          read={() => transport.readOriginal!(opened.id)}
          onFail={shown.showText}
        />
      )}
      {isRead && pages === undefined && <ReadText read={read} place={place} load={shown.load} />}
    </dialog>
  );
}

interface ReadTextProps {
  read: DocumentText;
  place: Place;
  load: (from: number, to: number) => Promise<void>;
}

/** The text that was read, with buttons that load what is before and after it. */
function ReadText({ read, place, load }: ReadTextProps) {
  const { from, to, length, text } = read;
  return (
    <article class="text">
      {from > 0 && <MoreButton text="showEarlier" load={() => load(from - MORE, from)} />}
      <DocumentBlocks text={text} mark={{ start: place.start - from, end: place.end - from }} />
      {to < length && <MoreButton text="showLater" load={() => load(to, to + MORE)} />}
    </article>
  );
}

/** Loads more text. If that fails, a message says why, and the button tries again. */
function MoreButton({ text, load }: { text: TextKey; load: () => Promise<void> }) {
  const t = useTexts();
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const tryLoading = (): void => {
    setProblem(undefined);
    load().catch((error) => setProblem(t.error(error, "tryAgain")));
  };
  return (
    <>
      <button type="button" class="link" onClick={tryLoading}>
        {t.parts(text)}
      </button>
      {problem !== undefined && <p role="alert">{problem}</p>}
    </>
  );
}

/** Shows the dialog as a modal one while the component lives, and returns the focus after it. */
function useModal(dialog: RefObject<HTMLDialogElement | null>): void {
  // A layout effect: the focus moves in the same frame in which the dialog appears or disappears.
  useLayoutEffect(() => {
    const element = dialog.current;
    const before = focusedAround(element);
    // A click on the backdrop closes the dialog, as Esc does. If text is selected past the edge of the
    // dialog, the backdrop gets the click too, but not the press before it.
    let isPressed = false;
    const onPress = (event: MouseEvent): void => {
      isPressed = isOnBackdrop(event, element);
    };
    const onClick = (event: MouseEvent): void => {
      if (isPressed && isOnBackdrop(event, element)) element?.close();
      isPressed = false;
    };
    element?.showModal();
    element?.addEventListener("pointerdown", onPress);
    element?.addEventListener("click", onClick);
    return () => {
      // Esc closes the dialog shortly before it is removed. If the focus has moved since, it stays
      // where it is.
      const now = focusedAround(element) ?? element?.ownerDocument.activeElement;
      const isFree = !now || now === now.ownerDocument.body || element?.contains(now);
      if (isFree && before instanceof HTMLElement) before.focus();
    };
  }, []);
}

/** The backdrop and the dialog's own empty area have the same target, but not the same place. */
function isOnBackdrop({ target, clientX, clientY }: MouseEvent, dialog: HTMLDialogElement | null): boolean {
  if (dialog === null || target !== dialog) return false;
  const { left, top, right, bottom } = dialog.getBoundingClientRect();
  return clientX < left || clientX > right || clientY < top || clientY > bottom;
}

/** The answer's part of each page, with the text of the page that was read. */
function quotesOf(
  layout: DocumentLayout | undefined,
  read: DocumentText,
  { start, end }: Place,
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
