/** Documents kept without encoding: by id, content and state of the file. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { type KnownDocument, KnownDocuments, MissingFiles } from "../../adapters/node/ingest/known-documents.js";
import { documentContentHash } from "../../src/index/format/content-hash.js";
import { IdTable } from "../../src/ingest/id-table.js";
import type { Document } from "../../src/types.js";
import { temporaryFolder } from "./run-cli.js";

const ofFile = { "file.folder": "." };

function documentOf(id: string, text: string, rest: Partial<Document> = {}): Document {
  return { id, title: "T", text, source: id, map: { kind: "text", segments: [] }, metadata: ofFile, ...rest };
}

function knownOf(document: Document): KnownDocument {
  const { id, title, source, metadata = {} } = document;
  return { id, title, source, metadata, contentHash: documentContentHash(document) };
}

describe("KnownDocuments", () => {
  let cwd: string;
  let known: KnownDocuments;
  let seen: IdTable;
  const read = async (...documents: Document[]): Promise<void> => {
    async function* all(): AsyncGenerator<KnownDocument> {
      for (const document of documents) yield knownOf(document);
    }
    seen = new IdTable();
    known = await KnownDocuments.read(all(), documents.length, { files: new MissingFiles(cwd), cwd, seen });
  };
  const isKept = (document: Document): Promise<boolean> => {
    seen.add(document.id);
    return known.isKept(document, documentContentHash(document));
  };
  const moves = (): string[] =>
    known.moves.map(({ from, to, renamed }) => `${from} → ${to.id}${renamed ? "" : " (fields)"}`);
  beforeEach(async () => {
    cwd = await temporaryFolder();
    await writeFile(join(cwd, "here.txt"), "x");
  });

  it("treats a new file as renamed only if the old one is gone, and each old one once", async () => {
    await read(documentOf("gone.txt", "A."), documentOf("here.txt", "B."));
    expect(await isKept(documentOf("new-b.txt", "B."))).toBe(false);
    expect(await isKept(documentOf("new-a.txt", "A."))).toBe(true);
    expect(await isKept(documentOf("second-a.txt", "A."))).toBe(false);
    expect(moves()).toEqual(["gone.txt → new-a.txt"]);
  });

  it("does not move documents that did not come from a file, or are still there", async () => {
    await read(documentOf("piped", "A.", { metadata: {} }), documentOf("here.txt", "B."));
    expect(await isKept(documentOf("a.txt", "A."))).toBe(false);
    expect(await isKept(documentOf("here.txt", "B."))).toBe(false);
    expect(moves()).toEqual([]);
  });

  it("detects changed fields, but not with another title or text", async () => {
    await read(documentOf("here.txt", "B.", { metadata: { ...ofFile, year: 1 } }));
    expect(await isKept(documentOf("here.txt", "B.", { title: "U" }))).toBe(false);
    expect(await isKept(documentOf("here.txt", "C."))).toBe(false);
    expect(await isKept(documentOf("here.txt", "B.", { metadata: { ...ofFile, year: 2 } }))).toBe(true);
    expect(moves()).toEqual(["here.txt → here.txt (fields)"]);
    expect(known.moves[0]!.to.metadata).toEqual({ ...ofFile, year: 2 });
  });

  it("keeps a record's id when its file is renamed, and never confuses records with the same text", async () => {
    await read(documentOf("1", "A.", { source: "r.jsonl" }), documentOf("r.jsonl#2", "B.", { source: "r.jsonl" }));
    expect(await isKept(documentOf("9", "A.", { source: "s.jsonl" }))).toBe(false);
    expect(await isKept(documentOf("1", "A.", { source: "s.jsonl" }))).toBe(true);
    expect(await isKept(documentOf("s.jsonl#7", "B.", { source: "s.jsonl" }))).toBe(true);
    expect(moves()).toEqual(["1 → 1", "r.jsonl#2 → s.jsonl#7"]);
  });

  it("does not move a document whose old id turns up later, and names the new one", async () => {
    await read(documentOf("gone.txt", "A."));
    expect(await isKept(documentOf("new.txt", "A."))).toBe(true);
    expect(await isKept(documentOf("gone.txt", "Z.", { source: "s.jsonl" }))).toBe(false);
    expect(moves()).toEqual([]);
    expect(known.left).toEqual([{ id: "new.txt", source: "new.txt" }]);
    await read(documentOf("gone.txt", "A."));
    expect(await isKept(documentOf("gone.txt", "Z.", { source: "s.jsonl" }))).toBe(false);
    expect(await isKept(documentOf("new.txt", "A."))).toBe(false);
    expect(moves()).toEqual([]);
  });
});
