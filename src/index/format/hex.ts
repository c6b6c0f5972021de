/** Bytes to lower-case hex digits and back. */

const DIGITS = Uint8Array.from("0123456789abcdef", (digit) => digit.charCodeAt(0));

/** Built in one call: V8 would flatten a string of concatenated digits again at every comparison. */
export function toHex(bytes: Uint8Array): string {
  const digits: number[] = new Array(bytes.length * 2);
  for (let i = 0; i < bytes.length; i++) {
    digits[2 * i] = DIGITS[bytes[i]! >> 4]!;
    digits[2 * i + 1] = DIGITS[bytes[i]! & 15]!;
  }
  return String.fromCharCode.apply(null, digits);
}

/** Non-hex characters count as 0. */
export function fromHex(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length >> 1);
  for (let i = 0; i < bytes.length; i++)
    bytes[i] = (digitOf(hex.charCodeAt(2 * i)) << 4) | digitOf(hex.charCodeAt(2 * i + 1));
  return bytes;
}

function digitOf(digit: number): number {
  const value = DIGITS.indexOf(digit);
  return value < 0 ? 0 : value;
}
