/** Mail (RFC 5322, MIME): headers as fields and text, the text of the message, quoted replies, attached documents. */

import { isUtf8 } from "node:buffer";
import PostalMime, { type Address, type Attachment, type Email } from "postal-mime";
import { oneLine } from "../../../../../src/text/one-line.js";
import type { Document } from "../../../../../src/types.js";
import { decodeText } from "../../decode.js";
import type { ReadContext } from "../../input.js";
import type { ReadLimits } from "../../limits.js";
import { withWindows1252 } from "../../older-encodings.js";
import { skipOf, unreadable } from "../../skip.js";
import { parseHtml } from "../html/html.js";
import { writeHtmlText } from "../html/html-text.js";
import { metadataOf } from "../records.js";
import { TextBuilder } from "../text-builder.js";
import { replaceFlowedText } from "./flowed-text.js";
import { fieldsOf, writeHeaders } from "./mail-headers.js";
import { hasMoreParts, isHtmlMail } from "./mime-parts.js";

/** Levels of parts in parts. */
const MAX_NESTING = 30;
/** Reading headers takes time quadratic in their number. */
const MAX_HEADERS_BYTES = 128 * 1024;
/** Reading parts takes time quadratic in their number: postal-mime visits all earlier ones at the end of each. */
const MAX_PARTS = 1000;
/** Further attachments of one message are left out. */
const MAX_ATTACHMENTS = 50;

replaceFlowedText();

/** @throws VerbatimError `unreadable-document` without headers, or when nested too deeply */
export async function readEml(bytes: Uint8Array, context: ReadContext): Promise<Document[]> {
  return messageDocuments(bytes, context, { id: context.input.id, place: "" });
}

interface Message extends Email {
  /** Its text is HTML without a plain alternative; a footer may be plain. */
  isHtml: boolean;
}

type Html = ReturnType<typeof parseHtml>;

interface MessageOptions {
  /** Document id. */
  id: string;
  /** Put before the places: "message 17". */
  place: string;
  /** True if quotes of the message with this Message-ID are left out, because it is read itself. */
  isKnown?(messageId: string): boolean;
  /** Called with the Message-ID, if there is one. */
  onMessageId?(messageId: string): void;
}

/**
 * The documents of one message: the message itself, and each attachment that is a document (`<id>#<file name>`). Places
 * are "header", "text" and "quoted". Nothing that a message refers to is fetched.
 * @throws VerbatimError `unreadable-document` without headers, or when nested too deeply
 */
export async function messageDocuments(
  bytes: Uint8Array,
  context: ReadContext,
  options: MessageOptions,
): Promise<Document[]> {
  const email = await parse(bytes);
  const { messageId, inReplyTo } = email;
  if (messageId !== undefined) options.onMessageId?.(messageId);
  const isQuoteKnown = inReplyTo !== undefined && (options.isKnown?.(inReplyTo.trim()) ?? false);
  const pathOf = (part: string) => (options.place === "" ? part : `${options.place}, ${part}`);
  const builder = new TextBuilder(context.limits);
  const isPage = isSavedPage(email);
  const fields = isPage ? { ...fieldsOf(email), from: undefined } : fieldsOf(email);
  if (!isPage) writeHeaders(email, builder, { path: pathOf("header") });
  const text = email.text?.trim() ? email.text : undefined;
  const html = htmlBody(email, context.limits);
  if (html !== undefined)
    writeHtmlText(html, builder, { mark: () => ({ path: pathOf("text") }), withoutNavigation: isPage });
  else if (text !== undefined) writeText(text, builder, { pathOf, isQuoteKnown });
  const message: Document = {
    id: options.id,
    title: fields.subject || context.name,
    source: context.input.path,
    ...builder.content("mail"),
    metadata: metadataOf(Object.entries(fields)),
  };
  return [message, ...(await attachedDocuments(email.attachments, context, options))];
}

/** Whether a browser saved a page as this message (.mhtml, .mht): its sender is the browser. */
function isSavedPage({ headers }: Email): boolean {
  return headers.some(
    ({ key, value }) => key === "snapshot-content-location" || (key === "from" && /^\W?Saved by /i.test(value.trim())),
  );
}

/** An HTML body with at least this much text is read instead of a plain one … */
const MIN_HTML_UNITS = 200;
/** … that has less than this share of it: "Your mail program cannot show this message." */
const STUB_SHARE = 0.1;

/**
 * The HTML body, if there is no plain one, or if that is only a stub. The plain text that postal-mime makes from HTML
 * parts has neither tables nor headings, so it is only read if the HTML cannot be.
 */
