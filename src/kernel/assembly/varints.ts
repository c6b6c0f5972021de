/** Lists of varints (src/kernel/postings-unpacker.ts). */

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
