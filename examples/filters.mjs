/** Answer only from some of the documents:  node examples/filters.mjs */

import { MemoryStorage, openIndex, openWriter } from "verbatim-qa";
import { openEncoder } from "verbatim-qa/node";

const encoder = await openEncoder();
const storage = new MemoryStorage();
const writer = await openWriter({ storage, encoder });
await writer.add([
  { id: "2019", text: "The keeper of the lighthouse is Mara Lind.", metadata: { year: 2019, tags: ["staff"] } },
  { id: "2024", text: "The keeper of the lighthouse is Jan Roe.", metadata: { year: 2024, tags: ["staff", "new"] } },
]);
await writer.commit();
await writer.close();

const index = await openIndex({ storage, encoder });
const question = "who is the keeper of the lighthouse?";
const options = { topK: 1, minConfidence: 0 };

// as an expression, as on the command line (docs/cli.md, "Filters")
const byWords = await index.ask(question, { ...options, where: 'year < 2020 and tags = "staff"' });
console.log(`before 2020: ${byWords.answers[0].text}`);

// as a function; keep one function per filter, because its result is cached
const isNew = ({ metadata }) => metadata.tags.includes("new");
const byFunction = await index.ask(question, { ...options, filter: isNew });
console.log(`new: ${byFunction.answers[0].text}`);

await index.close();
await encoder.close();
