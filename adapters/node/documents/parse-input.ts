/** One input → its documents: opens it, unpacks .gz, finds the parser, and turns errors of the file into a line. */

import { basename } from "node:path";
import { Readable } from "node:stream";
import type { Document } from "../../../src/types.js";
import { collect, type PeekedStream, peek, tooLarge } from "./byte-stream.js";
import { formatByContent, formatByEnding, formatOfZip, splitName, TEXT_FORMATS } from "./detect-format.js";
import { readJsonl } from "./formats/jsonl.js";
import { readTxt } from "./formats/txt.js";
import { gunzip } from "./gunzip.js";
import type { DocumentFormat, InputFile, ReadContext, SkippedInput } from "./input.js";
import type { ReadLimits } from "./limits.js";
import { type OpenInput, openInput } from "./open-input.js";
import { isSecretName } from "./secret-names.js";
import { empty, formatBytes, noDocuments, parserFailure, skipOf, unreadable, unsupported } from "./skip.js";

export interface ParseOptions {
  /** Parser to use whatever the file is called. Default: by its ending, else by its content. */
  format?: DocumentFormat;
  limits: ReadLimits;
  /** Content to read instead of the file. */
  content?: AsyncIterable<Uint8Array>;
  /** Called once for each file or record that was not read. */
  onSkip(skip: SkippedInput): void;
  /** Called with the bytes of the file read so far, after each read. */
  onProgress?(bytesRead: number): void;
  /** Whether to recognise the text of scanned pages. Default false. */
  ocr?: boolean;
  /** Folder in which recognised pages are kept. Default: none. */
  ocrCache?: string;
  /** Called after each part of the file (page, chapter). */
  onPart?(): void;
  /** Called after each page whose text was recognised. */
  onRecognized?(): void;
}

/** Read record by record, with bounded memory. */
type StreamedFormat = "csv" | "jsonl" | "mbox";

type WholeReader = (bytes: Uint8Array, context: ReadContext) => Document[] | Promise<Document[]>;

/** Each is loaded with the first file of its format. */
const WHOLE_READERS: Record<Exclude<DocumentFormat, StreamedFormat>, () => WholeReader | Promise<WholeReader>> = {
  txt: () => readTxt,
  md: async () => (await import("./formats/md.js")).readMd,
  html: async () => (await import("./formats/html/html.js")).readHtml,
  pdf: async () => (await import("./formats/pdf.js")).readPdf,
  image: async () => (await import("./formats/scans/image.js")).readImage,
  docx: async () => (await import("./formats/office/docx.js")).readDocx,
  epub: async () => (await import("./formats/epub.js")).readEpub,
  squad: async () => (await import("./formats/squad.js")).readSquad,
  odt: odfReader("odt"),
  odp: odfReader("odp"),
  ods: async () => (await import("./formats/office/ods.js")).readOds,
  pptx: async () => (await import("./formats/office/pptx.js")).readPptx,
  xlsx: async () => (await import("./formats/office/xlsx.js")).readXlsx,
  rtf: async () => (await import("./formats/office/rtf.js")).readRtf,
  eml: async () => (await import("./formats/mail/mail.js")).readEml,
  ipynb: async () => (await import("./formats/ipynb.js")).readIpynb,
  rst: async () => (await import("./formats/markup/rst.js")).readRst,
  adoc: async () => (await import("./formats/markup/adoc.js")).readAdoc,
  tex: async () => (await import("./formats/markup/tex.js")).readTex,
  man: async () => (await import("./formats/markup/man.js")).readMan,
  code: async () => (await import("./formats/markup/code.js")).readCode,
  org: async () => (await import("./formats/markup/org.js")).readOrg,
  srt: async () => (await import("./formats/subtitles.js")).readSubtitles,
  vtt: async () => (await import("./formats/subtitles.js")).readSubtitles,
};

/** Loads the parser of a format. */
export async function loadReader(format: DocumentFormat): Promise<void> {
  if (format === "csv") await import("./formats/csv/csv.js");
  else if (format === "mbox") await import("./formats/mail/mbox.js");
  else if (format !== "jsonl") await WHOLE_READERS[format]();
}

