/** The source that a draft names next to a quotation. */

const MAX_NAME_UNITS = 300;
const NOTE_MARK = /^\[\^?([^\]\s]{1,60})\](?![(:])/;
const PARENTHESES = /^\(([^()]{1,300})\)/;
const LINK = /^\[([^\]]{1,300})\]\(([^()\s]{1,300})[^()]*\)/;
const BRACKETS = /^\[([^[\]]{2,300})\]/;
const DASH = /^(?:[—–]|--?(?=\s))\s*(.{1,200})/u;
/** A file name with an ending of letters. */
const FILE =
  /[\p{L}\p{N}_][\p{L}\p{N}_./\\-]*\.(?:md|txt|pdf|html?|docx?|epub|csv|jsonl?|tex|rst|org|odt|rtf|pptx?|xlsx?|eml)\b/iu;
const CUES = /(?:according to|as stated in|from|quoting|source:|see|in)\s+$/iu;
const SAYS =
  /(?:\s+(?:says|states|reads|notes|explains|reports|warns|puts it(?: this way)?|has it)|’s words)?[:,]?\s*$/iu;
const SPEECH = /\s+(?:says|states|reads|notes|explains|reports|warns|puts it(?: this way)?|has it)[:,]?\s*$/iu;
/** Words of a subject that can be the name of a document. */
const MAX_SUBJECT_WORDS = 7;

/**
 * @param before  the paragraph up to the opening mark
 * @param after   the paragraph from the closing mark on
 * @param notes   footnotes and references by their label
 * @returns undefined if no source is named
 */
export function namedSource(before: string, after: string, notes: ReadonlyMap<string, string>): string | undefined {
  return nameAfter(after, notes) ?? nameBefore(before) ?? nameInSentence(after);
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
  const sentence = lastSentence(before);
  const link = [...sentence.matchAll(/\[([^\]]{1,300})\]\(([^()\s]{1,300})[^()]*\)/gu)].at(-1);
  if (link !== undefined) return clean(`${link[1]!}; ${link[2]!}`);
  const file = sentence.match(new RegExp(FILE, "giu"))?.at(-1);
  if (file !== undefined) return file;
  const marked = [...sentence.matchAll(/(?<![\p{L}\p{N}*_])([*_]{1,2}|`)(?=\S)([^*_`]{2,200})\1/gu)].at(-1);
  if (marked !== undefined) {
    const head = sentence.slice(0, marked.index);
    const tail = sentence.slice(marked.index + marked[0].length);
    if (CUES.test(head.replace(/\b(?:the|a|an)\s+$/iu, "")) || SAYS.test(tail)) return clean(marked[2]!);
  }
  const according = /\b(?:according to|as stated in|quoting)\s+([^,:]{2,200})[,:]/iu.exec(sentence);
  if (according !== null) return clean(according[1]!);
  const speech = SPEECH.exec(sentence.replace(/\s+that\s*$/iu, ""));
  if (speech === null) return undefined;
  const subject = sentence.slice(0, speech.index).trim();
  return subject.split(/\s+/u).length > MAX_SUBJECT_WORDS ? undefined : clean(subject);
}

/** A file named in the rest of the sentence. */
function nameInSentence(after: string): string | undefined {
  return FILE.exec(after.split(/[.!?](?=\s)/u)[0]!.slice(0, MAX_NAME_UNITS))?.[0];
}

function lastSentence(before: string): string {
  const end = before.slice(-MAX_NAME_UNITS);
  const starts = [...end.matchAll(/[.!?]["”’»]?\s+(?=\S)/gu)];
  const last = starts.at(-1);
  return last === undefined ? end : end.slice(last.index + last[0].length);
}

/** The last line of a block quote that names its source: "— Title, p. 3". */
export function sourceLine(line: string): string | undefined {
  const named = /^\s*(?:[—–]|--?(?=\s)|<cite>)\s*(.{2,300}?)\s*(?:<\/cite>)?\s*$/u.exec(line)?.[1];
  return named === undefined ? undefined : clean(named);
}

function clean(name: string): string | undefined {
  const plain = name
    .replace(/\[([^\]]*)\]\(([^()\s]*)[^()]*\)/gu, "$1; $2")
    .replace(/[*_`]{1,2}(?=\S)|(?<=\S)[*_`]{1,2}/gu, "")
    .replace(/^(?:see|cf\.?|from|in|source:?)\s+/iu, "")
    .trim();
  return /[\p{L}\p{N}]/u.test(plain) ? plain.slice(0, MAX_NAME_UNITS) : undefined;
}
