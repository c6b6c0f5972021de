/**
 * A cold start: node first-answer.mjs STRATEGY INDEX QUESTION [MODEL], or MiniSearch FILE QUESTION,
 * prints one JSON line. It runs the built program, as users do, without compiling TypeScript.
 */

import { readFile } from "node:fs/promises";

const [way, path, question, modelFolder] = process.argv.slice(2);
const first = way === "MiniSearch" ? await askMiniSearch() : await askVerbatim();
console.log(JSON.stringify({ ...first, residentMB: Math.round(process.memoryUsage.rss() / 1e6) }));
process.exit(0);

async function askVerbatim() {
  const { openEncoder, openIndex } = await import("../../dist/adapters/node/index.js");
  const encoder = await openEncoder({ modelFolder, threads: 1 });
  await encoder.encodeQuestion("is the model loaded?");
  const began = performance.now();
  const index = await openIndex({ path, encoder });
  const openMs = performance.now() - began;
  const options = { strategy: way, advanced: { rankedPassages: 0 } }; // as in the command line and the server
  const { answers, steps } = await index.ask(question, options);
  const answerMs = performance.now() - began - openMs;
  const { answers: later } = await index.ask(question, options);
  return { openMs, answerMs, again: JSON.stringify(answers) === JSON.stringify(later), vectors: steps.dense > 0.1 };
}

async function askMiniSearch() {
  const { default: MiniSearch } = await import("minisearch");
  const began = performance.now();
  const index = MiniSearch.loadJSON(await readFile(path, "utf8"), { fields: ["title", "text"] });
  const openMs = performance.now() - began;
  const found = index.search(question);
  const answerMs = performance.now() - began - openMs;
  return { openMs, answerMs, again: found[0]?.id === index.search(question)[0]?.id, vectors: false };
}
