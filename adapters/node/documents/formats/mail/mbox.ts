/**
 * Mailboxes (mbox, RFC 4155) as a stream: each message is a document, with bounded memory however large the file is.
 */

import { VerbatimError } from "../../../../../src/errors.js";
import type { Document } from "../../../../../src/types.js";
import type { ReadContext } from "../../input.js";
import { formatBytes, unreadable } from "../../skip.js";
import { RecordSkips, SeenIds } from "../records.js";
import { messageDocuments } from "./mail.js";

/**
 * Ids are `<file>#<Message-ID>`, so that they stay when a message before is deleted; else `<file>#<number>`. What a
 * message quotes of one before it in the mailbox is left out. Messages that cannot be read are reported and skipped,
 * deleted ones are left out. A mailbox that is read again begins after the messages that were delivered.
 * @throws VerbatimError `unreadable-document` if the file does not begin like a mailbox
 */
export async function* readMbox(stream: AsyncIterable<Uint8Array>, context: ReadContext): AsyncGenerator<Document> {
  const skips = new RecordSkips(context.skipRecord);
  const ids = new SeenIds();
  const messages = new SeenIds();
  const idOf = (messageId: string) => `${context.input.id}#${messageId.replace(/^<|>$/g, "")}`;
  const { after: delivered = 0, failures = [] } = context.resume ?? {};
  let number = 0;
  try {
    for await (const bytes of messagesOf(stream, context.limits.maxMarkupBytes)) {
      number++;
      const place = `message ${number}`;
      if (bytes === undefined) {
        if (number <= delivered) continue;
        const reason = `${place} is larger than ${formatBytes(context.limits.maxMarkupBytes)}`;
        skips.report({ reason, code: "unreadable-document" });
        context.onRecordEnd?.(number);
        continue;
      }
      if (isDeleted(bytes)) continue;
      if (number <= delivered) {
        const messageId = messageIdOf(bytes);
        if (messageId !== undefined) {
          ids.add(idOf(messageId));
          messages.add(messageId);
        }
        continue;
      }
      const failure = failures.find(({ record }) => record === number);
      if (failure !== undefined) {
        const { reason, hint } = failure;
        skips.report({ reason: `${place} ${reason}`, code: "unreadable-document", hint });
        context.onRecordEnd?.(number);
        continue;
      }
      context.onRecordStart?.(number);
      try {
        let id = `${context.input.id}#${number}`;
        const options = {
          id,
          place,
          isKnown: (messageId: string) => messages.has(messageId),
          onMessageId: (messageId: string) => {
            id = idOf(messageId);
            messages.add(messageId.trim());
          },
        };
        const documents = await messageDocuments(bytes, context, options);
        if (!ids.add(id)) id = options.id;
        for (const document of documents) {
          const own = document.id.slice(options.id.length);
          if (document.text.trim() !== "") yield { ...document, id: `${id}${own}` };
        }
      } catch (error) {
        if (!(error instanceof VerbatimError) || error.code === "aborted") throw error;
        skips.report({ reason: `${place} ${error.message}`, code: "unreadable-document", hint: error.hint });
      }
      context.onRecordEnd?.(number);
    }
  } finally {
    skips.finish();
  }
  if (number === 0)
    throw unreadable('is not a mailbox (no line begins with "From ")', "Use --format eml for one message.");
}

const FROM = Buffer.from("From ");
const LINE_FROM = Buffer.from("\nFrom ");
const NEWLINE = 0x0a;

