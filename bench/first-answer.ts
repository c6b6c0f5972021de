/**
 * Cold start: how long does a new process take to open an index and answer its first question, with
 * the model loaded?
 *
 *     npm install --no-save minisearch
 *     npm run bench -- first-answer --index DIR --questions FILE [--count 12] [--seed 1] [--strategies A,B] [--model DIR] [--without-peer]
 *
 * Each question is asked in its own process of the built program; strategies and the peer
 * alternate, and each goes first equally often. Files may be in the system's cache, as after a
 * restart. The peer is MiniSearch over the same documents, loaded from its JSON; it returns
 * documents, not answers. Each line also says whether asking again gives the same answer.
 */

import { execFile } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { openEncoder } from "../adapters/node/models/encoder/encoder.js";
import { openSearcher } from "../adapters/node/open-searcher.js";
import { draw } from "../src/evaluate/draw.js";
import { parseOpenQuestions } from "../src/evaluate/open-questions.js";
import { percentile } from "../src/evaluate/percentile.js";
import { openMiniSearch, textsOf } from "./support/other-engines.js";
import { record } from "./support/results.js";

const { values } = parseArgs({
  options: {
    index: { type: "string" },
    questions: { type: "string" },
    count: { type: "string", default: "12" },
    seed: { type: "string", default: "1" },
    strategies: { type: "string", default: "sparse-first,hybrid,dense-first" },
    model: { type: "string" },
    "without-peer": { type: "boolean", default: false },
  },
});
const { index: path, questions: file, model } = values;
if (path === undefined || file === undefined) {
  console.error(
    "usage: npm run bench -- first-answer --index DIR --questions FILE [--count N] [--seed N] [--strategies A,B] [--model DIR] [--without-peer]",
  );
  process.exit(2);
}

/** A line printed by bench/support/first-answer.mjs. */
interface First {
  openMs: number;
  answerMs: number;
  residentMB: number;
  /** True if asking again gave the same answer. */
  again: boolean;
  /** True if vectors were searched. */
  vectors: boolean;
}

const encoder = await openEncoder({ modelFolder: model, threads: 1 });
const { snapshot, close } = await openSearcher(path, encoder);
const { documentCount: documents, passageCount: passages } = snapshot;
const folder = await mkdtemp(join(tmpdir(), "verbatim-first-answer-"));
const peerFile = join(folder, "minisearch.json");
try {
  if (!values["without-peer"]) {
    const out = createWriteStream(peerFile);
    out.end(JSON.stringify(await openMiniSearch(await textsOf(snapshot), ["minisearch"])));
    await finished(out);
  }
  await close();
  await encoder.close();
  const peerBytes = values["without-peer"] ? 0 : (await stat(peerFile)).size;
  const ways = [...values.strategies.split(","), ...(values["without-peer"] ? [] : ["MiniSearch"])];
  const all = parseOpenQuestions(await readFile(file, "utf8"), file);
  const questions = draw(all, Number(values.count), Number(values.seed)).map(({ question }) => question);
  const found = new Map<string, First[]>(ways.map((way) => [way, []]));
  for (const [n, question] of questions.entries()) {
    for (let i = 0; i < ways.length; i++) {
      const way = ways[(n + i) % ways.length]!;
      found.get(way)!.push(await ask(way, question));
    }
  }
  for (const way of ways) {
    const isPeer = way === "MiniSearch";
    const firsts = found.get(way)!;
    const asked = firsts.filter(({ vectors }) => vectors);
    await record("first-answer", {
      strategy: way,
      documents,
      passages,
      ...figuresOf(firsts),
      ...(isPeer ? { bytes: peerBytes } : { again: firsts.filter(({ again }) => again).length }),
      ...(way === "hybrid" && asked.length > 0
        ? { withVectors: asked.length, withVectorsMsP50: figuresOf(asked).msP50 }
        : {}),
      processes: firsts.length,
    });
  }
} finally {
  await rm(folder, { recursive: true });
}

async function ask(way: string, question: string): Promise<First> {
  const script = fileURLToPath(new URL("support/first-answer.mjs", import.meta.url));
  const args = way === "MiniSearch" ? [way, peerFile, question] : [way, path!, question, ...(model ? [model] : [])];
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...args], { maxBuffer: 2 ** 24 });
  return JSON.parse(stdout) as First;
}

/** Medians and the maximum. */
function figuresOf(firsts: readonly First[]): Record<"openMsP50" | "msP50" | "msMax" | "residentMB", number> {
  const sorted = (of: (first: First) => number): number[] => firsts.map(of).sort((a, b) => a - b);
  const whole = sorted(({ openMs, answerMs }) => openMs + answerMs);
  return {
    openMsP50: percentile(
      sorted(({ openMs }) => openMs),
      0.5,
    ),
    msP50: percentile(whole, 0.5),
    msMax: whole.at(-1)!,
    residentMB: percentile(
      sorted(({ residentMB }) => residentMB),
      0.5,
    ),
  };
}
