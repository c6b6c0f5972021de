/**
 * Adds a few documents and merges all, many times over, taking its turn with others that do the same. Ends by itself.
 */

import { writeSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { FileStorage } from "../../../adapters/node/storage/file-storage.js";
import { openWriter, type Writer } from "../../../src/api/writer.js";
import { VerbatimError } from "../../../src/errors.js";
import { documentOf, encoder } from "./documents.js";

const [folder, seed, rounds] = process.argv.slice(2) as [string, string, string];
let waited = 0;

async function myTurn(): Promise<Writer> {
  for (;;) {
    try {
      return await openWriter({ storage: new FileStorage(folder), encoder, autoMerge: false });
    } catch (error) {
      if (!(error instanceof VerbatimError) || error.code !== "index-locked") throw error;
      waited++;
      await setTimeout(5);
    }
  }
}

for (let round = 0; round < Number(rounds); round++) {
  const writer = await myTurn();
  const first = Number(seed) * 1000 + round * 2;
  for (const number of [first, first + 1]) await writer.add([documentOf(number, Number(seed))]);
  await writer.commit();
  if (round > 0) await writer.delete([`doc-${first - 1}`]);
  const { merged, version } = await writer.compact({ full: true });
  await writer.close();
  writeSync(1, `merged ${merged} ${version}\n`);
}
writeSync(1, `waited ${waited}\n`);
