/** The strategies by name: which stages each one runs. */

import { denseFirst } from "./dense-first.js";
import { exhaustive } from "./exhaustive.js";
import { lexical } from "./lexical.js";
import type { Strategy } from "./names.js";
import { sparseFirst } from "./sparse-first.js";
import { sparta } from "./sparta.js";
import type { Stage } from "./strategy.js";

/** `hybrid` joins both sides: terms find passages that vectors miss, and the other way round. */
export const STAGES: Record<Strategy, readonly Stage[]> = {
  hybrid: [sparseFirst, denseFirst],
  "sparse-first": [sparseFirst],
  "dense-first": [denseFirst],
  exhaustive: [exhaustive],
  "sparta-reader": [sparta],
  lexical: [lexical],
};
