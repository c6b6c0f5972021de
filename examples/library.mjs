/**
 * Index a folder and ask a question from your own program:  node examples/library.mjs FOLDER "QUESTION"
 * (in a clone; where the package is installed, copy this file anywhere in your project)
 */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { indexPaths, openIndex, VerbatimError } from "verbatim-qa/node";

const [folder = "samples", question = "who founded the observatory?"] = process.argv.slice(2);
const work = await mkdtemp(join(tmpdir(), "verbatim-example-"));
try {
  const { documents, passages, skips } = await indexPaths([folder], {
    index: join(work, "index"),
    onProgress: ({ files, filesTotal }) => process.stderr.write(`\r${files} of ${filesTotal} files`),
  });
  console.log(`\n${documents} documents, ${passages} passages, ${skips.length} files skipped`);

  const index = await openIndex({ path: join(work, "index") });
  const { answers, noAnswer } = await index.ask(question, { topK: 3, minConfidence: "calibrated" });
  if (noAnswer)
    console.log(`no answer has enough confidence: the best is ${Math.round(100 * noAnswer.confidence)} % sure`);
  for (const { text, source, place, start, end } of answers)
    console.log(`${text}  (${source}:${place.line}, ${start}–${end})`);
  await index.close();
} catch (error) {
  if (!(error instanceof VerbatimError)) throw error;
  console.error(`${error.message} ${error.hint ?? ""}`); // error.code is for programs
  process.exitCode = 1;
} finally {
  await rm(work, { recursive: true, force: true });
}
