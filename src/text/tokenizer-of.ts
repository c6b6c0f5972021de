import type { Tokenizer } from "./tokenizer.js";
import { isUnigramVocabulary, parseUnigramVocabulary } from "./unigram/file.js";
import { UnigramTokenizer } from "./unigram/tokenizer.js";
import { parseVocabulary, WordPieceTokenizer } from "./wordpiece/tokenizer.js";

/**
 * The tokenizer of a model's vocabulary file, vocab.unigram or vocab.txt (docs/model-format.md).
 * @throws VerbatimError `unsupported-format`, `model-mismatch`
 */
export function tokenizerOf(vocabulary: Uint8Array): Tokenizer {
  if (isUnigramVocabulary(vocabulary)) return new UnigramTokenizer(parseUnigramVocabulary(vocabulary));
  return new WordPieceTokenizer(parseVocabulary(new TextDecoder().decode(vocabulary)));
}
