/** Documents with enough rows that a segment stores them in inverted lists, and a model with centroids. */

import type { PreparedDocument } from "../../src/index/types.js";
import { type Centroids, centroidsFrom, centroidsText, learnCentroids } from "../../src/vectors/centroids.js";
import { madeUpModel, makePrepared } from "./made-up.js";
import { seededRandom } from "./random.js";
import { coarsely } from "./storage-precision.js";

const random = seededRandom(41);
const sample = Int8Array.from({ length: 600 * madeUpModel.coarse }, () => random.whole(-127, 127));

export const centroidsOfMadeUp: Centroids = learnCentroids(sample, madeUpModel.coarse, { rounds: 2 });

/** Of 8 bits, and everything is kept. */
export const listingModel = { ...madeUpModel, coarseCentroids: centroidsText(centroidsOfMadeUp) };
/** Of 4 bits, and little is kept. */
export const coarseListingModel = { ...listingModel, storage: coarsely };

/** The object that files with these centroids give, too. */
export const sharedCentroids = centroidsFrom(listingModel.coarseCentroids, madeUpModel.coarse);

/** Some 2,300 start rows each: four and more make a segment with lists. */
export const makeLarge = (options: { seed: number; documents: number; first?: number }): PreparedDocument[] =>
  makePrepared({ ...options, passages: [10, 11], words: [215, 230], kept: 0.99 });
