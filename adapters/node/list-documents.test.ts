import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openIndexWriter } from "../../src/index/write/writer.js";
import { madeUpModel, makePrepared } from "../../test/support/made-up.js";
import { listDocuments } from "./list-documents.js";
import { FileStorage } from "./storage/file-storage.js";

it("lists the version that it began with, while another program merges its segments and removes their files", async () => {
  const folder = await mkdtemp(join(tmpdir(), "verbatim-list-"));
  const open = () => openIndexWriter(new FileStorage(folder), { model: madeUpModel, autoCommit: false });
  const writer = await open();
  const documents = makePrepared({ seed: 13, documents: 5, passages: [1, 2] });
  for (const document of documents) {
    await writer.add(document);
    await writer.commit();
  }
  await writer.close();
  const ids: string[] = [];
  for await (const { id } of listDocuments(folder)) {
    ids.push(id);
    if (ids.length !== 2) continue;
    const other = await open();
    await other.compact();
    await other.close();
  }
  expect(ids).toEqual(documents.map(({ document }) => document.id));
  await rm(folder, { recursive: true });
});
