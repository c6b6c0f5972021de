/** Which format a file has: by its ending, else by its first bytes. */

import { basename } from "node:path";
import { decodeText, magicOf } from "./decode.js";
import { csvLayout } from "./formats/csv/csv-layout.js";
import { parseJson } from "./formats/json-problem.js";
import { listZip, readZipEntry } from "./formats/zip.js";
import { DOCUMENT_FORMATS, type DocumentFormat, endingsOf } from "./formats.js";
import { unsupported } from "./skip.js";

const BY_ENDING: ReadonlyMap<string, DocumentFormat> = new Map(
  DOCUMENT_FORMATS.flatMap((format) => endingsOf(format).map((ending) => [ending, format] as const)),
);

const UNREAD_ENDINGS: ReadonlyMap<string, [reason: string, hint: string]> = new Map([
  ["xlsb", ["is a binary Excel file", "Save it as .xlsx."]],
  ["odg", ["is a drawing", "Save it as PDF."]],
  ["msg", ["is an Outlook message", "Save it as .eml."]],
  ["pst", ["is an Outlook mailbox", "Save its messages as .eml."]],
  ["css", ["is a style sheet", "Leave it out, or read it as plain text with --format txt."]],
  ["eps", ["is a PostScript file", "Save it as PDF."]],
  ["ps", ["is a PostScript file", "Save it as PDF."]],
  ["map", ["is a source map", "Leave it out, or read it with --format json."]],
]);

/** Endings of old Office files. Programs also give them to web pages, RTF and tables, which Office opens. */
const OLD_OFFICE_ENDINGS: ReadonlyMap<string, [reason: string, hint: string]> = new Map([
  ["doc", ["is an old Word file", "Save it as .docx or PDF."]],
  ["xls", ["is an old Excel file", "Save it as .xlsx."]],
  ["ppt", ["is an old PowerPoint file", "Save it as .pptx or PDF."]],
]);

/** The first bytes of a file, which show its format. */
const SAMPLE_BYTES = 64 * 1024;
const MAX_HEADER_UNITS = 8 * 1024;

/** A file name taken apart: "Notes.old.md.gz" → stem "Notes.old", ending "md", gzip true. */
export function splitName(fileName: string): { stem: string; ending: string; gzip: boolean } {
  const gzip = /.\.gz$/i.test(fileName);
  const bare = gzip ? fileName.slice(0, -3) : fileName;
  const dot = bare.lastIndexOf(".");
  if (dot <= 0) return { stem: bare, ending: "", gzip };
  return { stem: bare.slice(0, dot), ending: bare.slice(dot + 1).toLowerCase(), gzip };
}

/**
 * The format of a file with this ending, or undefined if the ending is unknown and the content must decide. "zip": the
 * whole archive is needed (`formatOfZip`).
 * @param head  the first bytes, which decide about endings that programs give to files of several formats
 * @throws VerbatimError `unsupported-document` for a known ending that is not supported
 */
export function formatByEnding(ending: string, head: Uint8Array): DocumentFormat | "zip" | undefined {
  const unread = UNREAD_ENDINGS.get(ending);
  if (unread !== undefined) throw unsupported(...unread);
  const oldOffice = OLD_OFFICE_ENDINGS.get(ending);
  if (oldOffice !== undefined) {
    if (magicOf(head)?.name.startsWith("old Office")) throw unsupported(...oldOffice);
    const format = formatByContent(head);
    return format === "txt" && ending === "xls" && isTabSeparated(head) ? "csv" : format;
  }
  const format = BY_ENDING.get(ending);
  return format === "jsonl" ? recordFormat(head) : format;
}

function isTabSeparated(head: Uint8Array): boolean {
  return csvLayout(decodeText(head.subarray(0, SAMPLE_BYTES)).text, head.length > SAMPLE_BYTES).delimiter === "\t";
}

/** Lines that decide whether the records of JSON lines have texts. */
const FIRST_RECORDS = 20;

/** `json` for JSON lines whose records have no `text`: all of their values are read. */
function recordFormat(head: Uint8Array): DocumentFormat {
  let isEmpty = true;
  let count = 0;
  for (const line of firstLines(head)) {
    if (line.trim() === "") continue;
    const record = objectOf(line);
    if (record === undefined ? count === 0 : Object.hasOwn(record, "text")) return "jsonl";
    if (record !== undefined && Object.keys(record).length > 0) isEmpty = false;
    if (++count === FIRST_RECORDS) break;
  }
  return isEmpty ? "jsonl" : "json";
}

/** The lines at the beginning of a text file; [] for binary data. */
function firstLines(head: Uint8Array): string[] {
  try {
    return decodeText(head).text.split("\n", 2 * FIRST_RECORDS);
  } catch {
    return [];
  }
}

