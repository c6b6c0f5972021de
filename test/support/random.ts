/** Seeded random numbers for tests: the same seed, the same run. */

export interface Random {
  /** 0 ≤ x < 1 */
  next(): number;
  /** from ≤ whole number ≤ to */
  whole(from: number, to: number): number;
  pick<T>(items: readonly T[]): T;
}

/** mulberry32 */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  const whole = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  return { next, whole, pick: (items) => items[whole(0, items.length - 1)]! };
}
