/** An HTML tree that stops growing at a limit: a short page can ask for any number of elements. */

import { type DefaultTreeAdapterMap, defaultTreeAdapter, type TreeAdapter } from "parse5";
import type { ReadLimits } from "../limits.js";
import { unreadable } from "../skip.js";

/** Counts the elements that are made (misnested tags repeat others) and those that are open. */
export function limitedTree({ maxElements, maxHtmlDepth }: ReadLimits): TreeAdapter<DefaultTreeAdapterMap> {
  let elements = 0;
  let depth = 0;
  const hint = "Split it, or read it as plain text with --format txt.";
  return {
    ...defaultTreeAdapter,
    createElement: (...parts) => {
      if (++elements > maxElements) {
        throw unreadable(`has more than ${maxElements.toLocaleString("en")} elements`, hint);
      }
      return defaultTreeAdapter.createElement(...parts);
    },
    onItemPush: () => {
      if (++depth > maxHtmlDepth) throw unreadable("is nested too deeply", hint);
    },
    onItemPop: () => void depth--,
  };
}
