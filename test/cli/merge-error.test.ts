/** A merge in the background that fails while files are indexed is reported and loses nothing. */

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { mergeFailedLine } from "../../adapters/cli/render/merge-failed.js";
import { ParserPool } from "../../adapters/node/documents/isolation/parser-pool.js";
import { indexPaths, openEncoder } from "../../adapters/node/index.js";
import { VerbatimError } from "../../src/errors.js";
import { temporaryFolder, tinyModel } from "./run-cli.js";

it("indexPaths reports merges that fail to onMergeError, and indexes all files", async () => {
  const cwd = await temporaryFolder();
  const encoder = await openEncoder({ modelFolder: tinyModel, threads: 1 });
  const parsers = new ParserPool();
  const reported: unknown[] = [];
  const runs = 12; // more than make a tier
  try {
    for (let n = 1; n <= runs; n++) {
      await writeFile(join(cwd, `${n}.txt`), `The mill number ${n} was sold by Karl Voss.`);
      const onMergeError = (error: unknown): number => reported.push(error);
      const { total } = await indexPaths([`${n}.txt`], { index: "i", encoder, cwd, parsers, onMergeError });
      expect(total).toMatchObject({ documents: n });
      if (n > 1) continue;
      const texts = join(cwd, "i", "s000001.text");
      const bytes = await readFile(texts);
      bytes[64]! ^= 1; // the first byte after the header
      await writeFile(texts, bytes);
    }
  } finally {
    await encoder.close();
    parsers.close();
  }
  expect(reported.length).toBeGreaterThan(0);
  for (const error of reported) expect(error).toMatchObject({ code: "corrupt-segment" });
});

it("the line names what is wrong and what to do", () => {
  expect(mergeFailedLine(new VerbatimError("corrupt-segment", "s000001.text is damaged."))).toBe(
    "Merging segments failed: s000001.text is damaged. Nothing is lost; check the index with verbatim check.",
  );
});