function odfReader(kind: "odt" | "odp"): () => Promise<WholeReader> {
  return async () => {
    const { readOdf } = await import("./formats/office/odf.js");
    return (bytes, context) => readOdf(bytes, context, kind);
  };
}

const MARKUP: ReadonlySet<DocumentFormat> = new Set([
  ...(["md", "html", "rtf", "eml", "ipynb", "rst", "adoc", "org", "tex", "man", "code", "srt", "vtt"] as const),
]);

/** The first bytes, which decide format, encoding and delimiter. */
const HEAD_BYTES = 1024 * 1024;

/** CSV or JSONL attached to a mail; its documents are held until the mail is read. */
const MAX_RECORDS_PART_BYTES = 4 * 1024 * 1024;

/**
 * Parses one file in this process; `readDocuments` does it in a process of its own. JSONL and CSV are streamed with
 * bounded memory, so some of their documents may be yielded before the file proves to be truncated or changed; the
 * other formats yield everything or nothing. A document's text is never empty.
 * @throws what is not the file's fault; everything else about the input goes to `onSkip`
 */
export async function* parseInput(input: InputFile, options: ParseOptions): AsyncGenerator<Document> {
  let opened: OpenInput | undefined;
  let stream: PeekedStream | undefined;
  try {
    opened = openInput(input, options);
    const context = contextOf(input, options);
    const source = await unpack(opened, input, context);
    stream = source.stream;
    let count = 0;
    for await (const document of parse(source, opened, { context, format: options.format })) {
      if (document.text.trim() === "") throw empty();
      count++;
      yield document;
    }
    opened.assertUnchanged();
    if (count === 0) options.onSkip(skipOf(noDocuments(), input.path)!);
  } catch (error) {
    const skip = skipOf(error, input.path);
    if (skip === undefined) throw error;
    options.onSkip(skip);
  } finally {
    await stream?.close();
    await opened?.close();
  }
}

interface Source {
  stream: PeekedStream;
  gzip: boolean;
  /** File ending without `.gz`. */
  ending: string;
}

/** The stream of the content, after gunzip where the name or the first bytes say so. */
async function unpack(opened: OpenInput, input: InputFile, context: ReadContext): Promise<Source> {
  const { ending, gzip: namedGzip } = splitName(basename(input.path));
  const raw = await peek(opened.stream, HEAD_BYTES);
  const hasMagic = raw.head[0] === 0x1f && raw.head[1] === 0x8b;
  if (raw.head.length === 0) throw empty();
  if (namedGzip && !hasMagic) throw unreadable("is not gzip data", "Fetch it again, or remove .gz from its name.");
  if (!namedGzip && !(hasMagic && (ending === "" || input.path === "-"))) return { stream: raw, gzip: false, ending };
  return { stream: await peek(gunzip(raw.bytes(), context.limits), HEAD_BYTES), gzip: true, ending };
}

async function* parse(
  source: Source,
  opened: OpenInput,
  reading: { context: ReadContext; format: DocumentFormat | undefined },
): AsyncGenerator<Document> {
  const { stream } = source;
  const { context } = reading;
  if (stream.head.length === 0) throw empty();
  let format = reading.format ?? formatByEnding(source.ending) ?? formatByContent(stream.head);
  if (source.gzip && !(format !== "zip" && TEXT_FORMATS.has(format))) {
    throw unsupported("is a .gz of something other than text", "Unpack it and index the result.");
  }
  if (format === "jsonl" || format === "csv" || format === "mbox") {
    const read = await streamReader(format);
    return yield* parsed((bytes) => read(bytes, stream.head, context), stream.bytes());
  }
  const { maxFileBytes, maxMarkupBytes } = context.limits;
  const maxBytes = format !== "zip" && MARKUP.has(format) ? Math.min(maxMarkupBytes, maxFileBytes) : maxFileBytes;
  const size = source.gzip ? undefined : opened.size;
  if (size !== undefined && size > maxBytes)
    throw format !== "zip" && MARKUP.has(format) ? markupTooLarge(maxBytes) : tooLarge(maxBytes);
  const bytes = await collect(stream.bytes(), maxBytes, { expectedBytes: size });
  opened.assertUnchanged();
  if (format === "zip") format = formatOfZip(bytes);
  const read = await WHOLE_READERS[format as keyof typeof WHOLE_READERS]();
  yield* await orFailure(() => read(bytes, context));
}

