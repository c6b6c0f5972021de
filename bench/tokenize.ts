/**
 * How many tokens per second does the Unigram tokenizer find, next to Hugging Face's native one?
 *
 *     npm run bench -- tokenize --vocabulary MODEL/vocab.unigram --text TEXT.jsonl … [--rounds 5]
 *
 * TEXT.jsonl has a `text` per line (training/multilingual_text.py writes one per language); the first 400,000
 * characters are read, a paragraph at a time. Rates are per second of CPU time of the whole process, because other
 * programs may use the machine. The peer normalises to NFKC instead of the model's rules, so it may differ by some
 * tokens.
 */

import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { Tokenizer as NativeTokenizer } from "tokenizers";
import { percentile } from "../src/evaluate/percentile.js";
import { parseUnigramVocabulary } from "../src/text/unigram/file.js";
import { UnigramTokenizer } from "../src/text/unigram/tokenizer.js";
import { record } from "./support/results.js";

const CHARACTERS = 400_000;
const { values } = parseArgs({
  options: {
    vocabulary: { type: "string" },
    text: { type: "string", multiple: true },
    rounds: { type: "string", default: "5" },
  },
});
if (values.vocabulary === undefined || values.text === undefined) {
  console.error("usage: npm run bench -- tokenize --vocabulary FILE --text FILE … [--rounds N]");
  process.exit(2);
}

async function paragraphs(path: string): Promise<string[]> {
  const taken: string[] = [];
  let count = 0;
  for await (const line of createInterface({ input: createReadStream(path) })) {
    for (const paragraph of (JSON.parse(line) as { text: string }).text.split("\n")) {
      if (count > CHARACTERS) return taken;
      taken.push(paragraph);
      count += paragraph.length;
    }
  }
  return taken;
}

const vocabulary = parseUnigramVocabulary(await readFile(values.vocabulary));
const begun = process.cpuUsage();
const tokenizer = new UnigramTokenizer(vocabulary);
const openMs = process.cpuUsage(begun).user / 1e3;
const pieces = vocabulary.pieces.map((piece, id): [string, number] => [piece, -vocabulary.costs[id]! / 2048]);
const native = NativeTokenizer.fromString(
  JSON.stringify({
    version: "1.0",
    added_tokens: [],
    normalizer: { type: "NFKC" },
    pre_tokenizer: { type: "Metaspace", replacement: "▁", prepend_scheme: "always", split: true },
    model: { type: "Unigram", unk_id: 1, vocab: pieces, byte_fallback: false },
  }),
);

for (const path of values.text) {
  const texts = await paragraphs(path);
  const systems = {
    verbatim: async () => texts.reduce((sum, text) => sum + tokenizer.tokenize(text).count, 0),
    native: async () => {
      let sum = 0;
      for (const text of texts) sum += (await native.encode(text, null, { addSpecialTokens: false })).getLength();
      return sum;
    },
  };
  const rates: Record<keyof typeof systems, number[]> = { verbatim: [], native: [] };
  const counts = { verbatim: 0, native: 0 };
  for (let round = 0; round <= Number(values.rounds); round++) {
    for (const name of ["verbatim", "native"] as const) {
      const before = process.cpuUsage();
      counts[name] = await systems[name]();
      const { user, system } = process.cpuUsage(before);
      if (round > 0) rates[name].push((1e6 * counts[name]) / (user + system));
    }
  }
  for (const name of ["verbatim", "native"] as const) {
    await record("tokenize", {
      system: name,
      text: basename(path),
      tokensPerCpuSecondP50: Math.round(
        percentile(
          rates[name].sort((a, b) => a - b),
          0.5,
        ),
      ),
      tokens: counts[name],
      pieces: vocabulary.pieces.length,
      ...(name === "verbatim" ? { openMs: Math.round(openMs) } : {}),
      rounds: rates[name].length,
    });
  }
}
