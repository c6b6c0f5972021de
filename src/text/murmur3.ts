const encoder = new TextEncoder();
const shared = new Uint8Array(1024);

/**
 * MurmurHash3 x86_32 of a string's UTF-8 bytes (lone surrogates as U+FFFD), unsigned.
 * Source: A. Appleby, SMHasher (public domain); the hash of DrQA's tf-idf.
 */
export function murmur3(text: string, seed = 0): number {
  const bytes = 3 * text.length <= shared.length ? shared : new Uint8Array(3 * text.length);
  const length = encoder.encodeInto(text, bytes).written;
  const blocks = length & ~3;
  let hash = seed | 0;
  for (let i = 0; i < blocks; i += 4) {
    hash ^= scramble(bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24));
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
  }
  let tail = 0;
  for (let i = length - 1; i >= blocks; i--) tail = (tail << 8) | bytes[i]!;
  return mixed(hash ^ scramble(tail) ^ length);
}

/** The last step: every bit of the result depends on all bits, unsigned. */
export function mixed(bits: number): number {
  let hash = bits;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function scramble(block: number): number {
  const product = Math.imul(block, 0xcc9e2d51);
  return Math.imul((product << 15) | (product >>> 17), 0x1b873593);
}
