/** Accumulators for postings (src/kernel/wasm-sums.ts). */

/** Replaces each value x by 1 / x, single precision. */
export function invert(floats: usize, count: usize): void {
  const end = floats + (count << 2);
  for (; floats + 16 <= end; floats += 16) v128.store(floats, f32x4.div(f32x4.splat(1), v128.load(floats)));
  for (; floats < end; floats += 4) store<f32>(floats, 1 / load<f32>(floats));
}

/** sums[units[k]] += shares[values[k]], single precision. */
export function addShares(units: usize, values: usize, count: usize, shares: usize, sums: usize): void {
  for (let k: usize = 0; k < count; k++) {
    const at = sums + ((<usize>load<u32>(units + (k << 2))) << 2);
    store<f32>(at, load<f32>(at) + load<f32>(shares + ((<usize>load<u8>(values + k)) << 2)));
  }
}

/**
 * terms[p] += passages[p] · scales[p] + documents[owners[p]] · its scale; `largest` receives the maximum
 * of each 64. The document sums are scaled in place.
 */
export function totals(
  terms: usize,
  passages: usize,
  scales: usize,
  owners: usize,
  count: usize,
  documents: usize,
  documentScales: usize,
  documentCount: usize,
  largest: usize,
): void {
  let d: usize = 0;
  for (; d + 4 <= documentCount; d += 4) {
    const at = documents + (d << 2);
    v128.store(at, f32x4.mul(v128.load(at), v128.load(documentScales + (d << 2))));
  }
  for (; d < documentCount; d++) {
    const at = documents + (d << 2);
    store<f32>(at, load<f32>(at) * load<f32>(documentScales + (d << 2)));
  }
  for (let from: usize = 0; from < count; from += 64, largest += 4) {
    const end = min(from + 64, count);
    let largestSum: f32 = -Infinity;
    let four = f32x4.splat(-Infinity);
    let p = from;
    for (; p + 4 <= end; p += 4) {
      const at = terms + (p << 2);
      const owner = owners + (p << 2);
      let shares = v128.load32_zero(documents + ((<usize>load<u32>(owner)) << 2));
      shares = f32x4.replace_lane(shares, 1, load<f32>(documents + ((<usize>load<u32>(owner, 4)) << 2)));
      shares = f32x4.replace_lane(shares, 2, load<f32>(documents + ((<usize>load<u32>(owner, 8)) << 2)));
      shares = f32x4.replace_lane(shares, 3, load<f32>(documents + ((<usize>load<u32>(owner, 12)) << 2)));
      const own = f32x4.mul(v128.load(passages + (p << 2)), v128.load(scales + (p << 2)));
      const sum = f32x4.add(f32x4.add(v128.load(at), own), shares);
      v128.store(at, sum);
      four = f32x4.max(four, sum);
    }
    for (; p < end; p++) {
      const at = terms + (p << 2);
      const own = load<f32>(at) + load<f32>(passages + (p << 2)) * load<f32>(scales + (p << 2));
      const sum = own + load<f32>(documents + ((<usize>load<u32>(owners + (p << 2))) << 2));
      store<f32>(at, sum);
      if (sum > largestSum) largestSum = sum;
    }
    largestSum = max(largestSum, max(f32x4.extract_lane(four, 0), f32x4.extract_lane(four, 1)));
    store<f32>(largest, max(largestSum, max(f32x4.extract_lane(four, 2), f32x4.extract_lane(four, 3))));
  }
}
