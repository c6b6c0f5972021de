/** One input → its documents: opens it, unpacks .gz, finds the reader, and turns whatever goes wrong into a line. */

import { basename } from "node:path";
import { throwIfAborted } from "../../../src/errors.js";
import type { Document } from "../../../src/types.js";
import { collect, type OpenInput, openInput, type PeekedStream, peek, tooLarge } from "./byte-stream.js";
import { formatByContent, formatByEnding, formatOfZip, splitName, TEXT_FORMATS } from "./detect-format.js";
import { readJsonl } from "./formats/jsonl.js";
import { readTxt } from "./formats/txt.js";
import { gunzip } from "./gunzip.js";
import {
  type DocumentFormat,
  defaultReadLimits,
  type InputFile,
  type ReadContext,
  type ReadLimits,
  type SkippedInput,
} from "./input.js";
import { formatBytes, skipOf, unreadable, unsupported } from "./skip.js";

export interface ReadOptions {
  /** Reader to use whatever the file is called. Default: by its ending, else by its content. */
  format?: DocumentFormat;
  signal?: AbortSignal;
  /** Bounds; see ReadLimits for the defaults. */
  limits?: Partial<ReadLimits>;
  /** Told once for each file or record that was not read. */
  onSkip(skip: SkippedInput): void;
  /** Bytes of the file read so far, after each read. */
  onProgress?(bytesRead: number): void;
  /** What `-` stands for. Default: `process.stdin`. */
  stdin?: AsyncIterable<Uint8Array>;
}

type WholeReader = (bytes: Uint8Array, context: ReadContext) => Document[] | Promise<Document[]>;

/** Loaded when the first file of a format comes: who asks an index should not wait for parsers of documents. */
const WHOLE_READERS: Record<Exclude<DocumentFormat, "csv" | "jsonl">, () => WholeReader | Promise<WholeReader>> = {
  txt: () => readTxt,
  md: async () => (await import("./formats/md.js")).readMd,
  html: async () => (await import("./formats/html.js")).readHtml,
  pdf: async () => (await import("./formats/pdf.js")).readPdf,
  docx: async () => (await import("./formats/docx.js")).readDocx,
  epub: async () => (await import("./formats/epub.js")).readEpub,
  squad: async () => (await import("./formats/squad.js")).readSquad,
};

const MARKUP: ReadonlySet<DocumentFormat> = new Set(["md", "html"]);

/** The first bytes that tell format, encoding and delimiter. */
const HEAD_BYTES = 1024 * 1024;

/**
 * The documents of one file or of standard input. JSONL and CSV are streamed with bounded memory, so some of their
 * documents may have come before the file proves to be cut off or changed; the others come whole or not at all.
 * A document's text is never empty.
 * @throws VerbatimError `aborted`; everything else about the input goes to `onSkip`
 */
export async function* readDocuments(input: InputFile, options: ReadOptions): AsyncGenerator<Document> {
  throwIfAborted(options.signal);
  let opened: OpenInput | undefined;
  let stream: PeekedStream | undefined;
  try {
    opened = await openInput(input, options);
    const context = contextOf(input, options);
    const source = await unpack(opened, input, context);
    stream = source.stream;
    let count = 0;
    for await (const document of parse(source, opened, { context, format: options.format })) {
      throwIfAborted(options.signal);
      if (document.text.trim() === "") throw empty();
      count++;
      yield document;
    }
    await opened.assertUnchanged();
    if (count === 0)
      options.onSkip({ ...skipOf(unreadable("gave no documents", "See the lines above."), input.path)! });
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
  if (namedGzip && !hasMagic) throw unreadable("is not gzip data", "Fetch it again, or take .gz off its name.");
  if (!namedGzip && !(hasMagic && (ending === "" || input.absolutePath === "-")))
    return { stream: raw, gzip: false, ending };
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
    throw unsupported("is a .gz of something else than text", "Unpack it and index the result.");
  }
  if (format === "jsonl") return yield* readJsonl(stream.bytes(), stream.head, context);
  if (format === "csv") return yield* (await import("./formats/csv.js")).readCsv(stream.bytes(), stream.head, context);
  const { maxFileBytes, maxMarkupBytes } = context.limits;
  const maxBytes = format !== "zip" && MARKUP.has(format) ? Math.min(maxMarkupBytes, maxFileBytes) : maxFileBytes;
  const size = source.gzip ? undefined : opened.size;
  if (size !== undefined && size > maxBytes)
    throw format === "md" || format === "html" ? markupTooLarge(maxBytes) : tooLarge(maxBytes);
  const bytes = await collect(stream.bytes(), maxBytes, { expectedBytes: size });
  await opened.assertUnchanged();
  if (format === "zip") format = formatOfZip(bytes);
  const read = await WHOLE_READERS[format as keyof typeof WHOLE_READERS]();
  yield* await read(bytes, context);
}

function contextOf(input: InputFile, options: ReadOptions): ReadContext {
  const given = Object.entries(options.limits ?? {}).filter(([, value]) => value !== undefined);
  return {
    input,
    name: input.absolutePath === "-" ? "standard input" : splitName(basename(input.path)).stem,
    limits: { ...defaultReadLimits, ...Object.fromEntries(given) },
    signal: options.signal,
    skipRecord: (skip) => options.onSkip({ source: input.path, ...skip }),
  };
}

function empty(): Error {
  return unreadable("is empty", "Leave it out, or put text in it.");
}

function markupTooLarge(maxBytes: number): Error {
  return unreadable(
    `is larger than ${formatBytes(maxBytes)}`,
    "Split it, raise the limit, or read it as it stands with --format txt.",
  );
}
