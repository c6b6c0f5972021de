/**
 * The work of every parser grows at most a little faster than its input: twice the input takes at most three times the
 * processor time, for the constructs that parsers are known to be slow with. What a limit refuses costs nothing.
 */

import { describe, expect, it } from "vitest";
import type { DocumentFormat } from "../../adapters/node/documents/input.js";
import { defaultReadLimits } from "../../adapters/node/documents/limits.js";
import { parseInput } from "../../adapters/node/documents/parse-input.js";
import { type Construct, TEXT_CONSTRUCTS } from "./growth-constructs.js";
import { MARKUP_CONSTRUCTS } from "./growth-markup.js";
import { OFFICE_CONSTRUCTS } from "./growth-office.js";

const MAX_RATIO = 3;
/** The smaller input takes at least this long, so that the clock's steps and the compiler do not decide, … */
const MIN_MS = 80;
/** … unless it would be larger than this. */
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_N = 2 ** 18;
const FIRST_N = 256;
/** The shortest of this many runs counts; a ratio fails if it is missed this often in a row. */
const RUNS = 3;
const TRIES = 4;

const CONSTRUCTS = [TEXT_CONSTRUCTS, MARKUP_CONSTRUCTS, OFFICE_CONSTRUCTS].flatMap(
  (constructs) => Object.entries(constructs) as [DocumentFormat, Record<string, Construct>][],
);

/** Processor time of this process for reading an input, in milliseconds: the shortest of some runs. */
async function workMs(format: DocumentFormat, bytes: Uint8Array, runs = RUNS): Promise<number> {
  let shortest = Infinity;
  for (let run = 0; run < runs; run++) {
    const input = { path: `input.${format}`, absolutePath: "-", id: "input", size: bytes.length, mtimeMs: 0 };
    const content = (async function* () {
      yield bytes;
    })();
    const start = process.cpuUsage();
    const documents = parseInput(input, { format, limits: defaultReadLimits, content, onSkip: () => {} });
    for await (const _ of documents);
    const { user, system } = process.cpuUsage(start);
    shortest = Math.min(shortest, (user + system) / 1000);
  }
  return shortest;
}

const bytesOf = (content: string | Uint8Array) => (typeof content === "string" ? Buffer.from(content) : content);

/** Twice the input ÷ the input, in processor time; 0 if even the largest input takes next to none. */
async function growthOf(format: DocumentFormat, construct: Construct): Promise<number> {
  for (let n = FIRST_N; ; n *= 2) {
    const bytes = bytesOf(construct(n));
    const twice = bytesOf(construct(2 * n));
    if ((await workMs(format, bytes, 1)) >= MIN_MS) {
      const single = await workMs(format, bytes);
      if (single >= MIN_MS) return (await workMs(format, twice)) / single;
    }
    if (twice.length > MAX_BYTES || n >= MAX_N) return 0;
  }
}

for (const [format, constructs] of CONSTRUCTS) {
  describe(`the work for ${format} grows with its size, with`, { timeout: 600_000 }, () => {
    it.each(Object.entries(constructs))("%s", async (_, construct) => {
      let ratio = Infinity;
      for (let attempt = 0; attempt < TRIES && ratio > MAX_RATIO; attempt++)
        ratio = Math.min(ratio, await growthOf(format, construct));
      expect(ratio).toBeLessThanOrEqual(MAX_RATIO);
    });
  });
}
