/**
 * Draws bench/results/NAME.svg of bench/results/NAME.jsonl again, of all benches or of those that are named. A bench draws its own when it has run.
 *
 *     npm run bench -- plot [NAME…]
 */

import { benchesWithResults, draw } from "./support/draw.js";

const names = process.argv.slice(2);
for (const name of names.length > 0 ? names : await benchesWithResults()) console.error(await draw(name));
