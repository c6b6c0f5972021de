/** One input → its documents: opens it, unpacks .gz, finds the parser, and turns errors of the file into a line. */

import { basename } from "node:path";
import { Readable } from "node:stream";
import type { Document } from "../../../src/types.js";
import { collect, type PeekedStream, peek, tooLarge } from "./byte-stream.js";
import { formatByContent, formatByEnding, formatOfZip, splitName } from "./detect-format.js";
import { type DocumentFormat, FORMATS, type StreamParser } from "./formats.js";
import { gunzip } from "./gunzip.js";
import type { InputFile, ReadContext, ResumePoint, SkippedInput } from "./input.js";
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
  /** Called before each attachment of a mail is read. */
  onAttachment?(): void;
  /** Where to read a mailbox from. Default: from its beginning. */
  resume?: ResumePoint;
  /** Called before each message of a mailbox is read, and after its last document was yielded. */
  onRecordStart?(record: number): void;
  onRecordEnd?(record: number): void;
}

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
    if (count === 0 && options.resume === undefined) options.onSkip(skipOf(noDocuments(), input.path)!);
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
  const name = reading.format ?? formatByEnding(source.ending, stream.head) ?? formatByContent(stream.head);
  const format = name === "zip" ? undefined : FORMATS[name];
  if (source.gzip && (format === undefined || format.packed)) {
    throw unsupported("is a .gz of something other than text", "Unpack it and index the result.");
  }
  if (format?.streamed) {
    return yield* parseStream(await format.load(), stream.bytes(), { head: stream.head, context });
  }
  const { maxFileBytes, maxMarkupBytes } = context.limits;
  const maxBytes = format?.markup ? Math.min(maxMarkupBytes, maxFileBytes) : maxFileBytes;
  const size = source.gzip ? undefined : opened.size;
  if (size !== undefined && size > maxBytes) throw format?.markup ? markupTooLarge(maxBytes) : tooLarge(maxBytes);
  const bytes = await collect(stream.bytes(), maxBytes, { expectedBytes: size });
  opened.assertUnchanged();
  yield* await parseBytes(name === "zip" ? formatOfZip(bytes) : name, bytes, context);
}

/** All documents of content that is held whole. */
async function parseBytes(name: DocumentFormat, bytes: Uint8Array, context: ReadContext): Promise<Document[]> {
  const format = FORMATS[name];
  if (!format.streamed) {
    const read = await format.load();
    return orFailure(() => read(bytes, context));
  }
  const head = bytes.subarray(0, HEAD_BYTES);
  const documents: Document[] = [];
  for await (const document of parseStream(await format.load(), Readable.from([bytes]), { head, context }))
    documents.push(document);
  return documents;
}

/** The documents of a streamed format. Only errors of the parser become the file's fault. */
async function* parseStream(
  read: StreamParser,
  content: AsyncIterable<Uint8Array>,
  { head, context }: { head: Uint8Array; context: ReadContext },
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
    yield* read(bytes(), context, { head });
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
    resume: options.resume,
    onRecordStart: (record) => options.onRecordStart?.(record),
    onRecordEnd: (record) => options.onRecordEnd?.(record),
    skipRecord: (skip) => options.onSkip({ source: input.path, ...skip }),
    readPart: (name, bytes) => {
      options.onAttachment?.();
      return readPart(name, bytes, context);
    },
  };
  return context;
}

/** The documents of an attachment, without those attached to it. */
async function readPart(fileName: string, bytes: Uint8Array, context: ReadContext): Promise<Document[]> {
  try {
    const { stem, ending, gzip } = splitName(fileName);
    const found = gzip || bytes.length === 0 ? undefined : formatByEnding(ending, bytes.subarray(0, HEAD_BYTES));
    const format = found === "zip" ? formatOfZip(bytes) : found;
    // Pictures in mail are logos more often than scans.
    if (format === "image" && !context.ocr) return [];
    if (format === undefined || format === "mbox" || isSecretName(fileName)) return [];
    const { markup, streamed } = FORMATS[format];
    const { maxMarkupBytes } = context.limits;
    if (markup && bytes.length > maxMarkupBytes) throw markupTooLarge(maxMarkupBytes);
    if (streamed && bytes.length > MAX_RECORDS_PART_BYTES)
      throw unreadable(`is larger than ${formatBytes(MAX_RECORDS_PART_BYTES)}`, "Save it as a file.");
    const part: ReadContext = {
      ...context,
      // A text file next to the file belongs to the file, not to its parts.
      input: { ...context.input, absolutePath: "-" },
      name: stem,
      readPart: async () => [],
    };
    const documents = await parseBytes(format, bytes, part);
    return documents.filter(({ text }) => text.trim() !== "");
  } catch (error) {
    const skip = skipOf(error, context.input.path);
    if (skip === undefined) throw error;
    context.skipRecord({ ...skip, reason: `attachment ${fileName} ${skip.reason}` });
    return [];
  }
}

function markupTooLarge(maxBytes: number): Error {
  return unreadable(
    `is larger than ${formatBytes(maxBytes)}`,
    "Split it, raise the limit, or read it as plain text with --format txt.",
  );
}
