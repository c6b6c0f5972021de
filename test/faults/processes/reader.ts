/**
 * Asks an index without end, going to the newest version now and then; every answer must be the words of the
 * document. Ended by SIGTERM.
 */

import { writeSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { FileStorage } from "../../../adapters/node/storage/file-storage.js";
import { openIndex } from "../../../src/api/open-index.js";
import { MADE_UP_WORDS } from "../../support/made-up.js";
import { seededRandom } from "../../support/random.js";
import { documentOf, encoder } from "./documents.js";

/**
 * Arguments: folder, seed, and the longest pause between two questions in milliseconds: readers
 * that never rest would take the machine from the writer that is to be killed.
 */
const [folder, seed, restMs] = process.argv.slice(2) as [string, string, string];
const random = seededRandom(Number(seed));
let stopped = false;
process.on("SIGTERM", () => {
  stopped = true;
});

let asked = 0;
let versions = 0;
const index = await openIndex({ storage: new FileStorage(folder), encoder });
while (!stopped) {
  try {
    const before = index.version;
    if (asked % 5 === 4 && (await index.refresh()) !== before) versions++;
    const question = Array.from({ length: 4 }, () => random.pick(MADE_UP_WORDS)).join(" ");
    const strategy = random.pick(["hybrid", "sparse-first", "dense-first", "exhaustive"] as const);
    const { answers } = await index.ask(question, { strategy, topK: 5 });
    for (const { documentId, start, end, text, metadata } of answers) {
      const document = documentOf(Number(documentId.slice("doc-".length)), Number(metadata.seed));
      if (document.text.slice(start, end) !== text) writeSync(1, `wrong ${documentId} ${text}\n`);
    }
    if (asked++ === 0) writeSync(1, "asking\n");
  } catch (error) {
    writeSync(1, `wrong ${error instanceof Error ? error.stack : error}\n`);
  }
  await setTimeout(random.whole(0, Number(restMs))); // lets the signal in, too
}
await index.close();
writeSync(1, `asked ${asked} questions of ${versions + 1} versions\n`);
