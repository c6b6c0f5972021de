/** Stores an upload of the given number of bytes in a folder, and reports what became of it. */

import { readdirSync } from "node:fs";
import { UploadFolder } from "../../../adapters/server/ingest/upload-folder.js";
import { VerbatimError } from "../../../src/errors.js";

const [folder, bytes] = process.argv.slice(2) as [string, string];
async function* chunks(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(Number(bytes));
}
const uploads = new UploadFolder(folder);
const report = await uploads.store(chunks()).then(
  (stored) => ({ bytes: stored.bytes }),
  (error: unknown) => ({ code: error instanceof VerbatimError ? error.code : String(error) }),
);
const left = readdirSync(folder, { recursive: true }).filter((name) => !String(name).endsWith("lock")).length - 1;
console.log(JSON.stringify({ ...report, left }));
