/** Packed rows (src/kernel/row-unpacker.ts). */

/** Bits of the number of low bits of a dimension. */
const RICE_BITS: i32 = 3;
/** The step of a group of dimensions that is not stored. */
const DROPPED: i32 = 255;
/** The largest number: it has the sign in its lowest bit. */
const MAX_NUMBER: i16 = 255;

/** The number of low bits of the stored dimension number `k`. */
function lowBitsOf(source: usize, k: i32): i32 {
  const at = RICE_BITS * k;
  return (<i32>load<u16>(source + (at >> 3)) >> (at & 7)) & 7;
}

/**
 * Writes the places of the next `total` ones from bit `from` on, and up to 64 numbers after them.
 * Clearing the lowest one of a word does not wait for its place, and eight are written before the
 * next check. @returns false if there are fewer than `total` ones before bit `bits`
 */
function findOnes(source: usize, from: i32, bits: i32, total: i32, places: usize): bool {
  const end = places + ((<usize>total) << 2);
  let base = from & ~63;
  let word: u64 = (load<u64>(source + (base >> 3)) >> (from & 63)) << (from & 63);
  while (places < end) {
    if (base >= bits) return false;
    const next = places + ((<usize>popcnt(word)) << 2);
    while (places < next) {
      store<i32>(places, base + <i32>ctz(word));
      word &= word - 1;
      store<i32>(places, base + <i32>ctz(word), 4);
      word &= word - 1;
      store<i32>(places, base + <i32>ctz(word), 8);
      word &= word - 1;
      store<i32>(places, base + <i32>ctz(word), 12);
      word &= word - 1;
      store<i32>(places, base + <i32>ctz(word), 16);
      word &= word - 1;
      store<i32>(places, base + <i32>ctz(word), 20);
      word &= word - 1;
      store<i32>(places, base + <i32>ctz(word), 24);
      word &= word - 1;
      store<i32>(places, base + <i32>ctz(word), 28);
      word &= word - 1;
      places += 32;
    }
    places = next;
    base += 64;
    word = load<u64>(source + (base >> 3));
  }
  return true;
}

/**
 * Decodes rows (docs/index-format.md §2.5) to out [count × wanted], followed by room for seven rows
 * more. `steps` has a byte for each 16 dimensions. `places` is room for 4 × (count × dim + 65) bytes.
 * At least 16 zero bytes follow the `bits`. Eight values of a dimension are computed together.
 * `spreads` has 32 bytes for each number of low bits: which two bytes have each of eight neighbouring
 * fields of that many bits, and the factors that shift the fields to the upper byte.
 * Returns the number of bits read; −1 if the rows are not valid.
 */
export function unpackRows(
  source: usize,
  bits: i32,
  count: i32,
  dim: i32,
  steps: usize,
  spreads: usize,
  wanted: i32,
  places: usize,
  out: usize,
): i32 {
  let kept = 0;
  let lowBits = 0;
  for (let d = 0; d < dim; d++) {
    if (<i32>load<u8>(steps + (d >> 4)) !== DROPPED) lowBits += lowBitsOf(source, kept++);
  }
  if (kept < dim) memory.fill(out, 0, count * wanted);
  let low = RICE_BITS * kept;
  const high = low + count * lowBits;
  if (high > bits) return -1;
  const total = count * kept;
  store<i32>(places, high - 1);
  if (!findOnes(source, high, bits, total, places + 4)) return -1;
  const used = load<i32>(places + ((<usize>total) << 2)) + 1;
  const one = i16x8.splat(1);
  const lanes = i16x8(0, 1, 2, 3, 4, 5, 6, 7);
  let all = i16x8.splat(0);
  for (let d = 0, k = 0; d < dim; d++) {
    const step = <i32>load<u8>(steps + (d >> 4));
    if (step === DROPPED) continue;
    const width = lowBitsOf(source, k++);
    const spread = spreads + ((<usize>width) << 5);
    const fields = v128.load(spread);
    const factors = v128.load(spread, 16);
    const mask = i16x8.splat(<i16>((<i32>1) << width) - 1);
    const stepOfAll = i16x8.splat(<i16>step);
    // only steps of 1 reach −128: src/encode/precision.ts
    const least = i8x16.splat(step === 1 ? -128 : -127);
    let at = low;
    let to = out + d;
    for (let n = 0; n < count; n += 8, at += width << 3) {
      const place = places + ((<usize>n) << 2);
      const first = i32x4.sub(v128.load(place, 4), v128.load(place));
      const second = i32x4.sub(v128.load(place, 20), v128.load(place, 16));
      const zeros = i16x8.sub(i16x8.narrow_i32x4_s(first, second), one);
      const highs = i16x8.shl(zeros, width);
      all = v128.or(all, v128.and(v128.or(zeros, highs), i16x8.lt_s(lanes, i16x8.splat(<i16>min(8, count - n)))));
      if (d >= wanted) continue;
      const pairs = i8x16.swizzle(i64x2.splat(load<u64>(source + (at >> 3)) >> (at & 7)), fields);
      const numbers = v128.or(highs, v128.and(i16x8.shr_u(i16x8.mul(pairs, factors), 8), mask));
      const multiples = v128.xor(i16x8.shr_u(numbers, 1), i16x8.neg(v128.and(numbers, one)));
      const products = i16x8.mul(multiples, stepOfAll);
      const values = i8x16.max_s(i8x16.narrow_i16x8_s(products, products), least);
      v128.store_lane<i8>(to, values, 0);
      to += wanted;
      v128.store_lane<i8>(to, values, 1);
      to += wanted;
      v128.store_lane<i8>(to, values, 2);
      to += wanted;
      v128.store_lane<i8>(to, values, 3);
      to += wanted;
      v128.store_lane<i8>(to, values, 4);
      to += wanted;
      v128.store_lane<i8>(to, values, 5);
      to += wanted;
      v128.store_lane<i8>(to, values, 6);
      to += wanted;
      v128.store_lane<i8>(to, values, 7);
      to += wanted;
    }
    low += count * width;
    places += (<usize>count) << 2;
  }
  return v128.any_true(i16x8.gt_u(all, i16x8.splat(MAX_NUMBER))) ? -1 : used;
}
