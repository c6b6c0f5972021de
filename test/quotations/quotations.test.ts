/** Precision and recall of each verdict on 200 quotations of the sample documents (make-set.mjs wrote them). */

import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openEncoder } from "../../adapters/node/models/encoder/encoder.js";
import { openIndex } from "../../adapters/node/open-index.js";
import { QUOTE_VERDICTS, type QuotationInput, type QuoteVerdict } from "../../src/quote/types.js";
import { projectRoot, tinyModel, verbatim } from "../cli/run-cli.js";

interface Line extends QuotationInput {
  verdict: QuoteVerdict;
}

const lines = readFileSync(join(projectRoot, "test", "quotations", "set.jsonl"), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Line);

/** Share of `of` for which `holds`. */
const share = <T>(of: readonly T[], holds: (item: T) => boolean): number =>
  of.filter(holds).length / Math.max(1, of.length);

it("gives at least 0.97 of exact and other quotations and 0.9 of every verdict their verdict", async () => {
  const cwd = await mkdtemp(join(tmpdir(), "verbatim-quotations-"));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  const samples = join(projectRoot, "samples");
  await verbatim(["index", samples, "--index", join(cwd, "index"), "--level", "lexical"], { cwd });
  const encoder = await openEncoder({ modelFolder: tinyModel, threads: 1 });
  onTestFinished(() => encoder.close());
  const index = await openIndex({ path: join(cwd, "index"), encoder });
  onTestFinished(() => index.close());
  const inputs = lines.map(({ text, attributedTo }) => ({ text, ...(attributedTo && { attributedTo }) }));
  const checks = await index.quote(inputs);
  const pairs = lines.map(({ verdict, text }, n) => ({ expected: verdict, given: checks[n]!.verdict, text }));

  expect(lines).toHaveLength(200);
  const wrong = pairs.filter(({ expected, given }) => expected !== given);
  const measured = QUOTE_VERDICTS.map((verdict) => ({
    verdict,
    precision: share(
      pairs.filter(({ given }) => given === verdict),
      ({ expected }) => expected === verdict,
    ),
    recall: share(
      pairs.filter(({ expected }) => expected === verdict),
      ({ given }) => given === verdict,
    ),
  }));
  const [exact, ...others] = measured;
  const isExact = (verdict: QuoteVerdict): boolean => verdict === "exact";
  const notExact = {
    precision: share(
      pairs.filter(({ given }) => !isExact(given)),
      ({ expected }) => !isExact(expected),
    ),
    recall: share(
      pairs.filter(({ expected }) => !isExact(expected)),
      ({ given }) => !isExact(given),
    ),
  };
  if (process.env.VERBATIM_REPORT) console.log(JSON.stringify({ measured, notExact, wrong }, null, 1));
  for (const { precision, recall } of [exact!, notExact]) {
    expect(precision, JSON.stringify(wrong)).toBeGreaterThanOrEqual(0.97);
    expect(recall, JSON.stringify(wrong)).toBeGreaterThanOrEqual(0.97);
  }
  for (const { verdict, precision, recall } of others) {
    expect(precision, `${verdict} ${JSON.stringify(wrong)}`).toBeGreaterThanOrEqual(0.9);
    expect(recall, `${verdict} ${JSON.stringify(wrong)}`).toBeGreaterThanOrEqual(0.9);
  }
});
