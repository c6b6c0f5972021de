/** What is served is open all at once: nobody meets an index whose documents cannot be listed yet. */

import { expect, it } from "vitest";
import { PathRedactor } from "../../adapters/server/http/path-redactor.js";
import { IndexHandle } from "../../adapters/server/index-handle.js";
import { openWriter } from "../../src/api/open-index.js";
import { textDocument } from "../support/ask.js";
import { MemoryStorage } from "../support/memory-storage.js";
import { TinyEncoder } from "../support/tiny-encoder.js";

it("lists documents from the moment on that it is open", async () => {
  const documents = [textDocument("a", "The mill was sold by Karl Voss.")];
  const storage = new MemoryStorage();
  const encoder = new TinyEncoder(documents.map(({ text }) => text));
  const index = new IndexHandle({ storage, encoder, redactor: new PathRedactor([]) });
  expect(await index.refresh()).toBe(0);
  const writer = await openWriter({ storage, encoder });
  await writer.add(documents);
  await writer.commit();
  await writer.close();
  let refreshed = false;
  const refreshing = index.refresh().finally(() => {
    refreshed = true;
  });
  let looks = 0;
  while (!refreshed) {
    if (index.isOpen) expect(await index.documents.list({ limit: 10 })).toMatchObject({ total: 1 });
    looks++;
    // between any two steps of the opening
    await (looks % 50 === 0 ? new Promise((done) => setImmediate(done)) : Promise.resolve());
  }
  expect(looks).toBeGreaterThan(10);
  expect(await refreshing).toBe(1);
  await index.close();
});
