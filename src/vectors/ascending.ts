/** Binary search in ascending numbers. */

interface Ascending {
  readonly length: number;
  at(index: number): number | undefined;
}

/** The number of values that are at most `limit`. O(log length) */
export function countAtMost(values: Ascending, limit: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values.at(middle)! <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The last index of `value`; −1 if it is missing. O(log length) */
export function lastIndexIn(values: Ascending, value: number): number {
  const last = countAtMost(values, value) - 1;
  return last >= 0 && values.at(last) === value ? last : -1;
}

/** The index of `value` in distinct ascending numbers; −1 if it is missing. O(log length) */
export function indexIn(values: Uint32Array | Uint16Array, value: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return values[low] === value ? low : -1;
}
