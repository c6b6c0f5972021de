import { hash2gram, hashWord, isStopWord, words } from "./words.js";

/** A word to rank by: one word, or two neighbouring characters of a script without spaces. */
interface SearchWord {
  text: string;
  /** The bucket under which an index counts it. */
  bucket: number;
}

/**
 * The words of a text for BM25. Characters of scripts without spaces (Chinese, kana, Hangul, Thai, …) form
 * overlapping pairs, as in Lucene's CJK analysis: "東京都" is "東 京" and "京 都", also across a line break. A character
 * without such a neighbour is a word by itself.
 * @param options.stopWords  also stop words
 * @param options.parts  also the single characters of pairs
 */
export function* searchWords(text: string, { stopWords = false, parts = false } = {}): Generator<SearchWord> {
  let before: { text: string; end: number; paired: boolean } | undefined;
  for (const word of words(text)) {
    if (before !== undefined && !(word.unspaced && touch(text, before.end, word.start))) {
      if (!before.paired) yield single(before.text);
      before = undefined;
    }
    if (!word.unspaced) {
      if (stopWords || !isStopWord(word.text)) yield single(word.text);
    } else {
      if (before !== undefined) {
        yield { text: `${before.text} ${word.text}`, bucket: hash2gram(before.text, word.text) };
      }
      if (parts) yield single(word.text);
      before = { text: word.text, end: word.end, paired: parts || before !== undefined };
    }
  }
  if (before !== undefined && !before.paired) yield single(before.text);
}

/** True if nothing is between two words, or a line break alone, which scripts without spaces have anywhere. */
function touch(text: string, end: number, start: number): boolean {
  return start === end || (start - end <= 2 && /^\r?\n$/.test(text.slice(end, start)));
}

const single = (text: string): SearchWord => ({ text, bucket: hashWord(text) });
