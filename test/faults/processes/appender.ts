/**
 * Adds one document per commit and reports each commit, until COUNT documents are in and its input
 * has ended. Reports the error code if the index is locked.
 */

import { writeSync } from "node:fs";
import { FileStorage } from "../../../adapters/node/storage/file-storage.js";
import { openWriter } from "../../../src/api/writer.js";
import { VerbatimError } from "../../../src/errors.js";
import { documentOf, encoder } from "./documents.js";

const [folder, first, count] = process.argv.slice(2) as [string, string, string];
/** Synchronous, so that a killed process has reported every commit that was acknowledged to it. */
const report = (line: string): void => {
  writeSync(1, `${line}\n`);
};

let inputEnded = false;
process.stdin.resume().once("end", () => {
  inputEnded = true;
});

try {
  const writer = await openWriter({ storage: new FileStorage(folder), encoder });
  report("locked");
  for (let n = 0; n < Number(count) || !inputEnded; n++) {
    const number = Number(first) + n;
    await writer.add([documentOf(number, 1)]);
    await writer.commit();
    report(`committed doc-${number}`);
  }
  await writer.close();
  report("closed");
} catch (error) {
  report(error instanceof VerbatimError ? error.code : String(error));
}
process.exit(0);
