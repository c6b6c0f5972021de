/** Rows of int8: dots with a query of int16. */

export function dot(row: usize, query: usize, dim: usize): i32 {
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
export function sums(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = i32x4.add(v128.shuffle<i32>(a, b, 0, 4, 1, 5), v128.shuffle<i32>(a, b, 2, 6, 3, 7));
  const cd = i32x4.add(v128.shuffle<i32>(c, d, 0, 4, 1, 5), v128.shuffle<i32>(c, d, 2, 6, 3, 7));
  return i32x4.add(v128.shuffle<i32>(ab, cd, 0, 1, 4, 5), v128.shuffle<i32>(ab, cd, 2, 3, 6, 7));
}

/** Dots of four consecutive rows. */
export function dot4(row: usize, query: usize, dim: usize): v128 {
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

/*
 * A matrix has the first `head` dimensions of all rows, then the `rest` of all rows, so that the first
 * can be scanned alone (src/kernel/bounds.ts).
 */

/**
 * Stores consecutive rows at their places in a matrix. lengths[r] = the length of the rest of row r, single
 * precision.
 */
export function setRows(
  rows: usize,
  count: usize,
  head: usize,
  rest: usize,
  heads: usize,
  rests: usize,
  lengths: usize,
): void {
  for (let r: usize = 0; r < count; r++) {
    for (let d: usize = 0; d < head; d += 16) v128.store(heads + d, v128.load(rows + d));
    heads += head;
    rows += head;
    let sum = i32x4.splat(0);
    for (let d: usize = 0; d < rest; d += 16) {
      const v = v128.load(rows + d);
      v128.store(rests + d, v);
      const low = i16x8.extend_low_i8x16_s(v);
      const high = i16x8.extend_high_i8x16_s(v);
      sum = i32x4.add(sum, i32x4.add(i32x4.dot_i16x8_s(low, low), i32x4.dot_i16x8_s(high, high)));
    }
    rests += rest;
    rows += rest;
    const three = i32x4.extract_lane(sum, 0) + i32x4.extract_lane(sum, 1) + i32x4.extract_lane(sum, 2);
    store<f32>(lengths + (r << 2), sqrt<f32>(<f32>(three + i32x4.extract_lane(sum, 3))));
  }
}

/** out[r] = row r of a matrix · query. */
export function matrixDots(
  heads: usize,
  rests: usize,
  rows: usize,
  head: usize,
  rest: usize,
  query: usize,
  out: usize,
): void {
  const restQuery = query + (head << 1);
  let r: usize = 0;
  for (; r + 4 <= rows; r += 4) {
    const four = dot4(heads + r * head, query, head);
    v128.store(out + (r << 2), i32x4.add(four, dot4(rests + r * rest, restQuery, rest)));
  }
  for (; r < rows; r++) {
    store<i32>(out + (r << 2), dot(heads + r * head, query, head) + dot(rests + r * rest, restQuery, rest));
  }
}

/** sums[r] += (the head of row r · query) · perStep + lengths[r] · perLength, single precision. */
export function addBounds(
  heads: usize,
  rows: usize,
  head: usize,
  query: usize,
  perStep: f32,
  lengths: usize,
  perLength: f32,
  sums: usize,
): void {
  const steps = f32x4.splat(perStep);
  const perLengths = f32x4.splat(perLength);
  let r: usize = 0;
  for (; r + 4 <= rows; r += 4) {
    const at = sums + (r << 2);
    const exact = f32x4.mul(f32x4.convert_i32x4_s(dot4(heads + r * head, query, head)), steps);
    const bound = f32x4.mul(v128.load(lengths + (r << 2)), perLengths);
    v128.store(at, f32x4.add(v128.load(at), f32x4.add(exact, bound)));
  }
  for (; r < rows; r++) {
    const at = sums + (r << 2);
    const exact = <f32>dot(heads + r * head, query, head) * perStep;
    store<f32>(at, load<f32>(at) + (exact + load<f32>(lengths + (r << 2)) * perLength));
  }
}

/**
 * Replaces bounds in sums above a limit: sums[first + r] −= (lengths[r] · length − rest of row r · query) · perStep,
 * with `query` and `length` of the rest of the query.
 * @param largest  the maximum of each 64 of all `count` sums; updated
 */
export function refineAbove(
  limit: f32,
  rests: usize,
  rows: usize,
  rest: usize,
  query: usize,
  length: f64,
  perStep: f64,
  lengths: usize,
  sums: usize,
  first: usize,
  count: usize,
  largest: usize,
): void {
  const end = first + rows;
  for (let block = first >>> 6; block << 6 < end; block++) {
    const maximum = largest + (block << 2);
    if (!(load<f32>(maximum) > limit)) continue;
    const from = block << 6;
    const to = min(from + 64, count);
    let most: f32 = -Infinity;
    for (let p = from; p < to; p++) {
      const at = sums + (p << 2);
      let sum = load<f32>(at);
      if (sum > limit && p >= first && p < end) {
        const r = p - first;
        const gap = <f64>load<f32>(lengths + (r << 2)) * length - <f64>dot(rests + r * rest, query, rest);
        sum = <f32>(<f64>sum - gap * perStep);
        store<f32>(at, sum);
      }
      if (sum > most) most = sum;
    }
    store<f32>(maximum, most);
  }
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
