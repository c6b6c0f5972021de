/**
 * The work of every parser grows in proportion to its input, for the constructs that parsers are
 * known to be slow with. What a limit refuses costs nothing.
 */

import { describe, expect, it } from "vitest";
import type { DocumentFormat } from "../../adapters/node/documents/formats.js";
import { defaultReadLimits } from "../../adapters/node/documents/limits.js";
import { parseInput } from "../../adapters/node/documents/parse-input.js";
import { growthOf, MAX_GROWTH } from "../support/growth.js";
import { type Construct, TEXT_CONSTRUCTS } from "./growth-constructs.js";
import { MARKUP_CONSTRUCTS } from "./growth-markup.js";
import { OFFICE_CONSTRUCTS } from "./growth-office.js";

const MAX_BYTES = 16 * 1024 * 1024;
const MAX_SIZE = 2 ** 19;

const CONSTRUCTS = [TEXT_CONSTRUCTS, MARKUP_CONSTRUCTS, OFFICE_CONSTRUCTS].flatMap(
  (constructs) => Object.entries(constructs) as [DocumentFormat, Record<string, Construct>][],
);

async function read(format: DocumentFormat, bytes: Uint8Array): Promise<void> {
  const input = { path: `input.${format}`, absolutePath: "-", id: "input", size: bytes.length, mtimeMs: 0 };
  const content = (async function* () {
    yield bytes;
  })();
  for await (const _ of parseInput(input, { format, limits: defaultReadLimits, content, onSkip: () => {} }));
}

for (const [format, constructs] of CONSTRUCTS) {
  describe(`the work for ${format} grows with its size, with`, { timeout: 600_000 }, () => {
    it.each(Object.entries(constructs))("%s", async (_, construct) => {
      const growth = await growthOf((size) => {
        if (size > MAX_SIZE) return;
        const content = construct(size);
        const bytes = typeof content === "string" ? Buffer.from(content) : content;
        return bytes.length > MAX_BYTES ? undefined : () => read(format, bytes);
      });
      expect(growth).toBeLessThanOrEqual(MAX_GROWTH);
    });
  });
}
