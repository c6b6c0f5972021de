/** Long loops in time slices, between which the event loop can run. */

/** Called after each slice; returns a promise if the event loop should run now. */
export type Pause = () => Promise<void> | undefined;

/** Items per slice, at a few hundred nanoseconds each: far below a millisecond. */
const SLICE = 1024;

/** @param work  called with consecutive ranges from … end − 1 that cover 0 … count − 1 */
export async function inSlices(
  count: number,
  work: (from: number, end: number) => void,
  pause: Pause | undefined,
): Promise<void> {
  for (let from = 0; from < count; from += SLICE) {
    work(from, Math.min(count, from + SLICE));
    const waiting = pause?.();
    if (waiting) await waiting;
  }
}

/** Like `items.toSorted(compare)`: stable, and `items` is not changed. */
export async function sortInSlices<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
  pause: Pause | undefined,
): Promise<T[]> {
  let runs: T[][] = [];
  await inSlices(items.length, (from, end) => void runs.push(items.slice(from, end).sort(compare)), pause);
  while (runs.length > 1) {
    const longer: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      const [one, other = []] = runs.slice(i, i + 2) as [T[], T[]?];
      longer.push(await joined(one, other, { compare, pause }));
    }
    runs = longer;
  }
  return runs[0] ?? [];
}

/** Merges two sorted runs; of equal items, those of the first run come first. */
async function joined<T>(
  one: readonly T[],
  other: readonly T[],
  { compare, pause }: { compare: (a: T, b: T) => number; pause: Pause | undefined },
): Promise<T[]> {
  const out: T[] = [];
  let i = 0;
  let j = 0;
  const work = (from: number, end: number): void => {
    for (let n = from; n < end; n++) {
      const first = j === other.length || (i < one.length && compare(one[i]!, other[j]!) <= 0);
      out.push(first ? one[i++]! : other[j++]!);
    }
  };
  await inSlices(one.length + other.length, work, pause);
  return out;
}
