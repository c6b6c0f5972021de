/** The strategies by name. */

import { exhaustive } from "./exhaustive.js";
import { lexical } from "./lexical.js";
import type { StrategyName } from "./names.js";
import { denseFirst, hybrid, sparseFirst } from "./passage-candidates.js";
import { sparta } from "./sparta.js";
import type { Strategy } from "./strategy.js";

export const STRATEGIES: Record<StrategyName, Strategy> = {
  hybrid,
  "sparse-first": sparseFirst,
  "dense-first": denseFirst,
  exhaustive,
  "sparta-reader": sparta,
  lexical,
};
