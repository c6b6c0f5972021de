/**
 * The SIMD kernel (AssemblyScript; compiled by scripts/build-kernel.mjs, not by tsc).
 * src/kernel/plain-kernel.ts is its twin.
 *
 * It allocates nothing: the caller places every array in the imported memory and passes addresses.
 * Vectors are int8 rows of `dim` (a multiple of 16), queries int16. i16x8.extend widens 8 int8,
 * i32x4.dot_i16x8_s multiplies them by 8 query values and adds pairs: 16 int8 products in 4
 * instructions. No sum can overflow: see src/vectors/quantise.ts.
 */

function dot(row: usize, query: usize, dim: usize): i32 {
  let sum = i32x4.splat(0);
  for (let d: usize = 0; d < dim; d += 16) {
    const v = v128.load(row + d);
    const q = query + (d << 1);
    sum = i32x4.add(sum, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_s(v), v128.load(q)));
    sum = i32x4.add(sum, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_s(v), v128.load(q, 16)));
  }
  return (
    i32x4.extract_lane(sum, 0) + i32x4.extract_lane(sum, 1) + i32x4.extract_lane(sum, 2) + i32x4.extract_lane(sum, 3)
  );
}

/** The sums over the four lanes of a, b, c, d: [Σa, Σb, Σc, Σd]. */
function sums(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = i32x4.add(v128.shuffle<i32>(a, b, 0, 4, 1, 5), v128.shuffle<i32>(a, b, 2, 6, 3, 7));
  const cd = i32x4.add(v128.shuffle<i32>(c, d, 0, 4, 1, 5), v128.shuffle<i32>(c, d, 2, 6, 3, 7));
  return i32x4.add(v128.shuffle<i32>(ab, cd, 0, 1, 4, 5), v128.shuffle<i32>(ab, cd, 2, 3, 6, 7));
}

/** Dots of four consecutive rows. */
function dot4(row: usize, query: usize, dim: usize): v128 {
  let a = i32x4.splat(0);
  let b = a;
  let c = a;
  let e = a;
  const row1 = row + dim;
  const row2 = row1 + dim;
  const row3 = row2 + dim;
  for (let d: usize = 0; d < dim; d += 16) {
    const low = v128.load(query + (d << 1));
    const high = v128.load(query + (d << 1), 16);
    let v = v128.load(row + d);
    a = i32x4.add(a, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_s(v), low));
    a = i32x4.add(a, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_s(v), high));
    v = v128.load(row1 + d);
    b = i32x4.add(b, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_s(v), low));
    b = i32x4.add(b, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_s(v), high));
    v = v128.load(row2 + d);
    c = i32x4.add(c, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_s(v), low));
    c = i32x4.add(c, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_s(v), high));
    v = v128.load(row3 + d);
    e = i32x4.add(e, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_s(v), low));
    e = i32x4.add(e, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_s(v), high));
  }
  return sums(a, b, c, e);
}

/** out[r] = row r · query. */
export function dots(vectors: usize, rows: usize, dim: usize, query: usize, out: usize): void {
  let r: usize = 0;
  for (; r + 4 <= rows; r += 4) v128.store(out + (r << 2), dot4(vectors + r * dim, query, dim));
  for (; r < rows; r++) store<i32>(out + (r << 2), dot(vectors + r * dim, query, dim));
}

/**
 * For every row i of c1 and every row j of c2 with from[i] ≤ j < to[i], in this order:
 * Σ_d query[d] · c1[i][d] · c2[j][d]. A product of two int8 fits int16 (at most 16,384).
 * Returns the number of pairs.
 */
