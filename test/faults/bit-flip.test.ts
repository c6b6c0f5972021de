/** Every single wrong bit in a small index is detected and located. */

import { expect, it } from "vitest";
import { VerbatimError } from "../../src/errors.js";
import type { Component } from "../../src/index/format/components.js";
import { openContainer } from "../../src/index/format/container.js";
import { checkIndex } from "../../src/index/maintain/check.js";
import { readManifest } from "../../src/index/manifest/manifest.js";
import { madeUpModel } from "../support/made-up.js";
import { MemoryStorage } from "../support/memory-storage.js";
import { contentOf, recordWorkload, WHOLE } from "./harness.js";

/**
 * The first test flips every bit; the second reads the whole index each time, so it flips only some
 * bits.
 */
const WHOLE_INDEX_STRIDE = WHOLE ? 11 : 211;

it(
  "any flipped bit of a segment file is detected: in its header, directory, footer, or a block that is named",
  async () => {
    const { before, firstVersion } = await recordWorkload();
    const { manifest } = await readManifest(MemoryStorage.of(before), firstVersion);
    const counts = { flips: 0, opening: 0, blocks: 0 };
    for (const segment of manifest.segments) {
      for (const file of segment.files) {
        const storage = MemoryStorage.of(new Map([[file.name, before.get(file.name)!]]));
        const component = file.name.slice(8).replace(/-\d+$/, "") as Component;
        const options = { component, passageModelHash: madeUpModel.passageModelHash };
        for (let bit = 0; bit < file.bytes * 8; bit++) {
          storage.flipBit(file.name, bit);
          counts.flips++;
          try {
            const container = await openContainer(storage, file, options);
            let damaged = 0;
            for (const section of container.sections) damaged += (await section.damagedBlocks(() => {})).length;
            expect(damaged, `${file.name}, bit ${bit}`).toBe(1);
            counts.blocks++;
          } catch (error) {
            if (!(error instanceof VerbatimError)) throw error;
            expect(error, `${file.name}, bit ${bit}`).toMatchObject({
              code: "corrupt-segment",
              where: expect.stringContaining(file.name),
            });
            counts.opening++;
          }
          storage.flipBit(file.name, bit);
        }
      }
    }
    console.info(
      `bit-flip: ${counts.flips} bits, ${counts.opening} found when opening, ${counts.blocks} in a block that was named`,
    );
  },
  WHOLE ? 3_600_000 : 600_000,
);

it(
  "reading a damaged index gives an error or the correct content, and check names the file",
  async () => {
    const { before, firstVersion } = await recordWorkload();
    const truth = await contentOf(MemoryStorage.of(before));
    const counts = { flips: 0, refused: 0, readTrue: 0 };
    for (const [name, bytes] of before) {
      if (name === `manifest-${firstVersion - 1}.json`) continue; // the version before, which no reader opens
      for (let bit = bytes.length % 8; bit < bytes.length * 8; bit += WHOLE_INDEX_STRIDE) {
        const storage = MemoryStorage.of(before);
        storage.flipBit(name, bit);
        const what = `${name}, bit ${bit}`;
        const report = await checkIndex(storage);
        const files = new Set(report.problems.map((problem) => problem.file));
        expect([...files], what).toEqual([...new Set([...files, name])]);
        try {
          counts.flips++;
          expect(await contentOf(storage), what).toBe(truth);
          counts.readTrue++;
        } catch (error) {
          expect(error, what).toMatchObject({ code: expect.stringMatching(/corrupt-(segment|manifest)/) });
          counts.refused++;
        }
      }
    }
    console.info(
      `bit-flip: ${counts.flips} bits of a whole index, each named by check; ${counts.refused} refused by a reader, ${counts.readTrue} read true`,
    );
  },
  WHOLE ? 3_600_000 : 600_000,
);
