/** Logistic regression with non-negative weights, for calibrations. */

const RIDGE = 1e-3;

interface Fitted {
  intercept: number;
  weights: Float64Array;
}

/**
 * Minimises the mean cross-entropy of σ(intercept + weights · row) plus `RIDGE` / 2 · |weights|²,
 * weights ≥ 0, by projected gradient with momentum (Beck & Teboulle 2009) from zero. The problem is
 * convex, so the solution is unique. Rows should have mean 0 and variance 1.
 * @param labels 0 or 1 each
 * @throws RangeError if there are no rows or their number differs from that of the labels
 */
export function fitLogistic(
  rows: readonly ArrayLike<number>[],
  labels: ArrayLike<number>,
  { steps = 3000 }: { steps?: number } = {},
): Fitted {
  const n = rows.length;
  if (n === 0 || labels.length !== n) throw new RangeError("A fit needs rows, and as many labels.");
  const width = rows[0]!.length;
  let norm = 1; // mean |(1, row)|² bounds the curvature: 4 L ≤ norm
  for (const row of rows) for (let d = 0; d < width; d++) norm += row[d]! ** 2 / n;
  const rate = 1 / (norm / 4 + RIDGE);
  let point = new Float64Array(width + 1); // weights, then the intercept
  let ahead = point;
  let momentum = 1;
  for (let step = 0; step < steps; step++) {
    const gradient = new Float64Array(width + 1);
    for (let i = 0; i < n; i++) {
      const row = rows[i]!;
      let sum = ahead[width]!;
      for (let d = 0; d < width; d++) sum += ahead[d]! * row[d]!;
      const off = (1 / (1 + Math.exp(-sum)) - labels[i]!) / n;
      for (let d = 0; d < width; d++) gradient[d]! += off * row[d]!;
      gradient[width]! += off;
    }
    const next = ahead.map((value, d) =>
      d === width ? value - rate * gradient[d]! : Math.max(0, value - rate * (gradient[d]! + RIDGE * value)),
    );
    const after = (1 + Math.sqrt(1 + 4 * momentum ** 2)) / 2;
    ahead = next.map((value, d) => value + ((momentum - 1) / after) * (value - point[d]!));
    point = next;
    momentum = after;
  }
  return { intercept: point[width]!, weights: point.slice(0, width) };
}