export function pairDots(
  c1: usize,
  rows: usize,
  c2: usize,
  dim: usize,
  query: usize,
  from: usize,
  to: usize,
  out: usize,
): usize {
  const first = out;
  for (let i: usize = 0; i < rows; i++) {
    const left = c1 + i * dim;
    const end = <usize>load<u32>(to + (i << 2));
    for (let j = <usize>load<u32>(from + (i << 2)); j < end; j++) {
      const right = c2 + j * dim;
      let sum = i32x4.splat(0);
      for (let d: usize = 0; d < dim; d += 16) {
        const a = v128.load(left + d);
        const b = v128.load(right + d);
        const q = query + (d << 1);
        sum = i32x4.add(sum, i32x4.dot_i16x8_s(i16x8.extmul_low_i8x16_s(a, b), v128.load(q)));
        sum = i32x4.add(sum, i32x4.dot_i16x8_s(i16x8.extmul_high_i8x16_s(a, b), v128.load(q, 16)));
      }
      store<i32>(
        out,
        i32x4.extract_lane(sum, 0) +
          i32x4.extract_lane(sum, 1) +
          i32x4.extract_lane(sum, 2) +
          i32x4.extract_lane(sum, 3),
      );
      out += 4;
    }
  }
  return (out - first) >> 2;
}

/** One comparable key per row: higher score first, then the smaller row number. */
function keyOf(score: i32, row: usize): i64 {
  return ((<i64>score) << 32) | <i64>(0xffffffff - <u64>row);
}

/** Puts `key` into the hole at `hole` of a min-heap of `count` keys, moving smaller children up. */
function siftDown(heap: usize, count: usize, key: i64): void {
  let hole: usize = 0;
  for (;;) {
    let child: usize = (hole << 1) + 1;
    if (child >= count) break;
    let least = load<i64>(heap + (child << 3));
    if (child + 1 < count) {
      const other = load<i64>(heap + ((child + 1) << 3));
      if (other < least) {
        least = other;
        child++;
      }
    }
    if (least >= key) break;
    store<i64>(heap + (hole << 3), least);
    hole = child;
  }
  store<i64>(heap + (hole << 3), key);
}

function siftUp(heap: usize, last: usize, key: i64): void {
  let hole = last;
  while (hole > 0) {
    const parent = (hole - 1) >> 1;
    const above = load<i64>(heap + (parent << 3));
    if (above <= key) break;
    store<i64>(heap + (hole << 3), above);
    hole = parent;
  }
  store<i64>(heap + (hole << 3), key);
}

// ---- rows of 4 bits per value (src/vectors/nibbles.ts) ----------------------------------------------

/** From this shift on, a value may exceed 127 and has to be clamped. */
const CLAMP_SHIFT: i32 = 5;

/** The even ones of 16 4-bit values whose 8 bytes were widened to int16. */
function evens(bytes: v128): v128 {
  return i16x8.shr_s(i16x8.shl(bytes, 12), 12);
}

function odds(bytes: v128): v128 {
  return i16x8.shr_s(bytes, 4);
}

function clampShifted(values: v128, shift: i32): v128 {
  return i16x8.min_s(i16x8.shl(values, shift), i16x8.splat(127));
}

/** Partial sums of 16 values · the query, whose even values come first. */
function groupOfNibbles(bytes: v128, shift: i32, even: v128, odd: v128): v128 {
  if (shift >= CLAMP_SHIFT) {
    return i32x4.add(
      i32x4.dot_i16x8_s(clampShifted(evens(bytes), shift), even),
      i32x4.dot_i16x8_s(clampShifted(odds(bytes), shift), odd),
    );
  }
  return i32x4.shl(i32x4.add(i32x4.dot_i16x8_s(evens(bytes), even), i32x4.dot_i16x8_s(odds(bytes), odd)), shift);
}

function shiftBytes(dim: usize): usize {
  return ((dim >> 4) + 1) >> 1;
}

function shiftAt(row: usize, d: usize): i32 {
  return (<i32>load<u8>(row + (d >> 5)) >> <i32>(((d >> 4) & 1) << 2)) & 15;
}

