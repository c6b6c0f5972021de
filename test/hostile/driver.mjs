/**
 * Indexes a folder with the built package, as a program of its own whose memory can be measured from outside.
 * node driver.mjs FOLDER INDEX QUESTION…   Last line of its output: a JSON report.
 */

import { readdirSync, readFileSync } from "node:fs";
import { indexPaths, openIndex } from "../../dist/adapters/node/index.js";

const [folder, indexFolder, ...questions] = process.argv.slice(2);

/** The kernel counts processor time in ticks of this many milliseconds. */
const TICK_MS = 10;

/** Fields of /proc/PID/stat from the third on. */
function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return []; // it has ended
  }
}

/** Processor time of all parser processes so far, in milliseconds; without /proc, time on the clock. */
function parserMs() {
  const own = statOf("self");
  if (own.length === 0) return performance.now();
  const running = readdirSync("/proc/self/task").flatMap((task) =>
    readFileSync(`/proc/self/task/${task}/children`, "utf8").split(" ").filter(Boolean),
  );
  const ended = Number(own[13]) + Number(own[14]);
  const ticks = running.map(statOf).reduce((sum, stat) => sum + Number(stat[11] ?? 0) + Number(stat[12] ?? 0), ended);
  return ticks * TICK_MS;
}

let longestFile = { milliseconds: 0, until: "" };
let eventAt = parserMs();
/** Every file gives an event when it is done, so no file takes more time than passes between two events. */
function happened(what) {
  const now = parserMs();
  if (now - eventAt > longestFile.milliseconds) longestFile = { milliseconds: now - eventAt, until: what };
  eventAt = now;
}

let longestBlock = 0;
let turnAt = performance.now();
const turns = setInterval(() => {
  const now = performance.now();
  longestBlock = Math.max(longestBlock, now - turnAt);
  turnAt = now;
}, 10);

let files = -1;
const summary = await indexPaths([folder], {
  index: indexFolder,
  cwd: folder,
  level: "lexical",
  threads: 1,
  onSkip: ({ source }) => happened(source),
  onProgress: (progress) => {
    if (progress.files !== files) happened(`${progress.files} files`);
    files = progress.files;
  },
});
happened("end");
clearInterval(turns);

const found = [];
const index = await openIndex({ path: indexFolder });
for (const question of questions) {
  const { answers } = await index.ask(question, { strategy: "lexical", topK: 40 });
  found.push(answers.map(({ documentId }) => documentId));
}
await index.close();
const { documents, skips } = summary;
const report = JSON.stringify({ documents, skips, longestFile, longestBlock, found });
process.stdout.write(`${report}\n`, () => process.exit(0));
