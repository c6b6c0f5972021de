/** The tables in the order in which they are measured. */

import type { Table } from "./context.js";
import { chinese } from "./tables/chinese.js";
import { chineseOpen } from "./tables/chinese-open.js";
import { engines } from "./tables/engines.js";
import { interpretability } from "./tables/interpretability.js";
import { open } from "./tables/open.js";
import { ranking } from "./tables/ranking.js";
import { scaling } from "./tables/scaling.js";
import { sentences } from "./tables/sentences.js";
import { sizes } from "./tables/sizes.js";
import { squad } from "./tables/squad.js";
import { strategies } from "./tables/strategies.js";

export const TABLES: readonly Table[] = [
  squad,
  sentences,
  ranking,
  chinese,
  chineseOpen,
  interpretability,
  open,
  scaling,
  strategies,
  engines,
  sizes,
];
