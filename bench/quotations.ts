/**
 * How long does it take to check a hundred quotations of a ten-page draft? The draft is made from the
 * corpus that the index holds: exact quotations, some with their source, the same words in another
 * case and with line breaks, pieces joined by an ellipsis, and sentences with one word replaced.
 *
 *     npm run bench -- quotations --index DIR --corpus FILE.jsonl [--count 100] [--rounds 5] [--seed 1]
 *
 * The corpus has a line `{"id", "title", "text"}` per document; `--corpus` may have more lines than
 * the index has documents, which are then the first ones. The peer searches the plain text of all
 * documents, held in memory as one string, for each quotation (`String.indexOf`): it finds exact
 * quotations only. The first check also opens the index's postings and reads the names of its
 * documents; later ones are warm.
 */

import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { openIndex, quotationsIn } from "../adapters/node/index.js";
import { percentile } from "../src/evaluate/percentile.js";
import type { QuoteVerdict } from "../src/quote/types.js";
import { splitSentences } from "../src/text/sentences.js";
import { type Random, seededRandom } from "../test/support/random.js";
import { record } from "./support/results.js";

const { values } = parseArgs({
  options: {
    index: { type: "string" },
    corpus: { type: "string" },
    count: { type: "string", default: "100" },
    rounds: { type: "string", default: "5" },
    seed: { type: "string", default: "1" },
  },
});
if (values.index === undefined || values.corpus === undefined) {
  console.error(
    "usage: npm run bench -- quotations --index DIR --corpus FILE.jsonl [--count N] [--rounds N] [--seed N]",
  );
  process.exit(2);
}

/** Words of ten printed pages. */
const DRAFT_WORDS = 4_000;
/** Kinds of ten quotations, which decide the expected verdicts. */
const KINDS: readonly (QuoteVerdict | "attributed")[] = [
  ...(["exact", "exact", "exact", "attributed", "attributed", "same-words", "same-words"] as const),
  ...(["stitched", "not-found", "not-found"] as const),
];

interface Source {
  title: string;
  text: string;
}

async function corpusOf(path: string, documents: number): Promise<Source[]> {
  const sources: Source[] = [];
  for await (const line of createInterface({ input: createReadStream(path) })) {
    if (sources.length === documents) break;
    sources.push(JSON.parse(line) as Source);
  }
  return sources;
}

/** Sentences of a document on one line each, of 8 to 40 words, without marks that a quotation would nest. */
function quotable({ text }: Source): string[] {
  return splitSentences(text)
    .map(({ start, end }) => text.slice(start, end).trim())
    .filter((sentence) => {
      const words = sentence.split(" ").length;
      return words >= 8 && words <= 40 && !/["“”„«»\n`*_<[\]…]|\.\.|'/.test(sentence);
    });
}

interface Quoted {
  verdict: QuoteVerdict;
  /** The paragraph of the draft. */
  paragraph: string;
}

function draw(sources: readonly Source[], kind: (typeof KINDS)[number], random: Random): Quoted {
  for (;;) {
    const source = random.pick(sources);
    const sentences = quotable(source);
    if (sentences.length < (kind === "stitched" ? 2 : 1)) continue;
    const sentence = random.pick(sentences);
    const words = sentence.split(" ");
    if (kind === "stitched") {
      const pieces = sentences.slice(0, 2).map((one) => one.split(" ").slice(0, 8).join(" "));
      return { verdict: "stitched", paragraph: `It says “${pieces.join(" … ")}” there.` };
    }
    if (kind === "not-found") {
      words[words.length >> 1] = "quernstone";
      return { verdict: "not-found", paragraph: `It says “${words.join(" ")}” there.` };
    }
    if (kind === "same-words") {
      const changed = words.map((word, n) => (n === 1 ? word.toUpperCase() : word)).join(" ");
      if (changed === sentence) continue;
      return { verdict: "same-words", paragraph: `It says “${changed}” there.` };
    }
    if (kind === "attributed" && !/^[A-Z][a-z]+( [A-Z][a-z]+)+$/.test(source.title)) continue;
    const named = kind === "attributed" ? ` (${source.title})` : " there";
    return { verdict: "exact", paragraph: `It says “${sentence}”${named}.` };
  }
}

const index = await openIndex({ path: values.index });
const sources = await corpusOf(values.corpus, index.info.documents);
const random = seededRandom(Number(values.seed));
const drawn = Array.from({ length: Number(values.count) }, (_, n) => draw(sources, KINDS[n % KINDS.length]!, random));
const paragraphs = drawn.map(({ paragraph }) => paragraph);
for (let words = 0; words < DRAFT_WORDS; ) {
  const filler = quotable(random.pick(sources))[0] ?? "";
  words += filler.split(" ").length;
  paragraphs[random.whole(0, paragraphs.length - 1)] += ` ${filler}`;
}
const draft = paragraphs.join("\n\n");

const cpuMs = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
};

async function check(): Promise<{ ms: number; cpu: number; verdicts: QuoteVerdict[] }> {
  const begun = performance.now();
  const cpu = process.cpuUsage();
  const checks = await index.quote(quotationsIn(draft).quotations);
  return { ms: performance.now() - begun, cpu: cpuMs(cpu), verdicts: checks.map(({ verdict }) => verdict) };
}

const first = await check();
const rounds: Awaited<ReturnType<typeof check>>[] = [];
for (let n = 0; n < Number(values.rounds); n++) rounds.push(await check());
const sorted = (of: "ms" | "cpu") => rounds.map((round) => round[of]).sort((a, b) => a - b);

const plain = sources.map(({ text }) => text).join("\0");
const quotations = quotationsIn(draft).quotations.map(({ text }) => text);
plain.indexOf("\0\0"); // flattens the string
const peerBegun = performance.now();
const peerCpu = process.cpuUsage();
const peerFound = quotations.filter((text) => plain.includes(text)).length;

await record("quotations", {
  documents: index.info.documents,
  textMB: Math.round(plain.length / 1e6),
  level: index.info.level,
  seed: Number(values.seed),
  quotations: quotations.length,
  draftWords: draft.split(/\s+/).length,
  right: first.verdicts.filter((verdict, n) => verdict === drawn[n]?.verdict).length,
  firstMs: Math.round(first.ms),
  firstCpuMs: Math.round(first.cpu),
  msP50: Math.round(percentile(sorted("ms"), 0.5)),
  cpuMsP50: Math.round(percentile(sorted("cpu"), 0.5)),
  peer: "String.includes, text in memory",
  peerMs: Math.round(performance.now() - peerBegun),
  peerCpuMs: Math.round(cpuMs(peerCpu)),
  peerFound,
});
for (const [n, verdict] of first.verdicts.entries())
  if (verdict !== drawn[n]?.verdict)
    console.error(`${drawn[n]?.verdict} checked as ${verdict}: ${drawn[n]?.paragraph.slice(0, 300)}`);
await index.close();
