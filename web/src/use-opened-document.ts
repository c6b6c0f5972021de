/** The state of an opened document: its text around the answer, the view of its pages, and notes. */

import { useEffect, useState } from "preact/hooks";
import { type Opened, placeAgain } from "./address.js";
import type { DocumentLayout, DocumentText } from "./api.js";
import type { PdfView } from "./pdf/pdf-view.js";
import { joined, readRange } from "./read-range.js";
import { useTexts } from "./texts/localised.js";
import type { TextKey } from "./texts/types.js";
import type { Transport } from "./transport.js";

export type LoadPdfView = () => Promise<typeof PdfView>;

/** In UTF-16 units of the document's text; `end` is exclusive. */
export interface Place {
  start: number;
  end: number;
}

/** Text to read before and after the answer, in UTF-16 units. */
const MARGIN = 20_000;
/** A document up to this length is searched as a whole for an answer that has moved. */
const WHOLE = 250_000;

interface OpenedDocument {
  /** What was read; a message if it could not be; undefined until then. */
  read: DocumentText | string | undefined;
  layout: DocumentLayout | undefined;
  /** What shows the pages; undefined while the text is shown. */
  pages: { View: typeof PdfView } | undefined;
  note: TextKey | undefined;
  /** The answer's place, which may have moved since the link to it was made. */
  place: Place;
  /** Reads a part just before or after what was read, and adds it. @throws RequestError */
  load: (from: number, to: number) => Promise<void>;
  showPages: () => void;
  /** @param why  a note for the reader */
  showText: (why?: TextKey) => void;
}

export function useOpenedDocument(
  opened: Opened,
  { transport, loadPdfView }: { transport: Transport; loadPdfView: LoadPdfView | undefined },
): OpenedDocument {
  const t = useTexts();
  const [read, setRead] = useState<DocumentText | string | undefined>(undefined);
  const [layout, setLayout] = useState<DocumentLayout | undefined>(undefined);
  const [pages, setPages] = useState<{ View: typeof PdfView } | undefined>(undefined);
  const [note, setNote] = useState<TextKey | undefined>(undefined);
  const [place, setPlace] = useState<Place>(opened);
  const { id } = opened;

  const load = async (from: number, to: number): Promise<void> => {
    const part = await readRange(transport, id, { from, to });
    setRead((now) => {
      if (typeof now !== "object") return now;
      // The document was indexed again meanwhile: offsets of the two parts do not agree.
      return part.length === now.length ? joined(now, part) : t.text("documentsChanged");
    });
  };
  const showPages = async (): Promise<void> => {
    setNote(undefined);
    try {
      setPages({ View: await loadPdfView!() });
    } catch {
      setNote("viewNotLoaded");
    }
  };
  const showText = (why?: TextKey): void => {
    setPages(undefined);
    if (why !== undefined) setNote(why);
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

  return { read, layout, pages, note, place, load, showPages, showText };
}

/** Reads the text around a place, which may have moved in a document that has changed since. */
async function findPlace(
  transport: Transport,
  opened: Opened,
): Promise<{ read: DocumentText; place: Place; note?: TextKey }> {
  const { id, start, end } = opened;
  const near = await transport.readDocument(id, start - MARGIN, end + MARGIN);
  const place = placeAgain(near.text, near.from, opened);
  if (place?.start === start) return { read: near, place };
  const all = near.length <= WHOLE ? await readRange(transport, id, { from: 0, to: near.length }) : near;
  const again = place ?? placeAgain(all.text, all.from, opened);
  if (again !== undefined) return { read: all, place: again, note: "answerMoved" };
  const at = Math.min(start, all.to);
  return { read: all, place: { start: at, end: at }, note: "answerGone" };
}
