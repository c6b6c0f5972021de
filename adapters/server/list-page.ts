/** One page of a long list of documents. */

/** Entries after which other requests get a turn: a few milliseconds of work. */
const TURN_EVERY = 16_384;

export interface ListQuery {
  limit: number;
  /** Public id of the last document of the page before. */
  after?: string;
  /** In the id, case does not count. */
  contains?: string;
}

/**
 * The entries of a page, whose keys are public ids. A list of millions takes a while, so other requests get turns
 * meanwhile.
 * @returns `total`: how many entries match; `next`: value of `after` for the next page, if there is one. Undefined when
 *   no matching entry has the id `after`
 */
export async function listPage<T>(
  entries: ReadonlyMap<string, T>,
  { limit, after, contains = "" }: ListQuery,
): Promise<{ page: [publicId: string, entry: T][]; total: number; next?: string } | undefined> {
  const wanted = contains.toLowerCase();
  const page: [string, T][] = [];
  let total = 0;
  let isAfter = after === undefined;
  let hasMore = false;
  let count = 0;
  for (const [publicId, entry] of entries) {
    if (++count % TURN_EVERY === 0) await new Promise((resolve) => setImmediate(resolve));
    if (wanted !== "" && !publicId.toLowerCase().includes(wanted)) continue;
    total++;
    if (!isAfter) isAfter = publicId === after;
    else if (page.length < limit) page.push([publicId, entry]);
    else hasMore = true;
  }
  if (!isAfter) return undefined;
  const last = page.at(-1);
  return { page, total, ...(hasMore && last !== undefined ? { next: last[0] } : {}) };
}
