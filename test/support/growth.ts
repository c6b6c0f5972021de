/**
 * Distinguishes work in proportion to the size of its input from work that grows with its square, on
 * any machine and under any load. No time is compared with a fixed one. One input of eight times a
 * size is compared with eight inputs of that size, in processor time: linear work takes as long,
 * n·log n about 1.2 times, n·√n 2.8 times, quadratic work 8 times. Caches and the garbage collector
 * make linear work on large inputs up to twice as slow, so the limit is 3.
 */

const TIMES = 8;
export const MAX_GROWTH = 3;
/** The larger input takes at least this long, so that steps of the processor's clock do not decide. */
const MIN_MS = 60;
/**
 * Work that grows too fast is measured again with larger inputs, until one takes this long: a limit
 * on the input may keep it short.
 */
const LONG_MS = 3000;
/** Inputs double from this size. */
const FIRST_SIZE = 32;
/**
 * Runs of both sides take turns, and the shortest of each side counts: whatever disturbs a run only
 * makes it longer. There are more rounds, with pauses before them, while the growth is too large.
 */
const MIN_ROUNDS = 2;
const MAX_ROUNDS = 4;
const FIRST_PAUSE_MS = 100;

type Run = () => unknown;

/** Processor time of this process, all its threads included, in milliseconds. */
async function processorMs(run: Run, times = 1): Promise<number> {
  const start = process.cpuUsage();
  for (let n = 0; n < times; n++) await run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/**
 * Time of one input of size 8 n ÷ time of eight inputs of size n. 0 if the work on every input is
 * too short to measure.
 * @param prepare  makes an input of a size, and returns the work on it, or undefined if the input
 *   would be too large
 */
export async function growthOf(prepare: (size: number) => Run | undefined): Promise<number> {
  for (let size = FIRST_SIZE; ; size *= 2) {
    const large = prepare(size * TIMES);
    if (large === undefined) return 0;
    // twice, because the first run may load modules, and the compiler warms up
    if ((await processorMs(large)) < MIN_MS || (await processorMs(large)) < MIN_MS) continue;
    const [parts, whole] = await shortest(prepare(size)!, large);
    if (whole / parts <= MAX_GROWTH || whole >= LONG_MS) return whole / parts;
  }
}

async function shortest(small: Run, large: Run): Promise<[parts: number, whole: number]> {
  let [parts, whole] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < MAX_ROUNDS && (round < MIN_ROUNDS || whole / parts > MAX_GROWTH); round++) {
    if (round >= MIN_ROUNDS) await new Promise((done) => setTimeout(done, FIRST_PAUSE_MS * 2 ** (round - MIN_ROUNDS)));
    parts = Math.min(parts, await processorMs(small, TIMES));
    whole = Math.min(whole, await processorMs(large));
  }
  return [parts, whole];
}