function htmlBody({ text = "", html = "", isHtml }: Message, limits: ReadLimits): Html | undefined {
  const plain = oneLine(text).length;
  if (html.trim() === "") return undefined;
  if (plain === 0) return parseHtml(html, limits);
  // The text of HTML is never longer than its source.
  const mayBeStub = html.length >= MIN_HTML_UNITS && plain < STUB_SHARE * html.length;
  if (!isHtml && !mayBeStub) return undefined;
  try {
    const tree = parseHtml(html, limits);
    if (isHtml) return tree;
    const measured = new TextBuilder(limits);
    writeHtmlText(tree, measured, { mark: () => ({}) });
    return measured.length >= MIN_HTML_UNITS && plain < STUB_SHARE * measured.length ? tree : undefined;
  } catch (error) {
    if (skipOf(error, "") === undefined) throw error;
    return undefined; // the plain body can be read
  }
}

async function parse(bytes: Uint8Array): Promise<Message> {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, MAX_HEADERS_BYTES));
  if (bytes.length > MAX_HEADERS_BYTES && !/\n\r?\n/.test(start.toString("latin1"))) {
    throw unreadable("has headers of more than 128 kB", "Use --format txt, if it is plain text.");
  }
  if (hasMoreParts(bytes, MAX_PARTS)) throw unreadable("has more than 1,000 parts", "Save its parts as files.");
  try {
    const limits = { maxNestingDepth: MAX_NESTING, maxHeadersSize: MAX_HEADERS_BYTES };
    const parser = new PostalMime(limits);
    const email = asWindows1252(await parser.parse(withDeclaredText(bytes)));
    if (email.headers.some(({ key }) => /^(?:from|to|date|subject|message-id|received|return-path)$/.test(key)))
      return { ...email, isHtml: isHtmlMail(parser) };
  } catch (error) {
    if (/nesting|depth/i.test((error as Error).message))
      throw unreadable("is nested too deeply", "Save its parts as files.", error);
    throw unreadable("is damaged (its headers cannot be read)", "Save the message again.", error);
  }
  throw unreadable("is not a mail (it has no headers)", "Use --format txt, if it is plain text.");
}

/** Text that is not UTF-8 in a mail that names no encoding is decoded as in a file without one. */
function withDeclaredText(bytes: Uint8Array): Uint8Array {
  if (isUtf8(bytes) || namesCharset(bytes)) return bytes;
  return Buffer.from(decodeText(bytes).text);
}

/** Whether a Content-Type header of the mail or of a part of it names an encoding. */
function namesCharset(bytes: Uint8Array): boolean {
  let isType = false;
  for (const line of Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1").split("\n")) {
    isType = /^[ \t]/.test(line) ? isType : /^content-type:/i.test(line);
    if (isType && /charset\s*=/i.test(line)) return true;
  }
  return false;
}

/** A mail whose texts Node.js decoded as Latin-1 if they say that they are windows-1252, or Latin-1. */
function asWindows1252(email: Email): Email {
  const address = (one: Address): Address => ({ ...one, name: withWindows1252(one.name) });
  return {
    ...email,
    from: email.from && address(email.from),
    to: email.to?.map(address),
    cc: email.cc?.map(address),
    subject: email.subject && withWindows1252(email.subject),
    text: email.text && withWindows1252(email.text),
    html: email.html && withWindows1252(email.html),
    attachments: email.attachments.map((one) => ({ ...one, filename: one.filename && withWindows1252(one.filename) })),
  };
}

const QUOTE = /^\s{0,3}>[\s>]*/;
/** "On 3 May 2031, Ana wrote:", "Am 3. Mai schrieb Ana:", "Le 3 mai, Ana a écrit :" */
const ATTRIBUTION =
  /^(?:On|Am|Le|El|Il|Op|Em)\s.{5,300}(?:wrote|schrieb|a écrit|escribió|ha scritto|schreef|escreveu).{0,60}:$/i;