function objectOf(line: string): object | undefined {
  try {
    const value = parseJson(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The format that the name of a file shows, if any. */
export function formatByName(path: string): DocumentFormat | undefined {
  return BY_ENDING.get(splitName(basename(path)).ending);
}

/** The formats that the names of these files show. */
export function formatsByName(paths: readonly string[]): DocumentFormat[] {
  return [...new Set(paths.map(formatByName))].filter((format) => format !== undefined);
}

/**
 * The format of data whose name does not decide it. "zip": the whole archive is needed (`formatOfZip`). Other text is
 * `txt`.
 * @throws VerbatimError `unsupported-document` for images, programs and the like
 */
export function formatByContent(head: Uint8Array): DocumentFormat | "zip" {
  const magic = magicOf(head);
  if (magic?.name === "PDF") return "pdf";
  if (magic?.name.startsWith("zip")) return "zip";
  if (magic?.name === "RTF") return "rtf";
  if (magic?.name.endsWith(" image") && magic.name !== "GIF image") return "image";
  if (magic !== undefined) throw unsupported(`holds ${magic.name} data, which is not read`, magic.hint);
  const start = Buffer.from(head.subarray(0, SAMPLE_BYTES))
    .toString("utf8")
    .replace(/^\ufeff/, "")
    .trimStart();
  if (startsLikeHtml(start)) return "html";
  // Man pages end in a number, as do other files: "ls.1", "libx.so.1".
  if (
    /^(?:['.]\\"[^\n]{0,300}\r?\n\s*){0,200}(?:['.]\\"|\.(?:TH|Dd|Sh|SH|so|nh|ad|if|ie|de|pc|hy)\s)/.test(
      start.slice(0, 20_000),
    ) &&
    /^\.(?:TH|Dd|so)\s/m.test(start)
  )
    return "man";
  if (/^WEBVTT\s/.test(start)) return "vtt";
  if (startsLikeMhtml(start)) return "eml";
  if (/^From \S{1,200} [^\n]{0,200}\d{4}\r?\n[\w-]{1,50}: /.test(start)) return "mbox";
  if (start.startsWith("{")) {
    if (startsLikeSquad(start)) return "json";
    if (isRecordLine(start.split("\n", 1)[0]!)) return "jsonl";
  }
  return "txt";
}

/** Whether the headers of a web page that was saved as a message (RFC 2557) come first. */
function startsLikeMhtml(start: string): boolean {
  if (!/^[\w-]{1,60}:/.test(start)) return false;
  const headers = start.slice(0, MAX_HEADER_UNITS).split(/\n\r?\n/, 1)[0]!;
  return /^MIME-Version:/im.test(headers) && /^Content-Type:\s{0,5}multipart\/related\b/im.test(headers);
}

/**
 * Whether `<html`, its doctype, or a part of a page that programs export without it comes first, after an XML
 * declaration and comments.
 */
function startsLikeHtml(start: string): boolean {
  let at = 0;
  const skipSpace = () => {
    while (at < start.length && start.charCodeAt(at) <= 0x20) at++;
  };
  if (start.startsWith("<?xml")) {
    const end = start.indexOf(">");
    if (end < 0) return false;
    at = end + 1;
    skipSpace();
  }
  while (start.startsWith("<!--", at)) {
    const end = start.indexOf("-->", at + 4);
    if (end < 0) return false;
    at = end + 3;
    skipSpace();
  }
  return /^<(?:!doctype\s{1,100}html|html|head|body|meta|table)[\s>]/i.test(start.slice(at, at + 200));
}

/** Whether `"data": [ {` comes within the first 400 characters, and a key of SQuAD after it. */
function startsLikeSquad(start: string): boolean {
  const data = start.slice(0, 400).indexOf('"data"');
  if (data < 0) return false;
  const opening = start.slice(data + 6, data + 200).replace(/\s+/g, "");
  return opening.startsWith(":[{") && (/"paragraphs"\s*:/.test(start) || /"title"\s*:/.test(start));
}

function isRecordLine(line: string): boolean {
  const record = objectOf(line);
  return record !== undefined && "text" in record && typeof record.text === "string";
}

/** Parts that only one format has. */
const ZIP_PARTS: Record<string, DocumentFormat> = {
  "word/document.xml": "docx",
  "ppt/presentation.xml": "pptx",
  "xl/workbook.xml": "xlsx",
  "META-INF/container.xml": "epub",
};

/** @throws VerbatimError `unsupported-document` for an archive that is not a document */
export function formatOfZip(bytes: Uint8Array): DocumentFormat {
  const entries = listZip(bytes);
  for (const { name } of entries) if (Object.hasOwn(ZIP_PARTS, name)) return ZIP_PARTS[name]!;
  const mimetype = entries.find(({ name, bytes: size }) => name === "mimetype" && size < 200);
  const type = mimetype && Buffer.from(readZipEntry(bytes, mimetype)).toString("latin1");
  const kind = /^application\/vnd\.oasis\.opendocument\.(text|spreadsheet|presentation)/.exec(type ?? "")?.[1];
  if (kind !== undefined) return kind === "text" ? "odt" : kind === "spreadsheet" ? "ods" : "odp";
  throw unsupported("is a zip archive", "Unpack it and index the files.");
}