function dotNibbles(row: usize, query: usize, dim: usize): i32 {
  const numbers = row + shiftBytes(dim);
  let sum = i32x4.splat(0);
  for (let d: usize = 0; d < dim; d += 16) {
    const q = query + (d << 1);
    const bytes = v128.load8x8_s(numbers + (d >> 1));
    sum = i32x4.add(sum, groupOfNibbles(bytes, shiftAt(row, d), v128.load(q), v128.load(q, 16)));
  }
  return (
    i32x4.extract_lane(sum, 0) + i32x4.extract_lane(sum, 1) + i32x4.extract_lane(sum, 2) + i32x4.extract_lane(sum, 3)
  );
}

/** Partial sums of a row of 32 values: two groups of 16. */
function nibbles32(row: usize, q0: v128, q1: v128, q2: v128, q3: v128): v128 {
  const shifts: i32 = <i32>load<u8>(row);
  const low = v128.load8x8_s(row, 1);
  const high = v128.load8x8_s(row, 9);
  return i32x4.add(groupOfNibbles(low, shifts & 15, q0, q1), groupOfNibbles(high, shifts >> 4, q2, q3));
}

/** Bytes of a row of 32 values. */
const NIBBLES_32: usize = 17;

function fourOfNibbles32(row: usize, q0: v128, q1: v128, q2: v128, q3: v128): v128 {
  return sums(
    nibbles32(row, q0, q1, q2, q3),
    nibbles32(row + NIBBLES_32, q0, q1, q2, q3),
    nibbles32(row + 2 * NIBBLES_32, q0, q1, q2, q3),
    nibbles32(row + 3 * NIBBLES_32, q0, q1, q2, q3),
  );
}

// ---- rows of 4 or 8 bits ----------------------------------------------------------------------------

function rowBytesOf(dim: usize, bits: i32): usize {
  return bits === 8 ? dim : shiftBytes(dim) + (dim >> 1);
}

function dotOf(row: usize, query: usize, dim: usize, bits: i32): i32 {
  return bits === 8 ? dot(row, query, dim) : dotNibbles(row, query, dim);
}

/** 16 products of half a row of 32 dimensions. A widening load is cheaper than a load and two widenings. */
function half(row: usize, low: v128, high: v128): v128 {
  return i32x4.add(i32x4.dot_i16x8_s(v128.load8x8_s(row), low), i32x4.dot_i16x8_s(v128.load8x8_s(row, 8), high));
}

/** `dot4` of rows of 32 dimensions, with the query in registers. */
function dot4of32(row: usize, q0: v128, q1: v128, q2: v128, q3: v128): v128 {
  return sums(
    i32x4.add(half(row, q0, q1), half(row + 16, q2, q3)),
    i32x4.add(half(row + 32, q0, q1), half(row + 48, q2, q3)),
    i32x4.add(half(row + 64, q0, q1), half(row + 80, q2, q3)),
    i32x4.add(half(row + 96, q0, q1), half(row + 112, q2, q3)),
  );
}

/** Offers four rows to a full heap. Returns the score of the worst kept row. */
function offer4(heap: usize, k: usize, four: v128, id: usize, worst: i32): i32 {
  const a = i32x4.extract_lane(four, 0);
  const b = i32x4.extract_lane(four, 1);
  const c = i32x4.extract_lane(four, 2);
  const d = i32x4.extract_lane(four, 3);
  if (a > worst) worst = replaceWorst(heap, k, keyOf(a, id));
  if (b > worst) worst = replaceWorst(heap, k, keyOf(b, id + 1));
  if (c > worst) worst = replaceWorst(heap, k, keyOf(c, id + 2));
  if (d > worst) worst = replaceWorst(heap, k, keyOf(d, id + 3));
  return worst;
}

function replaceWorst(heap: usize, k: usize, key: i64): i32 {
  siftDown(heap, k, key);
  return <i32>(load<i64>(heap) >> 32);
}

