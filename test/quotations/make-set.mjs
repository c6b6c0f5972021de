/**
 * Writes set.jsonl: 200 quotations of the sample documents with the verdict that each should get.
 *   node test/quotations/make-set.mjs
 * The generator is seeded. The quotations at the end were written by hand.
 */

import { readFileSync, writeFileSync } from "node:fs";

const FILES = [
  "history.md",
  "garden-diary.md",
  "bee-survey.md",
  "pump-manual.md",
  "server-guide.md",
  "rye-bread.md",
  "lighthouse.txt",
  "letters-from-the-north.txt",
  "plum-jam.txt",
  "meeting-notes.txt",
  "tidal-mill-paper.txt",
];
const COUNTS = { exact: 50, "same-words": 40, stitched: 35, misattributed: 30, "not-found": 30 };

/** mulberry32 */
let state = 20261123;
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}
const below = (n) => Math.floor(random() * n);
const pick = (list) => list[below(list.length)];

const folder = new URL("../../samples/", import.meta.url);
const texts = new Map(FILES.map((file) => [file, readFileSync(new URL(file, folder), "utf8")]));

/** Sentences of plain prose, at least ten words: no headings, lists, tables, code or markup. */
const sentences = [...texts].flatMap(([file, text]) =>
  text
    .split(/\n\s*\n/)
    .filter((block) => !/^\s*(?:[#>|`*+-]|\d+[.)]|---)/m.test(block) && !/[*_`[\]|]/.test(block) && block.length > 120)
    .flatMap((block) => block.match(/[A-Z][^.!?]*(?:\d\.\d[^.!?]*)*[.!?](?=\s|$)/g) ?? [])
    .filter((sentence) => sentence.split(/\s+/).length >= 10 && !/["“”]/.test(sentence))
    .map((text) => ({ file, text })),
);
const everything = [...texts.values()].join("\n").replace(/\s+/g, " ").toLowerCase();

const wordsOf = (text) => text.split(/\s+/);
/** A part of at least `least` words that begins and ends at words. */
function part(text, least) {
  const words = [...text.matchAll(/\S+/g)];
  const length = least + below(words.length - least + 1);
  const first = below(words.length - length + 1);
  const last = words[first + length - 1];
  return text.slice(words[first].index, last.index + last[0].length);
}

const CHANGES = [
  (t) => t.toUpperCase(),
  (t) => t.replace(/\s+/, "  "),
  (t) => t.replace(/ /g, "\u00a0"),
  (t) => t.replace(/([a-z]{3})([a-z]{3,})/, "$1-\n$2"),
  (t) => t.replace(/fi/g, "ﬁ").replace(/fl/g, "ﬂ"),
  (t) => t.replace(/'/g, "’"),
  (t) => t.replace(/([a-z])-([a-z])/g, "$1\u2011$2"),
  (t) => t.replace(/^[A-Za-z]/, (c) => `[${c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase()}]`),
  (t) => t.replace(/^[A-Z]/, (c) => c.toLowerCase()),
  (t) => t.replace(/([a-z]{2})([a-z]{2})/, "$1\u00ad$2"),
];
const OTHER_WORDS = ["harbour", "seldom", "copper", "against", "eleven", "window", "reluctantly", "winter"];
const ALTERATIONS = [
  (words) => words.with(3 + below(words.length - 5), pick(OTHER_WORDS)),
  (words) => words.toSpliced(2 + below(words.length - 4), 1),
  (words) => words.toSpliced(2 + below(words.length - 4), 0, pick(["not", "never", "hardly"])),
  (words) => words.with(2, words[4]).with(4, words[2]),
  (words) => words.toSpliced(4, 0, ...words.slice(-3)),
];
const ELLIPSES = [" … ", " [...] ", " ... ", "… ", " [ … ] ", " . . . "];

const made = [];
const seen = new Set();
function add(verdict, text, source) {
  const key = `${verdict} ${text} ${source}`;
  if (seen.has(key)) return false;
  seen.add(key);
  made.push({ text, ...(source === undefined ? {} : { attributedTo: source }), verdict });
  return true;
}
const plain = (text) => text.replace(/\s+/g, " ").toLowerCase().replace(/[.,;]$/, "");
const titleOf = (file) => (random() < 0.5 ? file : `see ${file}, p. ${1 + below(9)}`);

const makers = {
  exact: ({ file, text }, n) => {
    const quotation = n % 3 === 0 ? text : part(text, 4);
    const shown = n % 5 === 1 ? `${quotation.replace(/[.,;!?]$/, "")},` : quotation.replace(/\s+/g, n % 2 ? " " : "\n");
    return add("exact", shown, n % 4 === 0 ? titleOf(file) : undefined);
  },
  "same-words": ({ text }, n) => {
    const quotation = part(text, 5).replace(/[.,;:!?]$/, "");
    const changed = CHANGES[n % CHANGES.length](quotation);
    return changed !== quotation && add("same-words", changed);
  },
  stitched: ({ text }, n) => {
    const words = wordsOf(text);
    if (words.length < 14) return false;
    const pieces =
      n % 4 === 0
        ? [words.slice(0, 3), words.slice(5, 8), words.slice(-3)]
        : [words.slice(0, 3 + below(3)), words.slice(-3 - below(3))];
    return add("stitched", pieces.map((piece) => piece.join(" ").replace(/[.,;:]$/, "")).join(ELLIPSES[n % 6]));
  },
  misattributed: ({ file, text }, n) => {
    const quotation = n % 4 === 3 ? `${wordsOf(text).slice(0, 4).join(" ")} … ${wordsOf(text).slice(-4).join(" ")}` : part(text, 6);
    return add("misattributed", quotation, titleOf(pick(FILES.filter((other) => other !== file))));
  },
  "not-found": ({ text }, n) => {
    const quotation = ALTERATIONS[n % ALTERATIONS.length](wordsOf(text)).join(" ");
    return !everything.includes(plain(quotation)) && add("not-found", quotation);
  },
};
for (const [verdict, count] of Object.entries(COUNTS)) {
  for (let n = 0; n < count; ) if (makers[verdict](pick(sentences), n)) n++;
}

for (const text of [
  "The observatory was paid for by a lottery that ran for eleven years.",
  "We never found out who had moved the lamp.",
  "All bread is a compromise between patience and heat.",
  "The council apologised to her in writing the next spring.",
  "No pump should be opened by fewer than two people",
  "Bees prefer the company of other bees to that of men.",
  "The tide does half of the work and takes all of the credit.",
  "A server that has never failed has never been asked.",
  "Sugar hides the mistakes of a bad summer.",
  "It was the coldest winter since the harbour was built",
  "The keeper learned in spring that the war was over.",
  "The telescope was stolen twice and returned once",
  "In the north, even the letters freeze.",
  "Every meeting should end five minutes before it begins to matter.",
  "The garden forgives what the gardener forgets … in any good year",
])
  made.push({ text, verdict: "not-found" });

writeFileSync(new URL("set.jsonl", import.meta.url), made.map((line) => `${JSON.stringify(line)}\n`).join(""));
