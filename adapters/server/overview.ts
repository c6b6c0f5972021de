/** What the start page shows of an index: folders, new documents, and questions to begin with. */

import { isUnspaced } from "../../src/text/blocks.js";
import type { DocumentStore } from "./document-store.js";
import type { ListedDocument } from "./http/schemas.js";

export interface Overview {
  documents: number;
  /** Largest first. */
  folders: { folder: string; documents: number }[];
  /** By the day of their last change, newest first. */
  newest: ListedDocument[];
  /** Made from headings of the newest documents. */
  questions: string[];
}

const FOLDERS = 12;
const NEWEST = 8;
const QUESTIONS = 3;
/** Documents at the end of the index, which were indexed last, that are compared by day. */
const COMPARED = 200;
/** Beginning of a document that is searched for headings, in UTF-16 units. */
const SEARCHED = 6000;

/** Reads at most 200 records and the beginnings of 8 documents. */
export async function overviewOf(store: Pick<DocumentStore, "ids" | "describe" | "text">): Promise<Overview> {
  const ids = (await store.ids()) ?? [];
  const last = await Promise.all(
    ids
      .slice(-COMPARED)
      .reverse()
      .map((id) => store.describe(id)),
  );
  const newest = last.filter((it) => it !== undefined).sort((a, b) => compare(dayOf(b), dayOf(a)));
  const questions: string[] = [];
  for (const document of newest.slice(0, NEWEST)) {
    if (questions.length >= QUESTIONS) break;
    const question = questionAbout(document.title, (await store.text(document.id, 0, SEARCHED)) ?? "");
    if (question !== undefined && !questions.includes(question)) questions.push(question);
  }
  return { documents: ids.length, folders: foldersOf(ids), newest: newest.slice(0, NEWEST), questions };
}

const dayOf = ({ metadata }: ListedDocument): string => String(metadata["file.modified"] ?? "");

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function foldersOf(ids: readonly string[]): Overview["folders"] {
  const counts = new Map<string, number>();
  for (const id of ids) {
    const folder = id.includes("/") ? id.slice(0, id.lastIndexOf("/")) : "";
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const folders = [...counts].map(([folder, documents]) => ({ folder, documents }));
  return folders.sort((a, b) => b.documents - a.documents || compare(a.folder, b.folder)).slice(0, FOLDERS);
}

/**
 * A question from the first heading after the title; undefined without one. Extracted text has no
 * marks of headings: a short line of words between blank lines, without a full stop, is one.
 * Headings that every document of a kind has ("Overview", "SEE ALSO") say nothing about this one.
 */
export function questionAbout(title: string, text: string): string | undefined {
  const blocks = text.split(/\n{2,}/).map((block) => block.trim());
  for (const [at, block] of blocks.entries()) {
    const follows = blocks[at + 1] ?? "";
    if (block === title || !isHeading(block) || follows.length < 2 * block.length) continue;
    const name = block.replace(/^[\d.]+\s+/, "");
    if (isGeneric(name)) continue;
    return name.endsWith("?") ? unmarked(name) : `What does ‘${unmarked(title)}’ say about ‘${unmarked(name)}’?`;
  }
  return undefined;
}

/** Without double quotation marks, which would be operators of a question. */
const unmarked = (text: string): string => text.replace(/["“”„‟«»]/gu, "");

function isHeading(block: string): boolean {
  return (
    block.length >= 4 &&
    block.length <= 60 &&
    /^[\p{Lu}\p{Lo}\d]/u.test(block) &&
    !/[\n|.:;,!。：；，！]/.test(block.replace(/^[\d.]+\s/, ""))
  );
}

/** True for one word of a script with spaces, and for headings in capital letters alone. */
function isGeneric(heading: string): boolean {
  if (!/\p{Ll}/u.test(heading) && /\p{Lu}/u.test(heading)) return true;
  return !/\s/.test(heading) && !isUnspaced(heading.charCodeAt(0));
}
