/** A seeded random source, so that a failing input can be made again. */

import { Random as Numbers } from "../../src/vectors/random.js";

export type Random = (below: number) => number;

/** Whole numbers from 0 up to, not including, `below`. */
export function randomFrom(seed: number): Random {
  const numbers = new Numbers(seed);
  return (below) => numbers.int(below);
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
