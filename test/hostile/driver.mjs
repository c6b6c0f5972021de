/**
 * Indexes a folder with the built package, as a program of its own whose memory can be measured from outside.
 * node driver.mjs FOLDER INDEX QUESTION…   Last line of its output: a JSON report.
 */

import { indexPaths, openIndex } from "../../dist/adapters/node/index.js";

const [folder, indexFolder, ...questions] = process.argv.slice(2);

let longestPause = { milliseconds: 0, after: "" };
let eventAt = performance.now();
let event = "start";
/** Every file gives an event when it is done, so no file takes longer than the longest pause between two. */
function happened(what) {
  const now = performance.now();
  if (now - eventAt > longestPause.milliseconds) longestPause = { milliseconds: now - eventAt, after: event };
  eventAt = now;
  event = what;
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
const report = JSON.stringify({ documents, skips, longestPause, longestBlock, found });
process.stdout.write(`${report}\n`, () => process.exit(0));
