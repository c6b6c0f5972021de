/**
 * The address holds the state of the page: a link shows the same question and the same place in a
 * document.
 */

import { murmur3 } from "../../src/text/murmur3.js";
import type { Answer } from "./api.js";
import { storedValues } from "./stored-values.js";

export interface Opened {
  id: string;
  start: number;
  end: number;
  /** Hash of the text there, as `hashOf` gives it, to notice when the document has changed. */
  hash?: string;
}

/** A short hash of an answer's text. */
const hashOf = (text: string): string => murmur3(text).toString(36);

/** The place of an answer, with the hash of its text. */
export function openedAt({
  documentId,
  start,
  end,
  text,
}: Pick<Answer, "documentId" | "start" | "end" | "text">): Opened {
  return { id: documentId, start, end, hash: hashOf(text) };
}

/**
 * The place of a range in a part of a text that may have moved: the given one if its hash is right,
 * else the nearest one with that hash.
 * @param text  begins at the offset `from` of the document
 * @returns undefined if no range of this length has the hash
 */
export function placeAgain(
  text: string,
  from: number,
  { start, end, hash }: Opened,
): { start: number; end: number } | undefined {
  const length = end - start;
  const fits = (at: number): boolean =>
    at >= 0 && at + length <= text.length && hashOf(text.slice(at, at + length)) === hash;
  if (hash === undefined || length === 0) return { start, end };
  const wanted = start - from;
  for (let step = 0; step <= text.length; step++) {
    for (const at of step === 0 ? [wanted] : [wanted - step, wanted + step])
      if (fits(at)) return { start: from + at, end: from + at + length };
  }
  return undefined;
}

export interface Address {
  question: string;
  opened: Opened | undefined;
}

export function readAddress(): Address {
  const query = new URLSearchParams(location.search);
  const id = query.get("doc");
  const [start, end] = [Number(query.get("start")), Number(query.get("end"))];
  const fits = id !== null && Number.isInteger(start) && Number.isInteger(end) && start >= 0 && end >= start;
  const hash = query.get("hash") ?? undefined;
  const opened = fits ? { id, start, end, ...(hash === undefined ? {} : { hash }) } : undefined;
  return { question: (query.get("q") ?? "").slice(0, 2000), opened };
}

/**
 * The address that shows a question and an opened document.
 * @param base  the page at which it is shown; by default, this one
 */
export function linkTo({ question, opened }: Address, base: string | URL = location.href): string {
  const query = new URLSearchParams();
  if (question !== "") query.set("q", question);
  if (opened !== undefined) {
    query.set("doc", opened.id);
    query.set("start", String(opened.start));
    query.set("end", String(opened.end));
    if (opened.hash !== undefined) query.set("hash", opened.hash);
  }
  const link = new URL(base);
  link.search = query.toString();
  link.hash = "";
  return link.href;
}

const MAX_REMEMBERED = 20;

/** Sites on one host share its storage. */
const historyKey = (folder: string): string => `verbatim-history ${folder}`;

/**
 * Questions asked in this browser, the newest first.
 * @param folder  path of the site's folder, or of the server
 */
export function pastQuestions(folder: string): string[] {
  try {
    const stored: unknown = JSON.parse(storedValues.get(historyKey(folder)) ?? "[]");
    return Array.isArray(stored) ? stored.filter((it): it is string => typeof it === "string") : [];
  } catch {
    return [];
  }
}

export function remember(question: string, folder: string): void {
  const list = [question, ...pastQuestions(folder).filter((past) => past !== question)].slice(0, MAX_REMEMBERED);
  storedValues.set(historyKey(folder), JSON.stringify(list));
}

export function forgetAll(folder: string): void {
  storedValues.remove(historyKey(folder));
}
