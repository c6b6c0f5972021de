/** When two answers say the same: the form of a text in which SQuAD compares answers. */

import { isAscii } from "../../text/ascii.js";

/** The 32 marks of Python's string.punctuation; a point between two digits stays (1.5 is not 15). */
const PUNCTUATION = /(?<!\p{N})\.|\.(?!\p{N})|[!"#$%&'()*+,\-/:;<=>?@[\\\]^_`{|}~]/gu;
/** Whole words: JavaScript's \b knows ASCII letters only. */
const ARTICLES = /(?<![\p{L}\p{N}_])(?:a|an|the)(?![\p{L}\p{N}_])/gu;

/** The same two for ASCII alone (src/text/ascii.ts says why). */
const ASCII_PUNCTUATION = /(?<!\d)\.|\.(?!\d)|[!"#$%&'()*+,\-/:;<=>?@[\\\]^_`{|}~]/g;
const ASCII_ARTICLES = /\b(?:a|an|the)\b/g;

/**
 * NFKC, lower case, without punctuation and English articles, white space collapsed.
 * @returns the text itself, trimmed, where nothing is left ("The", "…!")
 */
export function normalForm(text: string): string {
  const bare = isAscii(text)
    ? text.toLowerCase().replace(ASCII_PUNCTUATION, "").replace(ASCII_ARTICLES, " ")
    : text.normalize("NFKC").toLowerCase().replace(PUNCTUATION, "").replace(ARTICLES, " ");
  const normal = bare
    .split(/\s+/)
    .filter((word) => word !== "")
    .join(" ");
  return normal === "" ? text.trim() : normal;
}
