/**
 * Queries one index in its own process: node ask-index.mjs INDEX QUESTIONS COUNT SEED [MODEL] prints one JSON line with
 * times, memory, bytes and exact match. It runs the built program, as users do: compiling TypeScript would take memory
 * and time of its own. Cold means without this process's own caches; files may be in the system's cache.
 */

import { readFile } from "node:fs/promises";
import { openEncoder, openIndex } from "../../dist/adapters/node/index.js";
import { openSession } from "../../dist/adapters/node/open-session.js";
import { draw } from "../../dist/src/evaluate/draw.js";
import { exactMatch } from "../../dist/src/evaluate/exact-match.js";
import { parseOpenQuestions } from "../../dist/src/evaluate/open-questions.js";

const [path, file, count, seed, modelFolder] = process.argv.slice(2);
const questions = draw(parseOpenQuestions(await readFile(file, "utf8"), file), Number(count), Number(seed));
const encoder = await openEncoder({ modelFolder: modelFolder || undefined, threads: 1 });
await encoder.encodeQuestion("is the model loaded?");

const began = performance.now();
const index = await openIndex({ path, encoder });
const openMs = performance.now() - began;
await index.ask(questions[0].question);
const coldMs = performance.now() - began;
for (const { question } of questions.slice(0, 10)) await index.ask(question);

const times = [];
const cpu = process.cpuUsage();
let right = 0;
for (const { question, answers } of questions) {
  const result = await index.ask(question, { minConfidence: 0 });
  times.push(result.tookMs);
  right += exactMatch(result.answers[0]?.text ?? "", answers);
}
const { user, system } = process.cpuUsage(cpu);
times.sort((a, b) => a - b);
const residentMB = Math.round(process.memoryUsage.rss() / 1e6);
const { documents, passages, phrases, tokens, segments, bytes, componentBytes } = index.info;
await index.close();

const { snapshot, close } = await openSession(path, encoder);
const { textBytes, words, ids } = await measureText(snapshot);
await close();
await encoder.close();
const planted = questions.every(({ goldPassages = [] }) => goldPassages.every((id) => ids.has(id)));
const figures = {
  documents,
  passages,
  phrases,
  tokens,
  segments,
  openMs,
  coldMs,
  msP50: percentile(0.5),
  msP99: percentile(0.99),
  cpuMsMean: (user + system) / 1000 / questions.length,
  residentMB,
  bytes,
  textBytes,
  ofText: bytes / textBytes,
  bytesAWord: Object.fromEntries(
    Object.entries(componentBytes).map(([name, size]) => [name, Math.round((100 * size) / words) / 100]),
  ),
  ...(planted ? { exactMatch: (100 * right) / questions.length } : {}),
  questions: questions.length,
};
console.log(JSON.stringify(figures));

function percentile(share) {
  return times[Math.min(times.length - 1, Math.floor(share * times.length))];
}

/** UTF-8 bytes and words of all documents, and their ids. */
async function measureText({ segments }) {
  const ids = new Set();
  let textBytes = 0;
  let words = 0;
  for (const segment of segments) {
    for (let n = 0; n < segment.documentCount; n++) {
      if (segment.isDeleted(n)) continue;
      const { id, length } = await segment.readDocument(n);
      const text = await segment.readText(n, 0, length);
      ids.add(id);
      textBytes += Buffer.byteLength(text);
      words += text.match(/\S+/g)?.length ?? 0;
    }
  }
  return { textBytes, words, ids };
}