/**
 * Offers `rows` consecutive rows, the first numbered `id`, to a heap of at most k keys (k × 8 bytes,
 * k ≥ 1) that holds `filled` keys. Returns the new number of keys. The threshold carries over from call
 * to call, so most rows cost one comparison. Row numbers ascend within and across calls, so a row that
 * only equals the worst kept one never replaces it.
 */
export function scan(
  row: usize,
  rows: usize,
  dim: usize,
  bits: i32,
  query: usize,
  id: usize,
  k: usize,
  heap: usize,
  filled: usize,
): usize {
  const end = id + rows;
  const bytes = rowBytesOf(dim, bits);
  for (; filled < k && id < end; row += bytes) siftUp(heap, filled++, keyOf(dotOf(row, query, dim, bits), id++));
  if (id === end) return filled;
  let worst = <i32>(load<i64>(heap) >> 32);
  let threshold = i32x4.splat(worst);
  if (dim === 32) {
    const q0 = v128.load(query);
    const q1 = v128.load(query, 16);
    const q2 = v128.load(query, 32);
    const q3 = v128.load(query, 48);
    for (; id + 8 <= end; id += 8, row += bytes << 3) {
      const middle = row + (bytes << 2);
      const first = bits === 8 ? dot4of32(row, q0, q1, q2, q3) : fourOfNibbles32(row, q0, q1, q2, q3);
      const second = bits === 8 ? dot4of32(middle, q0, q1, q2, q3) : fourOfNibbles32(middle, q0, q1, q2, q3);
      if (!v128.any_true(i32x4.gt_s(i32x4.max_s(first, second), threshold))) continue;
      worst = offer4(heap, k, first, id, worst);
      worst = offer4(heap, k, second, id + 4, worst);
      threshold = i32x4.splat(worst);
    }
  }
  if (bits === 8) {
    for (; id + 4 <= end; id += 4, row += dim << 2) {
      const four = dot4(row, query, dim);
      if (!v128.any_true(i32x4.gt_s(four, threshold))) continue;
      worst = offer4(heap, k, four, id, worst);
      threshold = i32x4.splat(worst);
    }
  }
  for (; id < end; id++, row += bytes) {
    const score = dotOf(row, query, dim, bits);
    if (score > worst) worst = replaceWorst(heap, k, keyOf(score, id));
  }
  return filled;
}

/** Heap sort, best key first: repeatedly moves the worst key to the end. */
export function sortKeys(heap: usize, filled: usize): void {
  for (let count = filled; count > 1; count--) {
    const last = heap + ((count - 1) << 3);
    const key = load<i64>(last);
    store<i64>(last, load<i64>(heap));
    siftDown(heap, count - 1, key);
  }
}

// ---- inverted lists (src/vectors/centroids.ts) --------------------------------------------------------

/**
 * The nearest of `count` centroids (a multiple of 4) to a row widened to int16: the largest
 * 2 · row · c − |c|², ties to the first.
 */
function nearest(centroids: usize, norms: usize, count: usize, row: usize, dim: usize): usize {
  let found: usize = 0;
  let best = i32.MIN_VALUE;
  for (let c: usize = 0; c < count; c += 4) {
    const twice = i32x4.shl(dot4(centroids + c * dim, row, dim), 1);
    const four = i32x4.sub(twice, v128.load(norms + (c << 2)));
    if (!v128.any_true(i32x4.gt_s(four, i32x4.splat(best)))) continue;
    for (let lane: usize = 0; lane < 4; lane++) {
      const score =
        lane === 0
          ? i32x4.extract_lane(four, 0)
          : lane === 1
            ? i32x4.extract_lane(four, 1)
            : lane === 2
              ? i32x4.extract_lane(four, 2)
              : i32x4.extract_lane(four, 3);
      if (score <= best) continue;
      best = score;
      found = c + lane;
    }
  }
  return found;
}

