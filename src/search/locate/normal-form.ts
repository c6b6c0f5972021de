/**
 * The form of a text in which answers are compared: two with the same form are one answer. It is based
 * on the form of SQuAD's evaluation, but keeps signs that change the meaning: "C++" is not "C", "A-" is not
 * "A", "-5" is not "5", and "3-5" is not "35".
 */

import { isAscii, type Pattern } from "../../text/ascii.js";

/** English articles before a word; the "A" of "Serie A", "A-1" and "A+" is not an article. */
const ARTICLES: Pattern = {
  ascii: /(?<![^\s"'([{])(?:a|an|the)(?=["')\]}]{0,2}\s)/g,
  full: /(?<![^\s"'([{“„«])(?:a|an|the)(?=["')\]}”“»]{0,2}\s)/gu,
};

/**
 * What is deleted without a space: in "U.S.", "O'Neill", "80's" and "rock'n'roll", in "1,000", and in "50 %", "50 €",
 * "$ 50" and "1 : 100".
 */
const JOINTS: Pattern = {
  ascii:
    /(?<=[a-z])\.(?=[a-z])|(?<=[a-z\d])['`](?=[a-z])|(?<=[a-z])['`](?=\d)|(?<=\d),(?=\d{3}(?!\d))|(?<=\d)\s(?=[$%](?!\d))|(?<=[$<>])\s(?=\d)|(?<=\d)\s(?=[/:]\s?\d)|(?<=\d\s?[/:])\s(?=\d)/g,
  full: /(?<=[\p{L}\p{M}])\.(?=\p{L})|(?<=[\p{L}\p{M}\p{N}])['`](?=\p{L})|(?<=[\p{L}\p{M}])['`](?=\p{N})|(?<=\p{N}),(?=\p{N}{3}(?!\p{N}))|(?<=\p{N})\s(?=[$€£%](?!\p{N}))|(?<=[$€£<>])\s(?=\p{N})|(?<=\p{N})\s(?=[/:]\s?\p{N})|(?<=\p{N}\s?[/:])\s(?=\p{N})/gu,
};

/**
 * The marks of Python's string.punctuation, and quotation marks, which become spaces, except those of numbers and
 * names: "1.5", "1,5", "1/5", "12:30", ".5", "#5", "<5", "$5", "5%", "-5", "-$5", "3-5", "5+", "A-", "C++" and "C#".
 */
const MARKS: Pattern = {
  ascii:
    /(?<=[a-z.])\.|\.(?!\d)|(?<![a-z\d][+#]{0,3})[+#](?!\d)|[<>](?!\d)|(?<!\d)[$%](?!\d)|(?<=[a-z])-(?=[a-z\d])|(?<=[a-z]{4})-|-(?![$.]?\d)(?<![a-z]-)|(?<!\d)[,/:]|[,/:](?!\d)|[!"&'()*;=?@[\\\]^_`{|}~]/g,
  full: /(?<=[\p{L}\p{M}.])\.|\.(?!\p{N})|(?<![\p{L}\p{M}\p{N}][+#]{0,3})[+#](?!\p{N})|[<>](?!\p{N})|(?<!\p{N})[$%](?!\p{N})|(?<=[\p{L}\p{M}])-(?=[\p{L}\p{N}])|(?<=[\p{L}\p{M}]{4})-|-(?![$€£.]?\p{N})(?<![\p{L}\p{M}]-)|(?<!\p{N})[,/:]|[,/:](?!\p{N})|[!"&'()*;=?@[\\\]^_`{|}~“”„‟‚‛«»‹›「」『』《》。、]/gu,
};

/** "10²" is not "102", nor "1½" "11⁄2": NFKC would join their digits. */
const JOINED_DIGITS = /(?<=\p{N})(?=\p{No})/gu;
const DASHES = /[‐‒–—―−]/g;
const APOSTROPHES = /[‘’ʼ]/g;

/**
 * NFKC, lower case, without English articles and punctuation, white space collapsed. A hyphen or a
 * slash between two words is a space.
 * @returns the text itself, trimmed, where nothing is left ("…!")
 */
export function normalForm(text: string): string {
  const form = isAscii(text) ? "ascii" : "full";
  const plain =
    form === "ascii"
      ? text
      : text.replace(JOINED_DIGITS, " ").normalize("NFKC").replace(DASHES, "-").replace(APOSTROPHES, "'");
  const bare = plain.toLowerCase().replace(ARTICLES[form], " ").replace(JOINTS[form], "").replace(MARKS[form], " ");
  const normal = bare
    .split(/\s+/)
    .filter((word) => word !== "")
    .join(" ");
  return normal === "" ? text.trim() : normal;
}
