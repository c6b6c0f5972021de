/**
 * Learns the centroids of the inverted lists (src/vectors/centroids.ts) from the start vectors of
 * an index of training or held-out articles, and writes them into model.json. Run it after every
 * export of an encoder.
 *
 *   npx tsx scripts/learn-centroids.ts --index held.index [--model DIR] [--rows 120000] [--write]
 */

import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { modelFolderFor } from "../adapters/node/models/choice.js";
import { FileStorage } from "../adapters/node/storage/file-storage.js";
import { unpackNibbles } from "../src/vectors/nibbles.js";
import { openSnapshot } from "../src/index/open-snapshot.js";
import { centroidsText, learnCentroids } from "../src/vectors/centroids.js";

const { values } = parseArgs({
  options: {
    index: { type: "string" },
    model: { type: "string" },
    rows: { type: "string", default: "120000" },
    write: { type: "boolean", default: false },
  },
});
if (values.index === undefined) {
  console.error("usage: learn-centroids --index DIR [--model DIR] [--rows N] [--write]");
  process.exit(2);
}
const file = join(values.model === undefined ? await modelFolderFor({ model: "en" }) : resolve(values.model), "model.json");
const info = JSON.parse(await readFile(file, "utf8"));
const snapshot = await openSnapshot(new FileStorage(resolve(values.index)), { expectModelHash: info.passageModelHash });
const { coarse } = snapshot;
const total = snapshot.segments.reduce((sum, segment) => sum + segment.startRowCount, 0);
const step = Math.max(1, Math.ceil(total / Number(values.rows)));
const sample: number[] = [];
let seen = 0;
for (const segment of snapshot.segments) {
  await segment.readCoarse((_firstRow, stored) => {
    const rows = unpackNibbles(stored, coarse, segment.coarseBits);
    for (let at = 0; at < rows.length; at += coarse, seen++) if (seen % step === 0) sample.push(...rows.subarray(at, at + coarse));
  });
}
await snapshot.close();
const coarseCentroids = centroidsText(learnCentroids(Int8Array.from(sample), coarse));
console.log(`${sample.length / coarse} of ${total} rows of ${coarse} dimensions: ${coarseCentroids.length} characters`);
if (values.write) {
  await writeFile(file, `${JSON.stringify({ ...info, coarseCentroids }, undefined, 1)}\n`);
  console.log(`written to ${file}`);
}
