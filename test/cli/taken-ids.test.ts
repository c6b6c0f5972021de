/** A record's id never takes the place of another file's document, however large the index is. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ParserPool } from "../../adapters/node/documents/isolation/parser-pool.js";
import { indexPaths, openEncoder, openWriter } from "../../adapters/node/index.js";
import { indexInputs } from "../../adapters/node/ingest/index-inputs.js";
import { listOutside } from "../../adapters/node/ingest/list-outside.js";
import { temporaryFolder, tinyModel } from "./run-cli.js";

it.each([
  ["held in memory", undefined],
  ["too large to be held in memory", 0],
])("an id of the index belongs to its file, in an index that is %s", async (_, maxKnown) => {
  const cwd = await temporaryFolder();
  const encoder = await openEncoder({ modelFolder: tinyModel, threads: 1 });
  const parsers = new ParserPool();
  const index = join(cwd, "i");
  await writeFile(join(cwd, "first.jsonl"), '{"id":"7","text":"The fine is 5000 crowns."}\n');
  await indexPaths(["first.jsonl"], { index, encoder, cwd, parsers });
  await writeFile(
    join(cwd, "second.jsonl"),
    '{"id":"7","text":"The fine is 5 crowns."}\n{"id":"8","text":"It is due."}\n',
  );
  const writer = await openWriter({ path: index, encoder });
  try {
    const skips: string[] = [];
    const onSkip = ({ source, reason }: { source: string; reason: string }): number =>
      skips.push(`${source} ${reason}`);
    const paths = ["second.jsonl"];
    const inputs = await listOutside(index, paths, { cwd, signal: undefined, onSkip });
    const listed = new Set(inputs.map(({ absolutePath }) => absolutePath));
    await indexInputs({ inputs, listed, paths, options: { cwd, parsers }, onSkip, maxKnown }, writer);
    expect(skips).toEqual([expect.stringMatching(/^second\.jsonl.* the id "7", which belongs to first\.jsonl$/)]);
    const found: string[] = [];
    for await (const { id, source } of writer.documents()) found.push(`${id} ${source}`);
    expect(found).toEqual(["7 first.jsonl", "8 second.jsonl"]);
    expect(await writer.find("7")).toMatchObject({ id: "7", source: "first.jsonl", passages: 1 });
    expect(await writer.find("9")).toBeUndefined();
  } finally {
    await writer.close();
    await encoder.close();
    parsers.close();
  }
});
