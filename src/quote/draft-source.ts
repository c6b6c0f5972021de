/** The source that a draft names next to a quotation. */

import type { QuotationInput } from "./types.js";

const MAX_NAME_UNITS = 300;
const MAX_BRACKET_UNITS = 200;
const NOTE_MARK = /^\[\^?([^[\]\s]{1,60})\](?![(:])/;
const PARENTHESES = /^\(([^()]{1,300})\)/;
const LINK = /^\[([^[\]]{1,300})\]\(([^()\s]{1,300})(?:\s[^()]*)?\)/;
const BRACKETS = /^\[([^[\]]{2,300})\]/;
const DASH = /^(?:[—–]|--?(?=\s))\s*(.{1,200})/u;
/** The ending of a file name. */
const FILE_ENDING = /\.(?:md|txt|pdf|html?|docx?|epub|csv|jsonl?|tex|rst|org|odt|rtf|pptx?|xlsx?|eml)\b/giu;
const CUE = /\b(?:according to|as stated in|quoting) /iu;
const SPEECH = / (?:says|states|reads|notes|explains|reports|warns|puts it(?: this way)?|has it)[:,]? ?$/iu;
/** What is before the emphasised name of a source. */
const LEADS_TO_SOURCE =
  /\b(?:in|from|see|per|cf\.?|by|of|quotes?|quoting|according to|as stated in|on page \d{1,5} of)(?: the| our| their| its| his| her)? $/iu;
/** What is after it, up to the quotation. */
const SAYS =
  /^ (?:\(\d{4}\) )?(?:also |then |itself |simply |only )?(?:says|said|states|stated|reads|read|notes|noted|explains|explained|reports|reported|warns|warned|writes|wrote|adds|added|claims|claimed|puts it(?: this way)?|has it)(?: that| this)?[:,]? ?$/iu;
/** What is before a document that does not say so. */
const DENIES =
  /\b(?:unlike|not (?:in|from|by|according to)|contrary to|in contrast (?:to|with)|as opposed to|instead of|(?:rather )?than|differs? from)(?: the| our| their)? ?$/iu;
/** Words of a subject that can be the name of a document. */
const MAX_SUBJECT_WORDS = 7;

/**
 * @param quotation  what is between the marks
 * @param before  the paragraph up to the opening mark
 * @param after   the paragraph after the closing mark
 * @param notes   footnotes and references by their label
 * @returns nothing if no source is named
 */
export function namedSource(
  quotation: string,
  { before, after }: { before: string; after: string },
  notes: ReadonlyMap<string, string>,
): Pick<QuotationInput, "attributedTo" | "mentioned"> {
  const endsSentence = /[.!?]$/u.test(quotation);
  const attributedTo =
    nameAfter(after, notes) ?? nameBefore(before) ?? (endsSentence ? undefined : nameInSentence(after));
  if (attributedTo !== undefined) return { attributedTo };
  const mentioned = emphasised(lastSentence(before).replace(/\s+/gu, " "))?.name;
  return mentioned === undefined ? {} : { mentioned };
}

function nameAfter(after: string, notes: ReadonlyMap<string, string>): string | undefined {
  const rest = after.replace(/^[\s.,;:!?*_]{0,8}/u, "");
  const note = NOTE_MARK.exec(rest)?.[1];
  if (note !== undefined && notes.has(note)) return clean(notes.get(note)!);
  const link = LINK.exec(rest);
  if (link !== null) return clean(`${link[1]!}; ${link[2]!}`);
  const inside = PARENTHESES.exec(rest)?.[1] ?? BRACKETS.exec(rest)?.[1];
  if (inside !== undefined) return clean(inside);
  const dash = DASH.exec(rest)?.[1];
  return dash === undefined ? undefined : clean(dash.split("\n")[0]!);
}

/** "According to [the manual](pump.md), …", "*Pump manual* says: …", "The pump manual states that …" */
function nameBefore(before: string): string | undefined {
  const sentence = lastSentence(before).replace(/\s+/gu, " ");
  const link = [...sentence.matchAll(/\[([^[\]]+)\]\(([^()\s]+)(?: [^()]*)?\)/gu)].findLast(
    ({ index }) => !DENIES.test(sentence.slice(0, index)),
  );
  if (link !== undefined) return clean(`${link[1]!}; ${link[2]!}`);
  const file = filesWithKnownEnding(sentence).findLast(
    (name) => !DENIES.test(sentence.slice(0, sentence.lastIndexOf(name))),
  );
  if (file !== undefined) return file;
  const marked = emphasised(sentence);
  if (marked?.isSource) return marked.name;
  const cue = CUE.exec(sentence);
  if (cue !== null) {
    const name = sentence.slice(cue.index + cue[0].length);
    const end = name.search(/[,:]/u);
    if (end > 1) return clean(name.slice(0, end));
  }
  const speech = SPEECH.exec(sentence.replace(/ that ?$/iu, ""));
  if (speech === null) return undefined;
  const subject = sentence.slice(0, speech.index).trim();
  return subject.split(" ").length > MAX_SUBJECT_WORDS ? undefined : clean(subject);
}

/** The last emphasised words of a sentence, and whether the words around them make them a source. */
function emphasised(sentence: string): { name: string; isSource: boolean } | undefined {
  const marked = [...sentence.matchAll(/(?<![\p{L}\p{N}*_])([*_]{1,2}|`)(?=\S)([^*_`]{2,200})\1/gu)].at(-1);
  const name = marked === undefined ? undefined : clean(marked[2]!);
  if (marked === undefined || name === undefined) return undefined;
  const before = sentence.slice(0, marked.index);
  const rest = sentence.slice(marked.index + marked[0].length);
  const looksLikeTitle = /[\p{Lu}\s._]/u.test(name);
  return { name, isSource: looksLikeTitle && (LEADS_TO_SOURCE.test(before) || SAYS.test(` ${rest.trimStart()}`)) };
}