/** Widens a row to int16. */
function widen(row: usize, dim: usize, bits: i32, wide: usize): void {
  const numbers = row + shiftBytes(dim);
  for (let d: usize = 0; d < dim; d += 16) {
    const to = wide + (d << 1);
    if (bits === 8) {
      v128.store(to, v128.load8x8_s(row + d));
      v128.store(to, v128.load8x8_s(row + d, 8), 16);
      continue;
    }
    const shift = shiftAt(row, d);
    const eight = v128.load8x8_s(numbers + (d >> 1));
    const even = clampShifted(evens(eight), shift);
    const odd = clampShifted(odds(eight), shift);
    v128.store(to, v128.shuffle<i16>(even, odd, 0, 8, 1, 9, 2, 10, 3, 11));
    v128.store(to, v128.shuffle<i16>(even, odd, 4, 12, 5, 13, 6, 14, 7, 15), 16);
  }
}

/**
 * Writes the list of each of `rows` rows as u16. `centroids` holds `branches` top-level centroids, then
 * `branches` × `branches` of the lists; `norms` their squared norms in the same order. `wide` is room
 * for one row of int16.
 */
export function assign(
  row: usize,
  rows: usize,
  dim: usize,
  bits: i32,
  centroids: usize,
  norms: usize,
  branches: usize,
  wide: usize,
  lists: usize,
): void {
  const bytes = rowBytesOf(dim, bits);
  const below = centroids + branches * dim;
  const belowNorms = norms + (branches << 2);
  for (let r: usize = 0; r < rows; r++, row += bytes, lists += 2) {
    widen(row, dim, bits, wide);
    const first = nearest(centroids, norms, branches, wide, dim) * branches;
    const list = first + nearest(below + first * dim, belowNorms + (first << 2), branches, wide, dim);
    store<u16>(lists, <u16>list);
  }
}

/**
 * Offers one row to a full heap unless its bit in `allowed` is 0 (address 0: all rows are allowed).
 * Returns the worst kept score.
 */
function offerListed(heap: usize, k: usize, score: i32, id: usize, first: usize, allowed: usize, worst: i32): i32 {
  if (score < worst) return worst;
  if (allowed !== 0 && ((load<u8>(allowed + (id >> 3)) >> <u8>(id & 7)) & 1) === 0) return worst;
  const key = keyOf(score, first + id);
  return key > load<i64>(heap) ? replaceWorst(heap, k, key) : worst;
}

/** As `scan`, for rows of a list: in any order, numbered first + ids[…]. */
export function scanList(
  row: usize,
  rows: usize,
  dim: usize,
  bits: i32,
  query: usize,
  ids: usize,
  first: usize,
  allowed: usize,
  k: usize,
  heap: usize,
  filled: usize,
): usize {
  const bytes = rowBytesOf(dim, bits);
  let n: usize = 0;
  for (; filled < k && n < rows; n++, row += bytes) {
    const id = <usize>load<u32>(ids + (n << 2));
    if (allowed !== 0 && ((load<u8>(allowed + (id >> 3)) >> <u8>(id & 7)) & 1) === 0) continue;
    siftUp(heap, filled++, keyOf(dotOf(row, query, dim, bits), first + id));
  }
  if (n === rows) return filled;
  let worst = <i32>(load<i64>(heap) >> 32);
  let below = i32x4.splat(worst - 1);
  if (dim === 32) {
    const q0 = v128.load(query);
    const q1 = v128.load(query, 16);
    const q2 = v128.load(query, 32);
    const q3 = v128.load(query, 48);
    for (; n + 4 <= rows; n += 4, row += bytes << 2) {
      const four = bits === 8 ? dot4of32(row, q0, q1, q2, q3) : fourOfNibbles32(row, q0, q1, q2, q3);
      if (!v128.any_true(i32x4.gt_s(four, below))) continue;
      const at = ids + (n << 2);
      worst = offerListed(heap, k, i32x4.extract_lane(four, 0), load<u32>(at), first, allowed, worst);
      worst = offerListed(heap, k, i32x4.extract_lane(four, 1), load<u32>(at, 4), first, allowed, worst);
      worst = offerListed(heap, k, i32x4.extract_lane(four, 2), load<u32>(at, 8), first, allowed, worst);
      worst = offerListed(heap, k, i32x4.extract_lane(four, 3), load<u32>(at, 12), first, allowed, worst);
      below = i32x4.splat(worst - 1);
    }
  }
  for (; n < rows; n++, row += bytes) {
    const score = dotOf(row, query, dim, bits);
    worst = offerListed(heap, k, score, load<u32>(ids + (n << 2)), first, allowed, worst);
  }
  return filled;
}

