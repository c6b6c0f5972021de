/** Which documents of an index a name in a draft means: a file, an id, a title, or a line that contains one. */

import { throwIfAborted } from "../errors.js";
import type { DocumentDescription } from "../index/types.js";
import type { Searcher } from "../search/searcher.js";
import { words } from "../text/words.js";

/** Words of the longest name that is looked for inside a line. */
const MAX_NAME_WORDS = 16;
/** Words of a line that are searched for names. */
const MAX_LINE_WORDS = 200;
/** Words of a remark about a document, which is not its name: "which the manual does not mention". */
const REMARK = /\b(?:which|who|than|would|does|did|not|but|because|although|while|unlike)\b/iu;
const ARTICLES: ReadonlySet<string> = new Set(["the", "a", "an"]);

export class DocumentNames {
  /** Words of a name, joined by spaces → documents, numbered across all segments. */
  readonly #documents = new Map<string, number[]>();
  readonly #ids = new Map<string, number>();
  readonly #idOf = new Map<number, string>();
  /** The names of the source that was added last: the records of a file have one source. */
  #lastSource: { source: string; names: readonly string[] } = { source: "", names: [] };

  /** Reads the names of every document. @throws VerbatimError `aborted`, `corrupt-segment` */
  static async read(searcher: Searcher, signal?: AbortSignal): Promise<DocumentNames> {
    const names = new DocumentNames();
    const { firstDocuments } = searcher.numbering;
    for (const [s, segment] of searcher.snapshot.segments.entries()) {
      let number = 0;
      for await (const description of segment.describeDocuments(signal)) {
        throwIfAborted(signal);
        if (!segment.isDeleted(number)) names.#add(firstDocuments[s]! + number, description);
        number++;
      }
    }
    return names;
  }

  /** The document with this id. */
  withId(id: string): number | undefined {
    return this.#ids.get(id);
  }

  idOf(document: number): string {
    return this.#idOf.get(document)!;
  }

  /** The documents that have exactly this name. */
  withName(name: string): Set<number> {
    return new Set(this.#named(name));
  }

  /**
   * The documents that a name means. The whole name counts first, then its parts between commas,
   * then names of several words, or of a file, inside it.
   */
  named(name: string): Set<number> {
    const whole = this.#named(name);
    if (whole.length > 0) return new Set(whole);
    const parts = name.split(/[,;:()|]|\s[–—-]\s/u).flatMap((part) => this.#named(part));
    if (parts.length > 0) return new Set(parts);
    if (REMARK.test(name.split(/[.!?]\s/, 1)[0]!)) return new Set();
    const named = runsWithEnding(name).flatMap((file) => this.#named(file));
    return new Set(named.length > 0 ? named : this.#inside(name));
  }

  /** The longest names of two words or more inside a line. */
  #inside(name: string): number[] {
    const line = wordsOf(name).slice(0, MAX_LINE_WORDS);
    for (let length = Math.min(MAX_NAME_WORDS, line.length - 1); length >= 2; length--) {
      const found: number[] = [];
      for (let at = 0; at + length <= line.length; at++) {
        found.push(...(this.#documents.get(line.slice(at, at + length).join(" ")) ?? []));
      }
      if (found.length > 0) return found;
    }
    return [];
  }

  #named(name: string): number[] {
    const line = wordsOf(name);
    const exact = this.#documents.get(line.join(" "));
    if (exact !== undefined || !ARTICLES.has(line[0] ?? "")) return exact ?? [];
    return this.#documents.get(line.slice(1).join(" ")) ?? [];
  }

  #add(document: number, { id, title, source }: DocumentDescription): void {
    this.#ids.set(id, document);
    this.#idOf.set(document, id);
    if (source !== this.#lastSource.source) this.#lastSource = { source, names: namesOfPath(source) };
    const names = new Set(this.#lastSource.names);
    if (id !== source) for (const name of namesOfPath(id)) names.add(name);
    const titleWords = wordsOf(title);
    names.add(titleWords.join(" "));
    if (titleWords.length > 1 && ARTICLES.has(titleWords[0]!)) names.add(titleWords.slice(1).join(" "));
    for (const name of names) {
      if (name === "") continue;
      const known = this.#documents.get(name);
      if (known === undefined) this.#documents.set(name, [document]);
      else known.push(document);
    }
  }
}

/** What looks like a file name: a run without white space and brackets, up to its last ending. */
function runsWithEnding(name: string): string[] {
  return name.split(/[\s()[\]<>"'`]/u).flatMap((run) => {
    const ending = [...run.matchAll(/\.\p{L}\w{0,5}\b/gu)].at(-1);
    return ending === undefined || ending.index === 0 ? [] : [run.slice(0, ending.index + ending[0].length)];
  });
}

/** The path, the file, and the file without its ending, in words. */
function namesOfPath(path: string): string[] {
  const base = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  const bare = base.replace(/\.\w{1,8}$/, "");
  return [...new Set([path, base, bare])].map(keyOf);
}

const NOT_ASCII = /[^\0-\x7f]/;
/** The words of `words`, whose folding most names do not need. */
function wordsOf(text: string): string[] {
  if (NOT_ASCII.test(text)) return Array.from(words(text), ({ text: word }) => word);
  return text.toLowerCase().match(/[0-9a-z]+/g) ?? [];
}
const keyOf = (text: string): string => wordsOf(text).join(" ");
