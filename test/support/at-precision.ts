/** The test encoders' own rounding to a model's storage precision, written independently of src/encode/precision.ts. */

import type { EncodedPassage, ModelInfo, NgramRows, StoragePrecision, TermWeights } from "../../src/encode/types.js";
import type { PreparedDocument } from "../../src/index/types.js";

type PrecisionModel = Pick<ModelInfo, "dense" | "coherency" | "storage">;

const nearest = (value: number, step: number): number => {
  if (step === 1) return value;
  if (step === 255) return 0;
  const multiple = Math.round(Math.max(-127, value) / step) * step;
  return Math.max(-127, Math.min(127, multiple)) + 0;
};

const rounded = (values: Int8Array, dim: number, steps: readonly number[]): Int8Array =>
  values.map((value, i) => nearest(value, steps[Math.floor((i % dim) / 16)]!));

function largestNgrams(rows: NgramRows, { ngramsPerRow, ngramStep }: StoragePrecision): NgramRows {
  const offsets = [0];
  const entries: Array<[position: number, weight: number]> = [];
  for (let row = 0; row + 1 < rows.offsets.length; row++) {
    const [from, end] = [rows.offsets[row]!, rows.offsets[row + 1]!];
    const all = [...rows.positions.slice(from, end)].map((position, i): [number, number] => [
      position,
      rows.weights[from + i]!,
    ]);
    const stored = all
      .sort((a, b) => b[1] - a[1] || a[0] - b[0])
      .slice(0, ngramsPerRow)
      .map(([position, weight]): [number, number] => [
        position,
        Math.min(255, ngramStep * Math.round(weight / ngramStep)),
      ])
      .filter(([, weight]) => weight > 0);
    entries.push(...stored.sort((a, b) => a[0] - b[0]));
    offsets.push(entries.length);
  }
  return {
    offsets: Uint32Array.from(offsets),
    positions: Uint8Array.from(entries, ([position]) => position),
    weights: Uint8Array.from(entries, ([, weight]) => weight),
  };
}

function largestTerms({ terms, weights }: TermWeights, limit: number): TermWeights {
  const best = [...terms.keys()]
    .sort((a, b) => weights[b]! - weights[a]! || terms[a]! - terms[b]!)
    .slice(0, limit)
    .sort((a, b) => a - b);
  return {
    terms: Uint16Array.from(best, (i) => terms[i]!),
    weights: Uint8Array.from(best, (i) => weights[i]!),
  };
}

/** The passage as a real encoder of this model would give it. */
export function atPrecision(encoded: EncodedPassage, { dense, coherency, storage }: PrecisionModel): EncodedPassage {
  if (storage === undefined) return encoded;
  return {
    ...encoded,
    startVectors: rounded(encoded.startVectors, dense, storage.start),
    endVectors: rounded(encoded.endVectors, dense, storage.end),
    startCoherency: rounded(encoded.startCoherency, coherency, storage.coherency),
    endCoherency: rounded(encoded.endCoherency, coherency, storage.coherency),
    startUnigrams: largestNgrams(encoded.startUnigrams, storage),
    startBigrams: largestNgrams(encoded.startBigrams, storage),
    endUnigrams: largestNgrams(encoded.endUnigrams, storage),
    endBigrams: largestNgrams(encoded.endBigrams, storage),
    units: encoded.units.map((unit) => largestTerms(unit, storage.termsPerUnit)),
  };
}

export function documentsAtPrecision(
  documents: readonly PreparedDocument[],
  model: PrecisionModel,
): PreparedDocument[] {
  return documents.map((document) => ({
    ...document,
    passages: document.passages.map((passage) => ({ ...passage, encoded: atPrecision(passage.encoded, model) })),
  }));
}