// ---- varints (src/kernel/postings-unpacker.ts) ---------------------------------------------------------

/** Address after the last varint; 0 if it did not end before `end` or was too long. */
let next: usize = 0;

function readVarint(at: usize, end: usize): u64 {
  let value: u64 = 0;
  next = 0;
  for (let shift: u64 = 0; at < end && shift < 35; shift += 7) {
    const byte: u64 = load<u8>(at++);
    value |= (byte & 127) << shift;
    if (byte < 128) {
      next = at;
      break;
    }
  }
  return value;
}

/**
 * `count` ascending numbers below `limit`, stored as deltas minus one, the first relative to −1.
 * Returns 0 unless the bytes are exactly that.
 */
export function readAscending(bytes: usize, length: usize, count: usize, limit: u32, out: usize): u32 {
  const end = bytes + length;
  let number: u64 = 0; // one more than the previous one
  for (let n: usize = 0; n < count; n++) {
    const byte: u64 = bytes < end ? load<u8>(bytes) : 128;
    number += (byte < 128 ? byte : readVarint(bytes, end)) + 1;
    if (byte < 128) bytes++;
    else if (next === 0) return 0;
    else bytes = next;
    if (number > <u64>limit) return 0;
    store<u32>(out + (n << 2), <u32>(number - 1));
  }
  return bytes === end ? 1 : 0;
}

/**
 * The body of a postings list: for more than 128 postings a header per run, then the units of each run
 * and, unless `ones`, its values. Returns 0 unless the bytes are exactly that.
 */
export function readPostings(
  bytes: usize,
  length: usize,
  count: usize,
  ones: u32,
  limit: u32,
  units: usize,
  values: usize,
): u32 {
  const end = bytes + length;
  if (count > 128) {
    for (let from: usize = 0; from < count; from += 128) {
      readVarint(bytes, end);
      if (next === 0) return 0;
      readVarint(next + 1, end);
      if (next === 0) return 0;
      bytes = next;
    }
  }
  let unit: u64 = 0; // one more than the previous one
  for (let from: usize = 0; from < count; from += 128) {
    const to = min(from + 128, count);
    for (let n = from; n < to; n++) {
      const byte: u64 = bytes < end ? load<u8>(bytes) : 128;
      unit += (byte < 128 ? byte : readVarint(bytes, end)) + 1;
      if (byte < 128) bytes++;
      else if (next === 0) return 0;
      else bytes = next;
      store<u32>(units + (n << 2), <u32>(unit - 1));
    }
    if (ones !== 0) continue;
    if (end - bytes < to - from) return 0;
    memory.copy(values + from, bytes, to - from);
    bytes += to - from;
  }
  return bytes === end && unit <= <u64>limit ? 1 : 0;
}

// ---- linear layer (src/kernel/linear.ts) ---------------------------------------------------------------

/**
 * out = W·x + bias, each sum in double precision in the order of x. Four outputs at a time hide the
 * latency of the additions, each of which depends on the one before.
 */