/** The names of files in a text. O(text) */
function filesWithKnownEnding(text: string): string[] {
  return (text.match(/[\p{L}\p{N}_][\p{L}\p{N}_./\\-]*/gu) ?? []).flatMap((run) => {
    const ending = [...run.matchAll(FILE_ENDING)].at(-1);
    return ending === undefined ? [] : [run.slice(0, ending.index + ending[0].length)];
  });
}

/** A file named in the rest of the sentence. */
function nameInSentence(after: string): string | undefined {
  return filesWithKnownEnding(after.split(/[.!?](?=\s)/u)[0]!.slice(0, MAX_NAME_UNITS))[0];
}

/** The sentence that a text is in the middle of: empty after a full stop and a space. */
function lastSentence(before: string): string {
  const end = before.slice(-MAX_NAME_UNITS);
  const starts = [...end.matchAll(/[.!?]["”’»)]?\s+/gu)];
  const last = starts.at(-1);
  return last === undefined ? end : end.slice(last.index + last[0].length);
}

const IN_BRACKETS = /\(([^()]*)\)(\.?)\s*$/u;
/** A name after the last sentence and a dash. */
const AFTER_DASH = /[.!?…”"»](\s(?:—|–|--)\s?([^\n—–]+))$/u;
const MAX_DASH_UNITS = 100;
const MAX_NAME_WORDS = 8;

/**
 * The source that the last line of a block quote names after its text: "… per user. — *Manual*", "… per user
 * (manual.md)."
 */
export function sourceAtEnd(text: string): { name: string; index: number } | undefined {
  const bracket = IN_BRACKETS.exec(text);
  if (bracket !== null && isSource(text, bracket)) return { name: bracket[1]!, index: bracket.index };
  const dash = AFTER_DASH.exec(text.slice(-MAX_DASH_UNITS));
  if (dash === null || dash[2]!.split(/\s+/u).length > MAX_NAME_WORDS) return undefined;
  const name = clean(dash[2]!);
  return name === undefined ? undefined : { name, index: text.length - dash[1]!.length };
}

/** True for a bracket after the last sentence or a space, and for one with a file before the full stop. */
function isSource(text: string, { index, 1: name, 2: stop }: RegExpExecArray): boolean {
  if (name!.length < 2 || name!.length > MAX_BRACKET_UNITS) return false;
  return stop === "" ? /[\s.!?”"»]/u.test(text[index - 1] ?? "") : filesWithKnownEnding(name!).length > 0;
}

/** The last line of a block quote that names its source: "— Title, p. 3". */
export function sourceLine(line: string): string | undefined {
  const text = line.trim();
  const mark = /^(?:[—–]|--?(?=\s)|<cite>)/u.exec(text)?.[0];
  if (mark === undefined) return undefined;
  const name = text.slice(mark.length, text.endsWith("</cite>") ? -"</cite>".length : undefined).trim();
  return name.length < 2 || name.length > MAX_NAME_UNITS ? undefined : clean(name);
}

function clean(name: string): string | undefined {
  const plain = name
    .replace(/\[([^[\]]*)\]\(([^()\s]*)(?:\s[^()]*)?\)/gu, "$1; $2")
    .replace(/[*_`]{1,2}(?=\S)|(?<=\S)[*_`]{1,2}/gu, "")
    .replace(/^(?:see|cf\.?|from|in|source:?)\s+/iu, "")
    .trim();
  return /[\p{L}\p{N}]/u.test(plain) ? plain.slice(0, MAX_NAME_UNITS) : undefined;
}
