/** Lists of n-gram weights (src/kernel/ngram-unpacker.ts). */

/** Bits of the number of low bits in a Rice code. */
const LOW_BITS = 3;

/** Bits of an integer ≥ 0 in binary. */
function bitLength(value: i32): i32 {
  return 32 - clz(value);
}

/**
 * Decodes a list (docs/index-format.md §7) after its first byte, `width`, which is 1 … 8. At least 8
 * zero bytes follow its `bits`. `rows` and `tokens` are at most 256.
 * Room: `rowOf` and `weightOf` [rows × tokens] for the entries by token, `ends` [tokens], `next` [rows].
 * Fills `offsets` [rows + 1], `positions` and `weights` [offsets[rows]].
 * Returns the number of bits read; −1 if the list is not valid.
 */
export function unpackNgrams(
  source: usize,
  bits: i32,
  tokens: i32,
  rows: i32,
  width: i32,
  step: i32,
  rowOf: usize,
  weightOf: usize,
  ends: usize,
  next: usize,
  offsets: usize,
  positions: usize,
  weights: usize,
): i32 {
  const countBits = rows > 0 ? bitLength(rows - 1) : 0;
  const spreadBits = bitLength(width);
  memory.fill(offsets, 0, (rows + 1) << 2);
  let at = tokens;
  let total = 0;
  for (let token = 0; token < tokens; token++) {
    store<u32>(ends + (token << 2), total);
    if (((load<u8>(source + (token >> 3)) >> <u8>(token & 7)) & 1) === 0) continue;
    if (at >= bits) return -1;
    let head: u64 = load<u64>(source + (at >> 3)) >> (at & 7);
    const end = total + <i32>(head & ((1 << countBits) - 1)) + 1;
    head >>= countBits;
    const low = <i32>(head & 7);
    head >>= LOW_BITS;
    const least = <i32>(head & ((1 << width) - 1));
    head >>= width;
    const spread = <i32>(head & ((1 << spreadBits) - 1));
    if (spread > 8) return -1;
    at += countBits + LOW_BITS + width + spreadBits;
    const lowMask = (1 << low) - 1;
    const first = total;
    let row = -1;
    for (; total < end; total++) {
      let word: u64 = load<u64>(source + (at >> 3)) >> (at & 7);
      while (<u32>word === 0) {
        row += 32 << low;
        at += 32;
        if (at >= bits || row >= rows) return -1;
        word = load<u64>(source + (at >> 3)) >> (at & 7);
      }
      const zeros = <i32>ctz(word);
      at += zeros + 1;
      const rest: u64 = load<u64>(source + (at >> 3)) >> (at & 7);
      at += low;
      row += ((zeros << low) | (<i32>rest & lowMask)) + 1;
      if (row >= rows || at > bits) return -1;
      store<u8>(rowOf + total, <u8>row);
      const count = offsets + ((<usize>(row + 1)) << 2);
      store<u32>(count, load<u32>(count) + 1);
    }
    const spreadMask = (1 << spread) - 1;
    for (let i = first; i < end; i++, at += spread) {
      const number = <i32>(load<u64>(source + (at >> 3)) >> (at & 7)) & spreadMask;
      store<u8>(weightOf + i, <u8>min(255, (number + least) * step));
      if (at > bits) return -1;
    }
    store<u32>(ends + (token << 2), total);
  }
  if (at > bits) return -1;
  let sum: u32 = 0;
  for (let row = 0; row < rows; row++) {
    store<u32>(next + (row << 2), sum);
    sum += load<u32>(offsets + ((row + 1) << 2));
    store<u32>(offsets + ((row + 1) << 2), sum);
  }
  let i = 0;
  for (let token = 0; token < tokens; token++) {
    for (const end = <i32>load<u32>(ends + (token << 2)); i < end; i++) {
      const place = next + ((<usize>load<u8>(rowOf + i)) << 2);
      const to = load<u32>(place);
      store<u32>(place, to + 1);
      store<u8>(positions + to, <u8>token);
      store<u8>(weights + to, load<u8>(weightOf + i));
    }
  }
  return at;
}
