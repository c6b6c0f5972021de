/**
 * Redraws bench/results/NAME.svg from bench/results/NAME.jsonl, for all benches or the named ones.
 * A bench also draws its own plot after a run.
 *
 *     npm run bench -- plot [NAME…]
 */

import { benchesWithResults, draw } from "./support/draw.js";

const names = process.argv.slice(2);
for (const name of names.length > 0 ? names : await benchesWithResults()) console.error(await draw(name));
