/** Check, copy and inspect an index:  node examples/maintain.mjs INDEX SNAPSHOT */

import { checkIndex, listDocuments, readDocument, repairIndex, snapshotIndex } from "verbatim-qa/node";

const [path = "./.verbatim", target = "./snapshot"] = process.argv.slice(2);
const { ok, problems, bytes } = await checkIndex(path);
console.log(ok ? `undamaged, ${bytes > 0 ? "every byte" : "nothing"} read` : `${problems.length} problems`);
if (!ok) console.log(`index again: ${(await repairIndex(path)).documentsToReadAgain.map(({ id }) => id).join(", ")}`);

const { documents, linked, files } = await snapshotIndex(path, target);
console.log(`${documents} documents copied, ${linked} of ${files} files shared`);

for await (const { id, title } of listDocuments(target)) {
  const { text } = await readDocument(target, id);
  console.log(`${id} (${title}): ${text.length} characters`);
}
