/** The original page of a PDF with an answer marked on it. Loaded when the first PDF is opened. */

import { AnnotationMode, GlobalWorkerOptions, getDocument, OPS, type PDFDocumentProxy } from "pdfjs-dist";
import workerUrl from "pdfjs-dist/build/pdf.worker.min.mjs?url";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useTexts } from "../texts/localised.js";
import type { TextKey } from "../texts/types.js";
import { findQuote, isIndexedPage, type PageQuote } from "./find-quote.js";
import { glyphsOf, type OperatorNumbers, type PageOperators } from "./glyphs.js";
import { type Rectangle, rectanglesOf } from "./rectangles.js";
import type { Font, Point } from "./text-state.js";

export interface PdfViewProps {
  /** Shown to screen readers. */
  name: string;
  /**
   * The answer's pages, counted from 1, and its part of each; no part where nothing is marked. Of a scanned page, the
   * rectangles are known, in percent of the page.
   */
  quotes: readonly { page: number; quote: PageQuote | undefined; boxes: readonly Rectangle[] }[];
  /** The bytes of the file. */
  read: () => Promise<ArrayBuffer>;
  /** The page cannot be shown, or does not contain the answer. */
  onFail: (reason: TextKey) => void;
}

interface Shown {
  number: number;
  /** In percent of the page's width and height. */
  marks: Rectangle[];
}

/** An image with more pixels is left out, so that a page cannot exhaust the browser's memory. */
const MAX_IMAGE_PIXELS = 64 * 1024 * 1024;
/** Pixels per CSS pixel; more would not be seen. */
const MAX_DENSITY = 3;

GlobalWorkerOptions.workerSrc = workerUrl;

export function PdfView({ name, quotes, read, onFail }: PdfViewProps) {
  const t = useTexts();
  const [pdf, setPdf] = useState<PDFDocumentProxy | undefined>(undefined);
  const [labels, setLabels] = useState<readonly string[]>([]);
  const [number, setNumber] = useState(quotes[0]?.page ?? 1);
  const [shown, setShown] = useState<Shown | undefined>(undefined);
  const canvas = useRef<HTMLCanvasElement>(null);
  const mark = useRef<HTMLElement>(null);

  useEffect(() => {
    let task: ReturnType<typeof getDocument> | undefined;
    let left = false;
    const load = async (): Promise<void> => {
      const data = await read();
      if (left) return;
      const cMapUrl = new URL("assets/cmaps/", document.baseURI).href;
      const limits = { isEvalSupported: false, maxImageSize: MAX_IMAGE_PIXELS, verbosity: 0 };
      task = getDocument({ data, cMapUrl, cMapPacked: true, ...limits });
      const opened = await task.promise;
      setLabels((await opened.getPageLabels()) ?? []);
      setPdf(opened);
    };
    load().catch(() => left || onFail("fileNotShown"));
    return () => {
      left = true;
      void task?.destroy();
    };
  }, []);

  useEffect(() => {
    if (pdf === undefined) return;
    const stop = new AbortController();
    const { quote, boxes = [] } = quotes.find(({ page }) => page === number) ?? {};
    drawPage(pdf, { number, quote, boxes, canvas: canvas.current!, signal: stop.signal }).then(
      ({ marks, problem }) => {
        if (stop.signal.aborted) return;
        if (problem !== undefined) onFail(problem);
        else setShown({ number, marks });
      },
      () => stop.signal.aborted || onFail("pageNotShown"),
    );
    return () => stop.abort();
  }, [pdf, number]);

  useLayoutEffect(() => {
    mark.current?.scrollIntoView({ block: "center" });
    mark.current?.focus({ preventScroll: true });
  }, [shown]);

  const count = pdf?.numPages ?? 0;
  const label = labels[number - 1] ?? String(number);
  const position =
    label === `${number}`
      ? t.text("pageOf", { label, count })
      : t.text("numberedPageOf", { label, number: String(number), count });
  const text = quotes.find(({ page }) => page === number)?.quote;
  return (
    <div class="pdf">
      <p class="pages" role="status">
        <button type="button" disabled={number <= 1} onClick={() => setNumber(number - 1)}>
          {t.text("previousPage")}
        </button>
        <span>{pdf === undefined ? t.text("loading") : position}</span>
        <button type="button" disabled={number >= count} onClick={() => setNumber(number + 1)}>
          {t.text("nextPage")}
        </button>
      </p>
      <div class="sheet" aria-busy={shown?.number !== number}>
        <canvas ref={canvas} role="img" aria-label={t.text("pageOfFile", { label, name })} />
        {shown?.number === number &&
          shown.marks.map(({ left, top, right, bottom }, i) => (
            <mark
              key={i}
              ref={i === 0 ? mark : undefined}
              class="box"
              tabIndex={-1}
              style={{ left: `${left}%`, top: `${top}%`, width: `${right - left}%`, height: `${bottom - top}%` }}
            >
              {i === 0 && text !== undefined && <span class="hidden">{text.text.slice(text.start, text.end)}</span>}
            </mark>
          ))}
      </div>
    </div>
  );
}

interface Drawn {
  /** The rectangles of the quote in percent of the page; [] without a quote. */
  marks: Rectangle[];
  /** Why the quote cannot be marked. */
  problem?: TextKey;
}

/** Draws a page as wide as the canvas is shown. */
async function drawPage(
  pdf: PDFDocumentProxy,
  to: {
    number: number;
    quote: PageQuote | undefined;
    boxes: readonly Rectangle[];
    canvas: HTMLCanvasElement;
    signal: AbortSignal;
  },
): Promise<Drawn> {
  const { canvas, quote, signal } = to;
  const page = await pdf.getPage(to.number);
  if (signal.aborted) return { marks: [] };
  const plain = page.getViewport({ scale: 1 });
  const density = Math.min(devicePixelRatio || 1, MAX_DENSITY);
  const viewport = page.getViewport({ scale: (canvas.parentElement!.clientWidth / plain.width) * density });
  canvas.width = Math.floor(viewport.width);
  canvas.height = Math.floor(viewport.height);
  const task = page.render({ canvas, viewport, annotationMode: AnnotationMode.ENABLE });
  const cancel = (): void => task.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  await task.promise;
  signal.removeEventListener("abort", cancel);
  if (quote === undefined) return { marks: [] };
  if (to.boxes.length > 0) return { marks: [...to.boxes] };
  const operators = (await page.getOperatorList()) as PageOperators;
  const fontOf = (name: string): Font | undefined =>
    page.commonObjs.has(name) ? (page.commonObjs.get(name) as Font) : undefined;
  const glyphs = glyphsOf(operators, OPS as OperatorNumbers, fontOf);
  const letters = glyphs.map(({ text }) => text);
  const found = findQuote(letters, quote);
  const toView = ([x, y]: Point): Point => plain.convertToViewportPoint(x, y) as [number, number];
  const rectangles = found === undefined ? [] : rectanglesOf(glyphs.slice(found.first, found.after), toView);
  if (rectangles.length === 0)
    return { marks: [], problem: isIndexedPage(letters, quote.text) ? "quoteNotMarked" : "fileChanged" };
  const marks = rectangles.map(({ left, top, right, bottom }) => ({
    left: (100 * left) / plain.width,
    top: (100 * top) / plain.height,
    right: (100 * right) / plain.width,
    bottom: (100 * bottom) / plain.height,
  }));
  return { marks };
}
