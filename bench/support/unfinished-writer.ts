/** A process that adds documents without committing them until it is killed: node … INDEX MODEL. */

import { writeSync } from "node:fs";
import { openEncoder } from "../../adapters/node/models/encoder/encoder.js";
import { FileStorage } from "../../adapters/node/storage/file-storage.js";
import { openWriter } from "../../src/api/writer.js";
import { pagesOf } from "./pages.js";

const [index, modelFolder] = process.argv.slice(2) as [string, string | undefined];
const encoder = await openEncoder({ modelFolder: modelFolder || undefined, threads: 1 });
const writer = await openWriter({ storage: new FileStorage(index), encoder });
await writer.add([pagesOf("killed-1"), pagesOf("killed-2")]);
writeSync(1, "added\n");
setInterval(() => {}, 1000);
