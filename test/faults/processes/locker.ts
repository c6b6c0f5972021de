/** Takes a folder's lock, says so, and holds it until it is killed. */

import { writeSync } from "node:fs";
import { FileStorage } from "../../../adapters/node/storage/file-storage.js";
import { VerbatimError } from "../../../src/errors.js";

try {
  await new FileStorage(process.argv[2]!).lock();
  writeSync(1, "locked\n");
} catch (error) {
  writeSync(1, `${error instanceof VerbatimError ? error.code : error}\n`);
}
setInterval(() => {}, 1000);
