/** The document formats. To add one, write its parser in `formats/` and add a line to `FORMATS`. */

import type { Document } from "../../../src/types.js";
import type { ReadContext } from "./input.js";

/** Parses a file that is held whole. */
type WholeParser = (bytes: Uint8Array, context: ReadContext) => Document[] | Promise<Document[]>;

/** Parses a file record by record, with bounded memory. `head` is the beginning of the stream. */
export type StreamParser = (
  stream: AsyncIterable<Uint8Array>,
  context: ReadContext,
  options: { head: Uint8Array },
) => AsyncIterable<Document>;

interface FormatTraits {
  /** Endings of file names, in lower case, separated by spaces. No two formats share one. "": only by `--format`. */
  endings: string;
  /** An archive, compressed, or text packed in commands (RTF): not read from a `.gz`. */
  packed?: boolean;
  /** Takes many times its size in memory: `maxMarkupBytes` applies. */
  markup?: boolean;
}

/** `load` imports the parser, so that none is loaded before the first file of its format. */
type Format = FormatTraits &
  ({ streamed?: false; load(): Promise<WholeParser> } | { streamed: true; load(): Promise<StreamParser> });

/** Keeps the names, and leaves the types of the parsers out. */
function formatTable<Name extends string>(formats: Record<Name, Format>): Readonly<Record<Name, Format>> {
  return formats;
}

/** Endings of source files, by how their languages write comments and strings (`code-languages.ts`). */
export const CODE_ENDINGS = {
  typescript: "ts tsx mts cts js jsx mjs cjs java kt kts scala groovy dart go swift cs proto",
  c: "c h cc cpp cxx hpp hh hxx rs",
  php: "php",
  python: "py pyi",
  shell: "rb sh bash zsh pl pm r jl ex exs",
  lua: "lua",
  haskell: "hs elm",
  lisp: "lisp el clj cljs scm",
} as const;

/** By the name for `--format`, in the order of the help text. */
export const FORMATS = formatTable({
  txt: { endings: "txt text log ics vcf sql", load: async () => (await import("./formats/txt.js")).readTxt },
  md: { endings: "md markdown mdown", markup: true, load: async () => (await import("./formats/md.js")).readMd },
  html: {
    endings: "html htm xhtml hocr svg",
    markup: true,
    load: async () => (await import("./formats/html/html.js")).readHtml,
  },
  pdf: { endings: "pdf", packed: true, load: async () => (await import("./formats/pdf.js")).readPdf },
  docx: { endings: "docx docm", packed: true, load: async () => (await import("./formats/office/docx.js")).readDocx },
  odt: { endings: "odt", packed: true, load: async () => (await import("./formats/office/odf.js")).readOdt },
  rtf: {
    endings: "rtf",
    packed: true,
    markup: true,
    load: async () => (await import("./formats/office/rtf.js")).readRtf,
  },
  epub: { endings: "epub", packed: true, load: async () => (await import("./formats/epub.js")).readEpub },
  pptx: {
    endings: "pptx pptm ppsx",
    packed: true,
    load: async () => (await import("./formats/office/pptx.js")).readPptx,
  },
  odp: { endings: "odp", packed: true, load: async () => (await import("./formats/office/odf.js")).readOdp },
  xlsx: { endings: "xlsx xlsm", packed: true, load: async () => (await import("./formats/office/xlsx.js")).readXlsx },
  ods: { endings: "ods", packed: true, load: async () => (await import("./formats/office/ods.js")).readOds },
  image: {
    endings: "png jpg jpeg tif tiff",
    packed: true,
    load: async () => (await import("./formats/scans/image.js")).readImage,
  },
  csv: { endings: "csv tsv", streamed: true, load: async () => (await import("./formats/csv/csv.js")).readCsv },
  jsonl: { endings: "jsonl ndjson", streamed: true, load: async () => (await import("./formats/jsonl.js")).readJsonl },
  json: { endings: "json", load: async () => (await import("./formats/json.js")).readJson },
  squad: { endings: "", load: async () => (await import("./formats/squad.js")).readSquad },
  eml: { endings: "eml mhtml mht", markup: true, load: async () => (await import("./formats/mail/mail.js")).readEml },
  mbox: { endings: "mbox mbx", streamed: true, load: async () => (await import("./formats/mail/mbox.js")).readMbox },
  ipynb: { endings: "ipynb", markup: true, load: async () => (await import("./formats/ipynb.js")).readIpynb },
  rst: { endings: "rst rest", markup: true, load: async () => (await import("./formats/markup/rst.js")).readRst },
  adoc: {
    endings: "adoc asciidoc",
    markup: true,
    load: async () => (await import("./formats/markup/adoc.js")).readAdoc,
  },
  org: { endings: "org", markup: true, load: async () => (await import("./formats/markup/org.js")).readOrg },
  tex: { endings: "tex latex ltx", markup: true, load: async () => (await import("./formats/markup/tex.js")).readTex },
  man: { endings: "man mdoc", markup: true, load: async () => (await import("./formats/markup/man.js")).readMan },
  code: {
    endings: Object.values(CODE_ENDINGS).join(" "),
    markup: true,
    load: async () => (await import("./formats/markup/code.js")).readCode,
  },
  srt: { endings: "srt", markup: true, load: async () => (await import("./formats/subtitles.js")).readSubtitles },
  vtt: { endings: "vtt", markup: true, load: async () => (await import("./formats/subtitles.js")).readSubtitles },
});

export type DocumentFormat = keyof typeof FORMATS;

/** The name of every format. */
export const DOCUMENT_FORMATS = Object.keys(FORMATS) as readonly DocumentFormat[];

/** The endings of a format's files, in lower case without the dot. */
export function endingsOf(format: DocumentFormat): string[] {
  return FORMATS[format].endings.split(" ").filter((ending) => ending !== "");
}