/** The messages without their "From " line; undefined for one that is longer than `maxBytes`. */
async function* messagesOf(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array | undefined> {
  let parts: Buffer[] = [];
  let length = 0;
  let isTooLong = false;
  let begun = false;
  let rest = Buffer.alloc(0);
  const take = (piece: Buffer) => {
    length += piece.length;
    if (length > maxBytes) {
      isTooLong = true;
      parts = [];
    } else if (!isTooLong) parts.push(piece);
  };
  const end = (): Uint8Array | undefined => {
    const message = isTooLong ? undefined : unescaped(Buffer.concat(parts, length));
    parts = [];
    length = 0;
    isTooLong = false;
    return message;
  };
  for await (const part of stream) {
    rest = Buffer.concat([rest, part]);
    if (!begun) {
      if (rest.length < FROM.length) continue;
      if (!rest.subarray(0, FROM.length).equals(FROM)) return;
      begun = true;
    }
    let from = 0;
    // The start, or the rest, of the next separator may come with the next part.
    let undecided = rest.length - LINE_FROM.length;
    for (let at = rest.indexOf(LINE_FROM); at >= 0; at = rest.indexOf(LINE_FROM, at + 1)) {
      const line = lineAt(rest, at + 1);
      const next = line === undefined ? undefined : lineAt(rest, at + 2 + line.length);
      if (line === undefined || next === undefined) {
        undecided = at;
        break;
      }
      if (!isSeparator(line, next)) continue;
      take(rest.subarray(from, at + 1));
      from = at + 1;
      yield end();
    }
    const keep = Math.max(from, undecided);
    take(Buffer.from(rest.subarray(from, keep)));
    rest = Buffer.from(rest.subarray(keep));
  }
  take(rest);
  if (begun) yield end();
}

/** Bytes of a line that are looked at. */
const LINE_BYTES = 1024;

/** The line that begins at `from`; undefined if more of it is needed. */
function lineAt(bytes: Buffer, from: number): string | undefined {
  const line = bytes.subarray(from, from + LINE_BYTES);
  const end = line.indexOf(NEWLINE);
  if (end < 0 && line.length < LINE_BYTES) return undefined;
  return line.toString("latin1", 0, end < 0 ? line.length : end);
}

/**
 * Whether a line begins a message: it names a sender and a time, or one of them, and a header follows. Not every program
 * marks lines of the text that begin with "From ".
 */
function isSeparator(line: string, next: string): boolean {
  const hasSender = /^From [^\s@]*@/.test(line);
  const hasTime = /\d\d:\d\d/.test(line) && /\b\d{4}\b/.test(line);
  return (hasSender && hasTime) || ((hasSender || hasTime) && /^(?:[!-9;-~]+:|>From )/.test(next));
}

/** Drops the "From " line, and the ">" that programs put before such a line in the text. */
function unescaped(message: Buffer): Uint8Array {
  const line = message.subarray(0, FROM.length).equals(FROM) ? message.indexOf(NEWLINE) + 1 : 0;
  const body = message.subarray(line);
  if (!body.includes("\n>From ")) return body;
  return Buffer.from(body.toString("latin1").replace(/\n>(>*From )/g, "\n$1"), "latin1");
}

/** Bytes of a message in which a header is looked for without parsing it. */
const MAX_HEADERS_BYTES = 16 * 1024;
const HEADERS_END = /\r?\n\r?\n/;
const MOZILLA_STATUS = /^X-Mozilla-Status:[ \t]?([0-9a-f]{4})\b/im;
/** `nsMsgMessageFlags.Expunged` */
const EXPUNGED = 0x0008;

const MESSAGE_ID = /^Message-ID:[ \t]?(?:\r?\n[ \t])?(\S+)/im;

/** Whether Thunderbird has deleted a message: it stays in the file until the folder is compacted. */
function isDeleted(message: Uint8Array): boolean {
  const status = MOZILLA_STATUS.exec(headersOf(message))?.[1] ?? "0";
  return (Number.parseInt(status, 16) & EXPUNGED) !== 0;
}

const messageIdOf = (message: Uint8Array): string | undefined => MESSAGE_ID.exec(headersOf(message))?.[1];

function headersOf(message: Uint8Array): string {
  const start = Buffer.from(message.buffer, message.byteOffset, Math.min(message.length, MAX_HEADERS_BYTES));
  return start.toString("latin1").split(HEADERS_END, 1)[0]!;
}
