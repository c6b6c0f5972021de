import { Random } from "../vectors/random.js";

/**
 * `count` of the values drawn without replacement (Fisher–Yates), in their order; all if there are
 * fewer, or no count.
 */
export function draw<T>(values: readonly T[], count: number | undefined, seed: number): T[] {
  if (count === undefined || count >= values.length) return [...values];
  const random = new Random(seed);
  const order = values.map((_, i) => i);
  for (let i = 0; i < count; i++) {
    const j = i + random.int(order.length - i);
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  return order
    .slice(0, count)
    .sort((a, b) => a - b)
    .map((i) => values[i]!);
}
