/** Fields of records never make a document one of a file, which pruning would remove. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ParserPool } from "../../adapters/node/documents/isolation/parser-pool.js";
import { readUpload } from "../../adapters/node/documents/read-upload.js";
import { indexPaths, openEncoder, openWriter } from "../../adapters/node/index.js";
import { temporaryFolder, tinyModel } from "./run-cli.js";

it("records from standard input and from files lose fields that begin with file., and are not pruned for them", async () => {
  const cwd = await temporaryFolder();
  const encoder = await openEncoder({ modelFolder: tinyModel, threads: 1 });
  const parsers = new ParserPool();
  const index = join(cwd, "i");
  const record = (id: string, text: string): string =>
    `${JSON.stringify({ id, text, year: 1890, "file.folder": ".", "file.author": "Ada" })}\n`;
  async function* stdin(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(record("pump", "The pump stops when the tank is full."));
  }
  await writeFile(join(cwd, "a.jsonl"), record("mill", "The mill was sold by Karl Voss."));
  try {
    await indexPaths(["-"], { index, encoder, cwd, parsers, format: "jsonl", stdin: stdin() });
    await indexPaths(["."], { index, encoder, cwd, parsers, prune: true });
    const writer = await openWriter({ path: index, encoder });
    const found: Record<string, unknown> = {};
    for await (const { id, metadata } of writer.documents()) found[id] = metadata;
    await writer.close();
    expect(found).toEqual({
      pump: { year: 1890 },
      mill: {
        year: 1890,
        "file.folder": ".",
        "file.extension": "jsonl",
        "file.modified": expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      },
    });
  } finally {
    await encoder.close();
    parsers.close();
  }
});

it("uploaded records have no folder, whatever fields they have", async () => {
  const parsers = new ParserPool();
  const line = JSON.stringify({ id: "pump", text: "The pump stops.", year: 1890, "file.folder": "." });
  try {
    const upload = readUpload("a.jsonl", Buffer.from(line), { parsers, onSkip: () => expect.unreachable() });
    for await (const { metadata } of upload) {
      expect(Object.keys(metadata!).sort()).toEqual(["file.extension", "file.modified", "year"]);
    }
  } finally {
    parsers.close();
  }
});
