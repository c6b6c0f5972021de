/** Check the quotations of a draft against your documents:  node examples/check-quotations.mjs */

import { MemoryStorage, openIndex, openWriter } from "verbatim-qa";
import { openEncoder, quotationsIn } from "verbatim-qa/node";

const encoder = await openEncoder();
const storage = new MemoryStorage();
const writer = await openWriter({ storage, encoder, level: "lexical" }); // no neural network is needed
await writer.add([
  { id: "history.md", text: "The observatory was founded by Ines Calder in 1911." },
  { id: "ferry.md", text: "The captain of the ferry was Otto Brandt." },
]);
await writer.commit();
await writer.close();

const draft = `
“The observatory was founded … in 1911” (history.md), and "the captain of
the ferry was Ann Doe". "The captain of the ferry" (history.md) is missing.
`;

const index = await openIndex({ storage, encoder });
for (const { quotation, verdict, nearest } of await index.quote(quotationsIn(draft).quotations)) {
  const changes = (nearest?.difference ?? []).filter(({ kind }) => kind !== "same");
  console.log(`${verdict}: ${quotation.replaceAll("\n", " ")}`);
  for (const { kind, text } of changes) console.log(`  ${kind}: ${text}`);
}
await index.close();
await encoder.close();
