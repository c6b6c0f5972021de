/**
 * Write your own storage: this one keeps files in memory and counts the reads of a question. A storage has eight
 * methods; docs/library.md lists their rules.  node examples/custom-storage.mjs
 */

import { MemoryStorage, openIndex, openWriter } from "verbatim-qa";
import { openEncoder } from "verbatim-qa/node";

class CountingStorage extends MemoryStorage {
  reads = 0;
  bytes = 0;

  async open(name) {
    const source = await super.open(name);
    return {
      ...source,
      read: (offset, length, signal) => {
        this.reads++;
        this.bytes += length;
        return source.read(offset, length, signal);
      },
    };
  }
}

const encoder = await openEncoder();
const storage = new CountingStorage();
const writer = await openWriter({ storage, encoder });
await writer.add({ id: "history", text: "The observatory was founded by Ines Calder in 1911." });
await writer.commit();
await writer.close();

const index = await openIndex({ storage, encoder });
storage.reads = 0;
const { answers } = await index.ask("who founded the observatory?", { topK: 1, minConfidence: 0 });
console.log(`${answers[0].text}: ${storage.reads} reads, ${storage.bytes} bytes`);
await index.close();
await encoder.close();
