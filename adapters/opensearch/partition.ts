/** "Part 3 of 16": which documents a worker takes, when several encode one corpus. Decided by the id alone. */

/** The finest parts that there are. */
export const PARTS = 4096;

/** Documents whose number modulo n is i. */
export interface Part {
  /** From 0. */
  i: number;
  n: number;
}

/** @param doc  key of a document */
export const partOfKey = (doc: string): number => Number.parseInt(doc.slice(0, 4), 16) % PARTS;

export const isOfPart = (number: number, { i, n }: Part): boolean => number % n === i;
