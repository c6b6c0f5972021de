/** Seeded random numbers for tests: the same seed, the same run. */

import { Random as Numbers } from "../../src/vectors/random.js";

export interface Random {
  /** 0 ≤ x < 1 */
  next(): number;
  /** from ≤ whole number ≤ to */
  whole(from: number, to: number): number;
  pick<T>(items: readonly T[]): T;
}

export function seededRandom(seed: number): Random {
  const numbers = new Numbers(seed);
  const whole = (from: number, to: number) => from + numbers.int(to - from + 1);
  return { next: () => numbers.next(), whole, pick: (items) => items[whole(0, items.length - 1)]! };
}