type StreamReader = (
  stream: AsyncIterable<Uint8Array>,
  head: Uint8Array,
  context: ReadContext,
) => AsyncIterable<Document>;

async function streamReader(format: StreamedFormat): Promise<StreamReader> {
  if (format === "jsonl") return readJsonl;
  if (format === "csv") return (await import("./formats/csv/csv.js")).readCsv;
  const { readMbox } = await import("./formats/mail/mbox.js");
  return (stream, _head, context) => readMbox(stream, context);
}

/** The documents of a parser that reads a stream. Only errors of the parser become the file's fault. */
async function* parsed(
  read: (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Document>,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Document> {
  let contentError: unknown;
  async function* bytes(): AsyncGenerator<Uint8Array> {
    try {
      yield* content;
    } catch (error) {
      contentError = error;
      throw error;
    }
  }
  try {
    yield* read(bytes());
  } catch (error) {
    throw error === contentError ? error : parserFailure(error);
  }
}

async function orFailure<T>(read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw parserFailure(error);
  }
}

function contextOf(input: InputFile, options: ParseOptions): ReadContext {
  const context: ReadContext = {
    input,
    name: input.path === "-" ? "standard input" : splitName(basename(input.path)).stem,
    limits: options.limits,
    ocr: options.ocr ?? false,
    ocrCache: options.ocrCache,
    onPart: () => options.onPart?.(),
    onRecognized: () => options.onRecognized?.(),
    skipRecord: (skip) => options.onSkip({ source: input.path, ...skip }),
    readPart: (name, bytes) => readPart(name, bytes, context),
  };
  return context;
}

/** The documents of an attachment, without those attached to it. */
async function readPart(fileName: string, bytes: Uint8Array, context: ReadContext): Promise<Document[]> {
  try {
    const { stem, ending, gzip } = splitName(fileName);
    const format = gzip || bytes.length === 0 ? undefined : formatByEnding(ending);
    // Pictures in mail are logos more often than scans.
    if (format === "image" && !context.ocr) return [];
    if (format === undefined || format === "mbox" || isSecretName(fileName)) return [];
    const { maxMarkupBytes } = context.limits;
    if (MARKUP.has(format) && bytes.length > maxMarkupBytes) throw markupTooLarge(maxMarkupBytes);
    const part: ReadContext = {
      ...context,
      // A text file next to the file belongs to the file, not to its parts.
      input: { ...context.input, absolutePath: "-" },
      name: stem,
      readPart: async () => [],
    };
    const documents = await readPartAs(format, bytes, part);
    return documents.filter(({ text }) => text.trim() !== "");
  } catch (error) {
    const skip = skipOf(error, context.input.path);
    if (skip === undefined) throw error;
    context.skipRecord({ ...skip, reason: `attachment ${fileName} ${skip.reason}` });
    return [];
  }
}

async function readPartAs(
  format: Exclude<DocumentFormat, "mbox">,
  bytes: Uint8Array,
  context: ReadContext,
): Promise<Document[]> {
  if (format === "csv" || format === "jsonl") return readRecordsPart(format, bytes, context);
  const read = await WHOLE_READERS[format]();
  return orFailure(() => read(bytes, context));
}

/** All records of an attachment: it is held whole, unlike a file of records. */
async function readRecordsPart(format: "csv" | "jsonl", bytes: Uint8Array, context: ReadContext): Promise<Document[]> {
  if (bytes.length > MAX_RECORDS_PART_BYTES) {
    throw unreadable(`is larger than ${formatBytes(MAX_RECORDS_PART_BYTES)}`, "Save it as a file.");
  }
  const read = await streamReader(format);
  const documents: Document[] = [];
  const content = Readable.from([bytes]);
  for await (const document of parsed((stream) => read(stream, bytes.subarray(0, HEAD_BYTES), context), content))
    documents.push(document);
  return documents;
}

function markupTooLarge(maxBytes: number): Error {
  return unreadable(
    `is larger than ${formatBytes(maxBytes)}`,
    "Split it, raise the limit, or read it as plain text with --format txt.",
  );
}
