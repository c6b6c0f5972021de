/**
 * How fast is indexing, compared with the encoder alone on the same passages and threads?
 *
 *     npm run bench -- index-rate --documents FILE.jsonl [--count 300] [--rounds 3] [--threads 2] [--model DIR]
 *
 * "Encoder" is the network with all heads, term weights, filter and quantisation; "bare" is the
 * same without term weights; "index" is everything from text to synced files. They alternate in one
 * run. `ratio` is index to encoder.
 */

import { createReadStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { openWriter } from "../adapters/node/index.js";
import { openEncoder } from "../adapters/node/models/encoder/encoder.js";
import { passageInput, passageRoom, titleTokens } from "../src/encode/input.js";
import type { PassageInput } from "../src/encode/types.js";
import { splitPassages } from "../src/text/passages.js";
import type { Document } from "../src/types.js";
import { record } from "./support/results.js";

const { values } = parseArgs({
  options: {
    documents: { type: "string" },
    count: { type: "string", default: "300" },
    rounds: { type: "string", default: "3" },
    threads: { type: "string", default: "2" },
    model: { type: "string" },
  },
});
if (values.documents === undefined) {
  console.error(
    "usage: npm run bench -- index-rate --documents FILE.jsonl [--count N] [--rounds N] [--threads N] [--model DIR]",
  );
  process.exit(2);
}
const encoder = await openEncoder({ modelFolder: values.model, threads: Number(values.threads) });
const documents: Document[] = [];
const inputs: PassageInput[] = [];
for await (const line of createInterface({ input: createReadStream(values.documents) })) {
  const { id, title, text } = JSON.parse(line) as { id: string | number; title: string; text: string };
  documents.push({
    id: String(id),
    title,
    text,
    source: values.documents,
    map: { kind: "jsonl", segments: [{ start: 0 }] },
  });
  const titleIds = titleTokens(encoder.tokenizer, title, encoder.info);
  const maxTokens = passageRoom(encoder.info, titleIds.length);
  for (const passage of splitPassages(text, { tokenizer: encoder.tokenizer, maxTokens })) {
    const input = passageInput(encoder.tokenizer, titleIds, { passage });
    inputs.push(input);
  }
  if (documents.length === Number(values.count)) break;
}
const tokens = inputs.reduce((sum, input) => sum + input.ids.length, 0);

async function encoding(inputs: readonly PassageInput[]): Promise<number> {
  const started = performance.now();
  const waiting: Array<Promise<unknown>> = [];
  for (let i = 0; i < inputs.length; i += 8) {
    if (waiting.length >= 4) await waiting.shift();
    waiting.push(encoder.encodePassages(inputs.slice(i, i + 8)));
  }
  await Promise.all(waiting);
  return (1000 * tokens) / (performance.now() - started);
}

async function whole(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "verbatim-bench-"));
  try {
    const started = performance.now();
    const writer = await openWriter({ path: join(folder, "index"), encoder });
    await writer.add(documents);
    await writer.commit();
    await writer.close();
    return (1000 * tokens) / (performance.now() - started);
  } finally {
    await rm(folder, { recursive: true });
  }
}

await encoder.encodePassages(inputs.slice(0, 8));
const bare = inputs.map((input) => ({ ...input, units: [] }));
const rates = { bare: [] as number[], encoder: [] as number[], whole: [] as number[] };
for (let round = 0; round < Number(values.rounds); round++) {
  rates.bare.push(await encoding(bare));
  rates.encoder.push(await encoding(inputs));
  rates.whole.push(await whole());
}
const median = (list: number[]): number => [...list].sort((a, b) => a - b)[list.length >> 1]!;
await record("index-rate", {
  bareTokensPerSecond: Math.round(median(rates.bare)),
  encoderTokensPerSecond: Math.round(median(rates.encoder)),
  indexTokensPerSecond: Math.round(median(rates.whole)),
  ratio: Math.round((1000 * median(rates.whole)) / median(rates.encoder)) / 1000,
  tokens,
  passages: inputs.length,
  documents: documents.length,
  threads: Number(values.threads),
  rounds: Number(values.rounds),
});
await encoder.close();