export function linear(weight: usize, bias: usize, x: usize, inputs: usize, outputs: usize, out: usize): void {
  const row = inputs << 2;
  const end = out + (outputs << 2);
  for (; out + 16 <= end; out += 16, bias += 16, weight += row << 2) {
    let a: f64 = load<f32>(bias);
    let b: f64 = load<f32>(bias, 4);
    let c: f64 = load<f32>(bias, 8);
    let d: f64 = load<f32>(bias, 12);
    for (let h: usize = 0; h < row; h += 4) {
      const value: f64 = load<f32>(x + h);
      const at = weight + h;
      a += <f64>load<f32>(at) * value;
      b += <f64>load<f32>(at + row) * value;
      c += <f64>load<f32>(at + (row << 1)) * value;
      d += <f64>load<f32>(at + row * 3) * value;
    }
    store<f32>(out, <f32>a);
    store<f32>(out, <f32>b, 4);
    store<f32>(out, <f32>c, 8);
    store<f32>(out, <f32>d, 12);
  }
  for (; out < end; out += 4, bias += 4, weight += row) {
    let sum: f64 = load<f32>(bias);
    for (let h: usize = 0; h < row; h += 4) sum += <f64>load<f32>(weight + h) * <f64>load<f32>(x + h);
    store<f32>(out, <f32>sum);
  }
}

// ---- accumulators for postings (src/kernel/wasm-sums.ts) -------------------------------------------------

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

/**
 * Bytes per width (0 … 8) of the table that says where the 16 values of a group are; written by
 * src/kernel/row-unpacker.ts.
 */
const SPREAD_BYTES: usize = 64;

/**
 * Decodes rows that were packed in groups of 16 int8 values (docs/index-format.md §2.5) to
 * out [count × wanted]. `groups`: [group number, step] of the stored groups, a byte each. 16 bits hold
 * any value and the bits before it, so one multiplication and one shift extract 8 values.
 * Returns the number of bytes read, which may exceed the input; −width if a group claims over 8 bits.
 */
export function unpackRows(
  source: usize,
  bytes: i32,
  count: i32,
  groups: usize,
  kept: i32,
  wanted: i32,
  spread: usize,
  out: usize,
): i32 {
  const header = (kept + 1) >> 1;
  const lowest = i8x16.splat(-127);
  let at = 0;
  for (let r = 0; r < count; r++, out += wanted) {
    if (at > bytes) break;
    const widths = source + at;
    at += header;
    for (let d = 0; d < wanted; d += 16) v128.store(out + d, i8x16.splat(0));
    for (let g = 0; g < kept; g++) {
      const width: i32 = (<i32>load<u8>(widths + (g >> 1)) >> ((g & 1) << 2)) & 15;
      if (width === 0) continue;
      if (width > 8) return -width;
      if (at > bytes) return at;
      const first: i32 = (<i32>load<u8>(groups + (g << 1))) << 4;
      const step: i32 = <i32>load<u8>(groups + (g << 1) + 1);
      if (first < wanted) {
        const packed = v128.load(source + at);
        const places = spread + <usize>width * SPREAD_BYTES;
        const above: i32 = 1 << width;
        const mask = i16x8.splat(<i16>(above - 1));
        const half = i16x8.splat(<i16>(above >> 1));
        const steps = i16x8.splat(<i16>step);
        let low = i16x8.mul(i8x16.swizzle(packed, v128.load(places)), v128.load(places, 16));
        let high = i16x8.mul(i8x16.swizzle(packed, v128.load(places, 32)), v128.load(places, 48));
        low = i16x8.mul(i16x8.sub(v128.and(i16x8.shr_u(low, 8), mask), half), steps);
        high = i16x8.mul(i16x8.sub(v128.and(i16x8.shr_u(high, 8), mask), half), steps);
        const numbers = i8x16.narrow_i16x8_s(low, high);
        v128.store(out + first, step === 1 ? numbers : i8x16.max_s(numbers, lowest));
      }
      at += width << 1;
    }
  }
  return at;
}
