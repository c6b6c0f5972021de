/** Show answers as they improve:  node examples/streaming.mjs FOLDER "QUESTION" */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { indexPaths, openIndex } from "verbatim-qa/node";

const [folder = "samples", question = "who founded the observatory?"] = process.argv.slice(2);
const work = await mkdtemp(join(tmpdir(), "verbatim-example-"));
await indexPaths([folder], { index: join(work, "index") });
const index = await openIndex({ path: join(work, "index") });

const stop = new AbortController(); // stop.abort() ends the question early
for await (const { answers, reading } of index.askStream(question, { topK: 1, signal: stop.signal })) {
  const read = reading === undefined ? "phrase search" : `${reading.passages} passages read`;
  console.log(`${read}: ${answers[0]?.text ?? "no answer"}`);
}

await index.close();
await rm(work, { recursive: true });
