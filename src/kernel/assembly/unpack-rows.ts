/** Packed rows (src/kernel/row-unpacker.ts). */

/** Bits of the number of low bits of a dimension. */
const RICE_BITS: i32 = 3;
/** The step of a group of dimensions that is not stored. */
const DROPPED: i32 = 255;
/** The largest number: it has the sign in its lowest bit. */
const MAX_NUMBER: u32 = 255;

/** The number of low bits of the stored dimension number `k`. */
function lowBitsOf(source: usize, k: i32): i32 {
  const at = RICE_BITS * k;
  return (<i32>load<u16>(source + (at >> 3)) >> (at & 7)) & 7;
}

/**
 * Decodes rows (docs/index-format.md §2.5) to out [count × wanted]. `steps` has a byte for each 16
 * dimensions, and `values` 256 values for each step, by number. At least 8 zero bytes follow the
 * `bits`. Values of other dimensions are written to the byte `unused`.
 * The codes' ones are found 64 bits at a time: clearing the lowest one of a word does not wait for
 * its place.
 * Returns the number of bits read; −1 if the rows are not valid.
 */
export function unpackRows(
  source: usize,
  bits: i32,
  count: i32,
  dim: i32,
  steps: usize,
  values: usize,
  wanted: i32,
  unused: usize,
  out: usize,
): i32 {
  memory.fill(out, 0, count * wanted);
  let kept = 0;
  let lowBits = 0;
  for (let d = 0; d < dim; d++) {
    if (<i32>load<u8>(steps + (d >> 4)) !== DROPPED) lowBits += lowBitsOf(source, kept++);
  }
  let low = RICE_BITS * kept;
  const high = low + count * lowBits;
  if (high > bits) return -1;
  let base = high & ~63;
  let word: u64 = (load<u64>(source + (base >> 3)) >> (high & 63)) << (high & 63);
  let before = high - 1;
  let all: u32 = 0;
  for (let d = 0, k = 0; d < dim; d++) {
    const step = <i32>load<u8>(steps + (d >> 4));
    if (step === DROPPED) continue;
    const width = lowBitsOf(source, k++);
    const mask = (1 << width) - 1;
    const stride = d < wanted ? wanted : 0;
    const table = values + (step << 8);
    for (let n = 0, to = stride === 0 ? unused : out + d; n < count; n++, to += stride) {
      while (word === 0) {
        base += 64;
        if (base >= bits) return -1;
        word = load<u64>(source + (base >> 3));
      }
      const place = base + <i32>ctz(word);
      word &= word - 1;
      const zeros = place - before - 1;
      const number = (zeros << width) | ((<i32>load<u16>(source + (low >> 3)) >> (low & 7)) & mask);
      low += width;
      before = place;
      all |= <u32>(zeros | number);
      store<u8>(to, load<u8>(table + (number & 255)));
    }
  }
  return all > MAX_NUMBER ? -1 : before + 1;
}
