/**
 * Damaged files of every format never end a run: each gives documents, or lines that say what is wrong with it.
 * VERBATIM_MUTATIONS sets how many there are of each format (default 20), VERBATIM_MUTATION_SEED the random source.
 */

import { rmSync } from "node:fs";
import { expect, it } from "vitest";
import { picturePages } from "../../adapters/node/documents/formats/scans/picture-size.js";
import { readFiles } from "../../adapters/node/documents/read-documents.js";
import { randomFrom } from "../hostile/random.js";
import { TestFolder } from "./fixtures/folder.js";
import { damaged, HOCR, PICTURES, SEEDS } from "./mutations.js";

const count = Number(process.env.VERBATIM_MUTATIONS ?? 20);
const seed = Number(process.env.VERBATIM_MUTATION_SEED ?? 1);

it.each(Object.keys(SEEDS))("damaged %s", { timeout: 3_600_000 }, async (name) => {
  const random = randomFrom(seed);
  const good = SEEDS[name]!();
  const ending = name.slice(1);
  const files = Array.from({ length: count }, (_, i): [string, Uint8Array] => [`${i}${ending}`, damaged(random, good)]);
  await readAll(Object.fromEntries(files), { ending, count });
});

it("damaged hOCR next to a picture", { timeout: 3_600_000 }, async () => {
  const random = randomFrom(seed);
  const files: Record<string, string | Uint8Array> = {};
  for (let i = 0; i < count; i++) {
    files[`${i}.png`] = "not looked at";
    files[`${i}.hocr`] = damaged(random, Buffer.from(HOCR));
  }
  await readAll(files, { ending: ".png", count });
});

it.each(PICTURES)("the size of a damaged $name", ({ bytes }) => {
  const random = randomFrom(seed);
  const good = bytes();
  for (let i = 0; i < count; i++) {
    let pages = 0;
    for (const { width, height } of picturePages(damaged(random, good))) {
      pages++;
      expect(width >= 0 && height >= 0).toBe(true);
    }
    expect(pages).toBeLessThanOrEqual(10_000);
  }
});

async function readAll(
  files: Record<string, string | Uint8Array>,
  { ending, count }: { ending: string; count: number },
): Promise<void> {
  const folder = await new TestFolder().write({ ...files, "good.txt": "The pump is good." });
  const outcomes = new Map<string, number>();
  const problems: string[] = [];
  let last = "";
  const inputs = [...Array.from({ length: count }, (_, i) => folder.input(`${i}${ending}`)), folder.input("good.txt")];
  const onSkip = ({ source, reason, hint }: { source: string; reason: string; hint?: string }) => {
    outcomes.set(source, (outcomes.get(source) ?? 0) + 1);
    if (/\n|undefined|crashes|ends its parser|too long to read|of memory/.test(`${reason} ${hint ?? ""}`))
      problems.push(`${source} ${reason}`);
  };
  for await (const { document } of readFiles(inputs, { onSkip })) {
    outcomes.set(document.source, (outcomes.get(document.source) ?? 0) + 1);
    last = document.id;
    if (document.text.trim() === "" || document.map.segments[0]?.start !== 0)
      problems.push(`${document.source} text or map`);
    for (const { start, end } of document.headings ?? []) {
      if (!(start >= 0 && start < end && end <= document.text.length))
        problems.push(`${document.source} range ${start}…${end}`);
    }
  }
  if (problems.length === 0) rmSync(folder.path, { recursive: true });
  expect(problems).toEqual([]);
  expect(outcomes.size).toBe(count + 1);
  expect(last).toBe("good.txt");
}
