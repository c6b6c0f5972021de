/** The tables in the order in which they are measured. */

import type { Table } from "./context.js";
import { sentences } from "./tables/sentences.js";
import { squad } from "./tables/squad.js";

export const TABLES: readonly Table[] = [squad, sentences];
