import { idf, lengthNorm } from "../text/bm25.js";
import { searchWords } from "../text/search-words.js";

interface Postings {
  documents: number[];
  frequencies: number[];
}

/**
 * BM25 over texts in memory, as a baseline for retrieval. Words as in search-words.ts (pairs
 * of characters in scripts without spaces), stop words included, no stemming.
 *   score(q, d) = Σ_{w ∈ q} idf(w) · tf / (tf + k1 · (1 − b + b · |d| / avg|d|))
 * A repeated word of the question counts each time. The strategy `lexical` (src/search/score/bm25.ts) differs: it skips
 * stop words, and a length counts tokens.
 */
export class Bm25 {
  readonly documentCount: number;
  readonly #postings = new Map<string, Postings>();
  /** k1 · (1 − b + b · |d| / avg|d|) */
  readonly #norms: Float64Array;

  constructor(texts: Iterable<string>) {
    const lengths: number[] = [];
    for (const text of texts) lengths.push(this.#add(text, lengths.length));
    this.documentCount = lengths.length;
    const average = lengths.reduce((sum, length) => sum + length, 0) / lengths.length || 1;
    this.#norms = Float64Array.from(lengths, (length) => lengthNorm(length, average));
  }

  /**
   * Score of every document, 0 if no word is shared. O(postings of the question's words +
   * documents)
   */
  scores(question: string): Float64Array {
    const scores = new Float64Array(this.documentCount);
    for (const word of searchWords(question, { stopWords: true })) {
      const postings = this.#postings.get(word.text);
      if (!postings) continue;
      const { documents, frequencies } = postings;
      const weight = idf(this.documentCount, documents.length);
      for (let i = 0; i < documents.length; i++) {
        const document = documents[i]!;
        const frequency = frequencies[i]!;
        scores[document]! += (weight * frequency) / (frequency + this.#norms[document]!);
      }
    }
    return scores;
  }

  /** The `topK` best documents with a score above 0, best first, ties by number. */
  search(question: string, topK: number): { document: number; score: number }[] {
    return Array.from(this.scores(question), (score, document) => ({ document, score }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score || one.document - other.document)
      .slice(0, topK);
  }

  /** @returns the number of words */
  #add(text: string, document: number): number {
    let length = 0;
    for (const { text: word } of searchWords(text, { stopWords: true })) {
      length++;
      let postings = this.#postings.get(word);
      if (!postings) {
        postings = { documents: [], frequencies: [] };
        this.#postings.set(word, postings);
      }
      const last = postings.documents.length - 1;
      if (postings.documents[last] === document) postings.frequencies[last]!++;
      else {
        postings.documents.push(document);
        postings.frequencies.push(1);
      }
    }
    return length;
  }
}
