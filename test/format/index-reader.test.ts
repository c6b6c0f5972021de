/** The independent reader in Python, written from docs/index-format.md, reads the indexes that this code writes. */

import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { openWriter } from "../../adapters/node/index.js";
import type { IndexLevel } from "../../src/index/format/level.js";
import type { Document } from "../../src/types.js";
import { textDocument } from "../support/ask.js";

const tinyModel = fileURLToPath(new URL("../golden/tiny-model", import.meta.url));
const runner = join(import.meta.dirname, "run.py");
const python = spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 11))"]).status === 0;

const PARAGRAPH =
  "The old observatory was founded by Ines Calder in 1911. Its bell rings at noon, and the river runs below the hill. ";

const documents: Document[] = [
  textDocument("plain", PARAGRAPH.repeat(12)),
  {
    ...textDocument("café", "Çà et là: naïve, Zürich, Łódź — “quoted”. 東京の塔 😀 e=mc², don't_stop."),
    title: "Ünïcode",
  },
  textDocument(
    "scripts",
    "ｶﾞｲﾄﾞ ⼀⽉ と か\u3099。\u3099 葛\u{e0100}城 Wasch\u00admaschine ٢٠٢٤ شقّة می\u200cخواهم ❤\ufe0f 1\ufe0f\u20e3 \u0301 STRAẞE İyi Ёлка йод " +
      "한국어 ".normalize("NFD"),
  ),
  textDocument("lone", `A lone \ud83d surrogate. ${PARAGRAPH}`),
  {
    ...textDocument("metadata", PARAGRAPH),
    metadata: { "10": "ten", "9": 1e-7, é: true, list: ["b", "a"], big: 1e21, "file.folder": "ignored" },
  },
  textDocument("replaced", PARAGRAPH.repeat(2)),
  textDocument("deleted", PARAGRAPH.repeat(3)),
];

async function makeIndex(level: IndexLevel, upgradeTo?: IndexLevel): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "verbatim-format-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  const writer = await openWriter({ path, modelFolder: tinyModel, threads: 1, level, autoMerge: false });
  await writer.add(documents);
  await writer.commit();
  await writer.add([textDocument("replaced", `${PARAGRAPH} It is now a museum.`), textDocument("later", PARAGRAPH)]);
  await writer.delete(["deleted"]);
  await writer.commit();
  if (upgradeTo !== undefined) await writer.upgrade({ level: upgradeTo });
  await writer.close();
  return path;
}

describe.skipIf(!python)("the independent reader", () => {
  it.each<[IndexLevel, IndexLevel | undefined]>([
    ["full", undefined],
    ["thin", undefined],
    ["lexical", undefined],
    ["lexical", "full"],
  ])("reads an index of level %s (upgraded to: %s) with deletions", async (level, upgradeTo) => {
    const path = await makeIndex(level, upgradeTo);
    const run = spawnSync("python3", [runner, "--index", path, "--model", tinyModel], { encoding: "utf8" });
    expect(run.stderr).toBe("");
    expect(JSON.parse(run.stdout)).toMatchObject({ documents: documents.length });
  });
});
