/** Change an index while it answers:  node examples/update-and-delete.mjs */

import { MemoryStorage, openIndex, openWriter } from "verbatim-qa";
import { openEncoder } from "verbatim-qa/node";

const encoder = await openEncoder();
const storage = new MemoryStorage();
const writer = await openWriter({ storage, encoder });
await writer.add({ id: "keeper", text: "The keeper of the lighthouse is Mara Lind." });
await writer.commit();

const index = await openIndex({ storage, encoder });
const show = async (when) => {
  const { answers } = await index.ask("who is the keeper of the lighthouse?", { topK: 1, minConfidence: 0 });
  console.log(`${when}, version ${index.version}: ${answers[0]?.text ?? "no answer"}`);
};
await show("at first");

await writer.add({ id: "keeper", text: "The keeper of the lighthouse is Jan Roe." }); // replaces the document
const version = await writer.commit();
await show("before refresh"); // an open index keeps its version
await index.refresh({ atLeastVersion: version });
await show("after refresh");

await writer.delete(["keeper"]);
await index.refresh({ atLeastVersion: await writer.commit() });
await show("after delete");

await writer.close();
await index.close();
await encoder.close();