/** Mail programs end an attribution with the verb; only in German and Dutch the sender follows it. */
const ATTRIBUTION_END = /(?:wrote|a écrit|escribió|ha scritto|escreveu)\s?:$|(?:schrieb|schreef)\s/i;
/** One of these is in an attribution: an address, a time, a year, "3/5", "3.5.31", "3. Mai", "3 de mayo", "May 3". */
const SENDER_OR_TIME = [
  /\S@\S/,
  /\d[:h]\d\d/,
  /\b(?:19|20)\d\d\b/,
  /\b\d{1,2}(?:\/\d|[.-]\d{1,2}[.-](?:\d\d|\s))/,
  /\b\d{1,2}(?:st|nd|rd|th|er|[.º])?\s(?:(?:of|de|di)\s)?(?:jan|ene|gen|f[eé][bv]|m[aä]r|mrz|maa|mrt|a[bpv]r|ma[giy]|mei|ju[iln]|giu|lug|aug|ago|ao[uû]|se[pt]|o[ck]t|ott|out|nov|d[eéi][cz])/i,
  /\b(?:jan|feb|mar|apr|may|ju[ln]|aug|sep|oct|nov|dec)[a-z]{0,6}\.?\s\d/i,
];
/** What Outlook puts above the message that is answered; the rest is quoted without marks. */
const ORIGINAL = /^-{2,}\s*(?:Original Message|Ursprüngliche Nachricht|Message d'origine|Forwarded message)\s*-{2,}$/i;

/** Writes a plain body: paragraphs of the quoted message have the place "quoted", and lose their ">". */
function writeText(
  text: string,
  builder: TextBuilder,
  options: { pathOf: (part: string) => string; isQuoteKnown: boolean },
): void {
  const { pathOf, isQuoteKnown } = options;
  let wasQuoted = false;
  let isOriginal = false;
  const lines = text.split(/\r\n|\n|\r/);
  for (const [at, line] of lines.entries()) {
    isOriginal ||= ORIGINAL.test(line.trim());
    const isQuoted = isOriginal || QUOTE.test(line) || isAttribution(lines, at);
    const shown = line.replace(QUOTE, "").trimEnd();
    if (isQuoted !== wasQuoted || shown === "") builder.separate("\n\n");
    if (line.trim() !== "") wasQuoted = isQuoted;
    if (shown === "" || (isQuoted && isQuoteKnown)) continue;
    // The signature begins after "-- ".
    if (shown === "--") continue;
    builder.separate("\n");
    builder.write(shown, { path: pathOf(isQuoted ? "quoted" : "text") });
    builder.separate("\n");
  }
}

/**
 * Whether a line introduces the message that is answered: a quotation follows it, or it names the sender or a time.
 * Other lines are sentences of the message: "On Monday we wrote to them about the following:".
 */
function isAttribution(lines: readonly string[], at: number): boolean {
  const line = lines[at]!.trim();
  if (!ATTRIBUTION.test(line)) return false;
  let next = at + 1;
  while (lines[next]?.trim() === "") next++;
  if (QUOTE.test(lines[next] ?? "")) return true;
  return ATTRIBUTION_END.test(line) && SENDER_OR_TIME.some((pattern) => pattern.test(line));
}

/** Names of attachments without one, by type: Outlook attaches messages so. */
const UNNAMED: Record<string, string> = {
  "message/rfc822": "message.eml",
  "text/plain": "text.txt",
  "text/html": "page.html",
  "application/pdf": "document.pdf",
};
const CALENDAR = "text/calendar";

/**
 * The file name of an attachment; "" for a part that is not one. An invitation is a part without a name, and often
 * attached as a file as well.
 */
function attachmentName({ filename, mimeType, disposition }: Attachment, all: readonly Attachment[]): string {
  if (mimeType === CALENDAR && !filename)
    return all.some((other) => /\.ics$/i.test(other.filename ?? "")) ? "" : "invitation.ics";
  // A report of delivery has parts without a name, too, but does not say that they are attachments.
  const name = filename || (disposition === "attachment" ? UNNAMED[mimeType] : undefined);
  return name?.replace(/[\r\n/\\]+/g, "_").slice(0, 200) ?? "";
}

/** Attachments in a format that is read, each as a document of its own. One that cannot be read is reported. */
async function attachedDocuments(
  attachments: readonly Attachment[],
  context: ReadContext,
  { id, place }: MessageOptions,
): Promise<Document[]> {
  const documents: Document[] = [];
  const parts = attachments.slice(0, MAX_ATTACHMENTS);
  for (const [i, attachment] of parts.entries()) {
    const { mimeType, content } = attachment;
    if (mimeType === "message/external-body") continue; // only says where the attachment is
    const name = attachmentName(attachment, parts);
    if (name === "" || typeof content === "string") continue;
    const bytes = content instanceof Uint8Array ? content : new Uint8Array(content);
    const own = `${id}#${i + 1}-${name}`;
    for (const [n, document] of (await context.readPart(name, bytes)).entries()) {
      const segments = document.map.segments.map((segment) => ({
        ...segment,
        path: [place, `attachment ${name}`, segment.path].filter(Boolean).join(", "),
      }));
      documents.push({
        ...document,
        id: n === 0 ? own : `${own}#${n + 1}`,
        map: { ...document.map, segments },
      });
    }
  }
  return documents;
}
