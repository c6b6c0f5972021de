/** Packed rows (src/kernel/row-unpacker.ts). */

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
