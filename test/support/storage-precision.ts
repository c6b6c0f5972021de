/**
 * A coarse way of keeping what the made-up model gives: steps of all kinds, a group that is dropped, few n-grams and
 * terms.
 */

import type { StoragePrecision } from "../../src/encode/types.js";

export const coarsely: StoragePrecision = {
  start: [2, 16],
  end: [12, 255],
  coherency: [255],
  ngramStep: 16,
  ngramsPerRow: 2,
  termsPerUnit: 12,
};
