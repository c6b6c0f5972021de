/** Index your own documents in memory, without files:  node examples/documents-in-memory.mjs */

import { MemoryStorage, openIndex, openWriter } from "verbatim-qa";
import { openEncoder } from "verbatim-qa/node";

const encoder = await openEncoder();
const storage = new MemoryStorage();

const writer = await openWriter({ storage, encoder });
await writer.add({
  id: "history",
  title: "The observatory",
  text: "The observatory was founded by Ines Calder in 1911.",
});
await writer.add([
  { id: "ferry", text: "The ferry captain was Otto Brandt." },
  { id: "pump", text: "The pump stops at nine in the evening." },
]);
await writer.commit();
await writer.close();

const index = await openIndex({ storage, encoder });
for (const question of ["who founded the observatory?", "who was the ferry captain?"]) {
  const { answers } = await index.ask(question, { topK: 1, minConfidence: 0 });
  console.log(`${question} ${answers[0].text} (${answers[0].documentId})`);
}
await index.close();
await encoder.close();
