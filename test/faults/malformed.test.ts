/**
 * Forged files: manifests and segments with invalid content and valid checksums. The result is a
 * typed error that names the file, or the index is read; never a crash, never unbounded memory.
 */

import { expect, it } from "vitest";
import { VerbatimError } from "../../src/errors.js";
import { checkIndex } from "../../src/index/maintain/check.js";
import { readManifest } from "../../src/index/manifest/manifest.js";
import { openSnapshot } from "../../src/index/open-snapshot.js";
import { MemoryStorage } from "../support/memory-storage.js";
import { seededRandom } from "../support/random.js";
import { contentOf, recordWorkload, WHOLE } from "./harness.js";
import { malformed } from "./malformed-index.js";

const INPUTS = Number(process.env.VERBATIM_INPUTS ?? (WHOLE ? 100_000 : 600));
const FIRST_SEED = Number(process.env.VERBATIM_SEED ?? 1);
const CODES = ["corrupt-segment", "corrupt-manifest", "unsupported-format", "model-mismatch", "io-error"];
/** Reads everything: contents, then every list of postings. */
async function readAll(storage: MemoryStorage): Promise<void> {
  await contentOf(storage);
  const snapshot = await openSnapshot(storage);
  try {
    for (const segment of snapshot.segments) {
      for (let term = 0; term < 60; term++) await segment.termPostings([term]);
      for (const kind of ["document", "passage"] as const) await segment.tfidfNorms(kind);
      for (let bucket = 0; bucket < 1 << 24; bucket += 1 << 19) await segment.tfidfPostings([bucket]);
      await segment.readVectors(() => {});
    }
  } finally {
    await snapshot.close();
  }
}

it("malformed files with valid checksums are typed errors, or are read", async () => {
  const { before, firstVersion } = await recordWorkload();
  const { manifest } = await readManifest(MemoryStorage.of(before), firstVersion);
  const counts = { refused: 0, readWhole: 0, seenByCheck: 0 };
  for (let seed = FIRST_SEED; seed < FIRST_SEED + INPUTS; seed++) {
    const storage = await malformed(before, manifest, seededRandom(seed));
    const what = `seed ${seed} (VERBATIM_SEED=${seed} VERBATIM_INPUTS=1)`;
    const expectCode = (error: unknown): void => {
      if (!(error instanceof VerbatimError)) throw new Error(what, { cause: error });
      expect(CODES, `${what}: ${error.message}`).toContain(error.code);
      expect(error.message.length, what).toBeLessThan(1000);
    };
    try {
      await readAll(storage);
      counts.readWhole++;
    } catch (error) {
      expectCode(error);
      counts.refused++;
    }
    try {
      if (!(await checkIndex(storage)).ok) counts.seenByCheck++;
    } catch (error) {
      expectCode(error);
      counts.seenByCheck++;
    }
  }
  console.info(
    `malformed: ${INPUTS} inputs, ${counts.refused} refused, ${counts.readWhole} read, ${counts.seenByCheck} seen by check`,
  );
}, 21_600_000);
