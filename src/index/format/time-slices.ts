/** Long work over many small things, in slices: whoever waits for the thread comes in between. */

/** Asked after each slice; gives a promise when others should have their turn now. */
export type Pause = () => Promise<void> | undefined;

/** Some hundred nanoseconds each: a slice is far below a millisecond. */
const SLICE = 1024;

/** @param work  is given numbers from … end − 1 of 0 … count − 1, all of them in order */
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

/** As `items.toSorted(compare)`: stable, and `items` stays as it is. */
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

/** Two sorted runs as one; of equals those of the first come first. */
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
