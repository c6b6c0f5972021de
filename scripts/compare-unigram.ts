/**
 * Compares the Unigram tokenizer with the reference on many strings.
 *
 *     python training/unigram_strings.py --vocabulary MODEL/vocab.unigram --text work/text --count 20000 --out strings.jsonl
 *     npx tsx scripts/compare-unigram.ts --vocabulary MODEL/vocab.unigram --strings strings.jsonl
 *
 * Prints the number of strings, of tokens, and of strings whose ids or offsets differ; exits with 1 if any does.
 */

import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { OffsetIndex } from "../src/text/offsets.js";
import { parseUnigramVocabulary } from "../src/text/unigram/file.js";
import { UnigramTokenizer } from "../src/text/unigram/tokenizer.js";

interface Row {
  text: string;
  ids: number[];
  starts: number[];
  ends: number[];
}

const { values } = parseArgs({ options: { vocabulary: { type: "string" }, strings: { type: "string" } } });
if (values.vocabulary === undefined || values.strings === undefined) {
  console.error("usage: npx tsx scripts/compare-unigram.ts --vocabulary FILE --strings FILE");
  process.exit(2);
}
const tokenizer = new UnigramTokenizer(parseUnigramVocabulary(await readFile(values.vocabulary)));
const same = (a: ArrayLike<number>, b: readonly number[]): boolean =>
  a.length === b.length && b.every((value, i) => value === a[i]);
let strings = 0;
let tokens = 0;
let different = 0;
for await (const line of createInterface({ input: createReadStream(values.strings) })) {
  const { text, ids, starts, ends } = JSON.parse(line) as Row;
  const found = tokenizer.tokenize(text);
  const offsets = new OffsetIndex(text);
  const codePoints = (units: Uint32Array): number[] => Array.from(units, (at) => offsets.toCodePoint(at));
  strings++;
  tokens += found.count;
  if (same(found.ids, ids) && same(codePoints(found.starts), starts) && same(codePoints(found.ends), ends)) continue;
  if (different++ < 5) console.error(JSON.stringify({ text, expected: ids, found: Array.from(found.ids) }));
}
console.log(JSON.stringify({ strings, tokens, different }));
process.exitCode = different === 0 ? 0 : 1;
