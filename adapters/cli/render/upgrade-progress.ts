/** Progress text of `verbatim upgrade`, and of a run of `verbatim index` that encodes the index again. */

import type { UpgradeProgress } from "../../../src/index/write/upgrade.js";
import { count, counted, duration } from "./terminal.js";

/** Shows "1,234 of 5,678 passages, 2,345 tokens/s, 3 min 2 s left". */
export function upgradeView(
  show: (done: number, total: number, text: string) => void,
): (progress: UpgradeProgress) => void {
  const started = performance.now();
  return ({ passages, passagesTotal, tokens }) => {
    const seconds = (performance.now() - started) / 1000;
    const parts = [`${count(passages)} of ${counted(passagesTotal, "passage")}`];
    if (tokens > 0 && passages > 0) {
      const left = (seconds * (passagesTotal - passages)) / passages;
      parts.push(`${count(tokens / seconds)} tokens/s`, `${duration(Math.ceil(left))} left`);
    }
    show(passages, passagesTotal, parts.join(", "));
  };
}
