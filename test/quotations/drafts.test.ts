/**
 * Three drafts of real-looking prose with 48 quotations of the sample documents, in many styles of
 * citation: which are found, with which source and verdict. `expected.jsonl` was written before the
 * drafts were first checked; a `source` of null means that the draft names no document.
 */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openEncoder } from "../../adapters/node/models/encoder/encoder.js";
import { openIndex } from "../../adapters/node/open-index.js";
import { quotationsIn } from "../../src/quote/draft-quotations.js";
import type { QuoteVerdict } from "../../src/quote/types.js";
import { projectRoot, tinyModel, verbatim } from "../cli/run-cli.js";

interface Expected {
  draft: string;
  begins: string;
  verdict: QuoteVerdict;
  source: string | null;
}

const folder = join(projectRoot, "test", "quotations", "drafts");
const expected = readFileSync(join(folder, "expected.jsonl"), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Expected);

it("finds every quotation of the drafts, and gives nearly all their source and verdict", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "verbatim-drafts-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  await verbatim(["index", join(projectRoot, "samples"), "--index", join(cwd, "index"), "--level", "lexical"], { cwd });
  const encoder = await openEncoder({ modelFolder: tinyModel, threads: 1 });
  onTestFinished(() => encoder.close());
  const index = await openIndex({ path: join(cwd, "index"), encoder });
  onTestFinished(() => index.close());

  const wrong = { source: [] as unknown[], verdict: [] as unknown[], extra: [] as string[] };
  for (const draft of new Set(expected.map((one) => one.draft))) {
    const own = expected.filter((one) => one.draft === draft);
    const { quotations, unclosed } = quotationsIn(readFileSync(join(folder, draft), "utf8"));
    expect(unclosed).toEqual([]);
    const checks = await index.quote(quotations);
    const left = new Set(checks);
    for (const { verdict: right, source, begins: words } of own) {
      const check = checks.find(({ quotation }) => quotation.replace(/\s+/g, " ").startsWith(words));
      expect(check, words).toBeDefined();
      left.delete(check!);
      const { verdict, attribution } = check!;
      const named = (attribution?.documentIds ?? []).map((id) => id.slice(id.lastIndexOf("/") + 1));
      if (verdict !== right) wrong.verdict.push({ draft, words, verdict, right });
      if (named.join() !== (source ?? "")) wrong.source.push({ draft, words, attribution, source });
    }
    wrong.extra.push(...Array.from(left, ({ quotation }) => quotation));
  }
  if (process.env.VERBATIM_REPORT) console.log(JSON.stringify(wrong, null, 1));
  expect(expected).toHaveLength(48);
  expect(wrong.extra).toEqual(["Foundation"]); // the title of a section, in a footnote
  expect(wrong.verdict, JSON.stringify(wrong)).toEqual([]);
  expect(wrong.source.length, JSON.stringify(wrong)).toBeLessThanOrEqual(1);
});
