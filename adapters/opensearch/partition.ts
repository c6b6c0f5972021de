/** Splits a corpus among workers by document id, as in "part 3 of 16". */

/** Number of the finest parts. */
export const PARTS = 4096;

/** The documents whose part number modulo n is i. */
export interface Part {
  /** Counted from 0. */
  i: number;
  n: number;
}

/** @param doc  key of a document @returns 0 … 4,095 */
export const partOfKey = (doc: string): number => Number.parseInt(doc.slice(0, 4), 16) % PARTS;

export const isOfPart = (number: number, { i, n }: Part): boolean => number % n === i;
