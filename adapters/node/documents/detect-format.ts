/** Which format a file has: by its ending, else by its first bytes. */

import { basename } from "node:path";
import { magicOf } from "./decode.js";
import { listZip, readZipEntry } from "./formats/zip.js";
import { DOCUMENT_FORMATS, type DocumentFormat, endingsOf } from "./formats.js";
import { unsupported } from "./skip.js";

const BY_ENDING: ReadonlyMap<string, DocumentFormat> = new Map(
  DOCUMENT_FORMATS.flatMap((format) => endingsOf(format).map((ending) => [ending, format] as const)),
);

const UNREAD_ENDINGS: Record<string, string> = {
  doc: "is an old Word file",
  xls: "is an old Excel file",
  xlsb: "is a binary Excel file",
  ppt: "is an old PowerPoint file",
  odg: "is a drawing",
  msg: "is an Outlook message",
  pst: "is an Outlook mailbox",
};

/** A file name taken apart: "Notes.old.md.gz" → stem "Notes.old", ending "md", gzip true. */
export function splitName(fileName: string): { stem: string; ending: string; gzip: boolean } {
  const gzip = /.\.gz$/i.test(fileName);
  const bare = gzip ? fileName.slice(0, -3) : fileName;
  const dot = bare.lastIndexOf(".");
  if (dot <= 0) return { stem: bare, ending: "", gzip };
  return { stem: bare.slice(0, dot), ending: bare.slice(dot + 1).toLowerCase(), gzip };
}

/**
 * The format of an ending, or undefined if the content must decide.
 * @throws VerbatimError `unsupported-document` for a known ending that is not supported
 */
export function formatByEnding(ending: string): DocumentFormat | undefined {
  const unread = Object.hasOwn(UNREAD_ENDINGS, ending) ? UNREAD_ENDINGS[ending] : undefined;
  if (unread !== undefined) throw unsupported(unread, "Save it as .docx, .xlsx, .pptx, .eml or PDF.");
  return BY_ENDING.get(ending);
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
  const start = Buffer.from(head.subarray(0, 64 * 1024))
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
  if (/^From \S{1,200} [^\n]{0,200}\d{4}\r?\n[\w-]{1,50}: /.test(start)) return "mbox";
  if (start.startsWith("{")) {
    if (startsLikeSquad(start)) return "json";
    if (isRecordLine(start.split("\n", 1)[0]!)) return "jsonl";
  }
  return "txt";
}

/** Whether `<html` or its doctype comes first, after an XML declaration and comments. */
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
  return /^<(?:!doctype\s{1,100}html|html)[\s>]/i.test(start.slice(at, at + 200));
}

/** Whether `"data": [ {` comes within the first 400 characters, and a key of SQuAD after it. */
function startsLikeSquad(start: string): boolean {
  const data = start.slice(0, 400).indexOf('"data"');
  if (data < 0) return false;
  const opening = start.slice(data + 6, data + 200).replace(/\s+/g, "");
  return opening.startsWith(":[{") && (/"paragraphs"\s*:/.test(start) || /"title"\s*:/.test(start));
}

function isRecordLine(line: string): boolean {
  try {
    const record: unknown = JSON.parse(line);
    return typeof record === "object" && record !== null && "text" in record && typeof record.text === "string";
  } catch {
    return false;
  }
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
