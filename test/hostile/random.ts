/** A seeded random source, so that a failing input can be made again. */

export type Random = (below: number) => number;

/** Mulberry32: whole numbers from 0 up to, not including, `below`. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

export function pick<T>(random: Random, from: readonly T[]): T {
  return from[random(from.length)]!;
}

/** Pieces of a format in random order: `count` of them. */
export function soup(random: Random, pieces: readonly string[], count: number): string {
  let text = "";
  for (let i = 0; i < count; i++) text += pick(random, pieces);
  return text;
}

/** The bytes with some of them changed. */
export function mutated(random: Random, bytes: Uint8Array, changes: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  for (let i = 0; i < changes; i++) copy[random(copy.length)] = random(256);
  return copy;
}
