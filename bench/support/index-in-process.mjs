/** Indexes a folder with the built package, but parses the files in this process: node … FOLDER INDEX. */

import { parseInput } from "../../dist/adapters/node/documents/parse-input.js";
import { readLimits } from "../../dist/adapters/node/documents/limits.js";
import { listInputs } from "../../dist/adapters/node/documents/walk.js";
import { openEncoder } from "../../dist/adapters/node/models/encoder/encoder.js";
import { FileStorage } from "../../dist/adapters/node/storage/file-storage.js";
import { openWriter } from "../../dist/src/api/writer.js";

const [folder, index] = process.argv.slice(2);
const cwd = process.cwd();
const onSkip = () => {};

const encoder = await openEncoder({});
const writer = await openWriter({ storage: new FileStorage(index), encoder });
async function* documents() {
  for await (const input of listInputs([folder], { cwd, onSkip })) yield* parseInput(input, { limits: readLimits(), onSkip });
}
await writer.add(documents());
await writer.commit();
await writer.close();
await encoder.close();
