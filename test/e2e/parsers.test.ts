/** The parser process of the package, which is compiled with its libraries, reads what the one of the sources reads. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { InputFile, SkippedInput } from "../../adapters/node/documents/input.js";
import { readFiles } from "../../adapters/node/documents/read-documents.js";
import { listInputs } from "../../adapters/node/documents/walk.js";
import type { Document } from "../../src/types.js";
import { projectRoot } from "../cli/run-cli.js";

vi.setConfig({ hookTimeout: 600_000 }); // it may have to build first

/** Formats of which the fixtures have no file that is small. */
const WRITTEN: Record<string, string> = {
  "letter.eml":
    "From: Ana <a@example.org>\nSubject: The mill\nDate: Mon, 2 Nov 2026 10:00:00 +0000\n\nThe mill is open.\n",
  "letters.mbox": "From ana@example.org Mon Nov  2 10:00:00 2026\nSubject: The mill\n\nThe mill is open.\n",
  "talk.srt": "1\n00:00:01,000 --> 00:00:02,000\nThe mill is open.\n",
  "talk.vtt": "WEBVTT\n\n00:01.000 --> 00:02.000\nThe mill is open.\n",
  "pump.ts": "/** Starts the pump. */\nexport function start(): void {}\n",
  "records.jsonl": '{"id":"r1","text":"The mill is open."}\n{"id":"r2"}\n',
  "broken.docx": "not a zip archive",
};

let folder: string;
beforeAll(() => {
  spawnSync(process.execPath, [join(projectRoot, "scripts", "prepare.mjs")], { stdio: "inherit" });
  folder = mkdtempSync(join(tmpdir(), "verbatim-parsers-"));
  for (const [name, content] of Object.entries(WRITTEN)) writeFileSync(join(folder, name), content);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function inputs(): Promise<InputFile[]> {
  const paths = [folder, join(projectRoot, "samples"), join(projectRoot, "test", "documents", "fixtures", "files")];
  const found: InputFile[] = [];
  for await (const input of listInputs(paths, { cwd: folder, onSkip: () => {} })) found.push(input);
  return found;
}

async function readBy(read: typeof readFiles): Promise<{ documents: Document[]; skips: SkippedInput[] }> {
  const skips: SkippedInput[] = [];
  const documents: Document[] = [];
  const given = await inputs();
  for await (const { document } of read(given, { onSkip: (skip) => skips.push(skip) })) documents.push(document);
  return { documents, skips };
}

it("the built parsers give the same documents and lines as the sources, for files of all formats", async () => {
  const endings = new Set((await inputs()).map(({ path }) => extname(path).slice(1)));
  const needed =
    "adoc csv docx eml html ipynb jpg jsonl mbox md odp ods odt org pdf png pptx rst rtf srt tex tif ts txt vtt xlsx";
  expect(needed.split(" ").filter((ending) => !endings.has(ending))).toEqual([]);
  const module = pathToFileURL(join(projectRoot, "dist", "adapters", "node", "documents", "read-documents.js")).href;
  const built = (await import(/* @vite-ignore */ module)) as { readFiles: typeof readFiles };
  const expected = await readBy(readFiles);
  expect(expected.documents.length).toBeGreaterThan(30);
  expect(await readBy(built.readFiles)).toEqual(expected);
});
