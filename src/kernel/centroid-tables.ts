/** The centroids used last, in WASM memory: an index's writer and all its queries use the same ones. */

import { BRANCHES, type Centroids, LISTS } from "../vectors/centroids.js";
import type { WasmInstance } from "./wasm-instance.js";
import type { Block } from "./wasm-memory.js";

/** Addresses of int8 [32 × dim], int8 [1024 × dim], and int32 [32 + 1024] squared norms. */
export interface CentroidTables {
  tops: number;
  lists: number;
  norms: number;
}

let loaded: { centroids: Centroids; values: Block; norms: Block } | undefined;

/** Copies the centroids into WASM memory unless they are there already. */
export function centroidTables({ heap }: WasmInstance, centroids: Centroids): CentroidTables {
  const { dim, tops, lists, topNorms, listNorms } = centroids;
  if (loaded?.centroids !== centroids) {
    if (loaded !== undefined) {
      heap.release(loaded.values);
      heap.release(loaded.norms);
      loaded = undefined;
    }
    const blocks = heap.allocateAll({ values: (BRANCHES + LISTS) * dim, norms: (BRANCHES + LISTS) * 4 });
    const { int8, int32 } = heap.views;
    int8.set(tops, blocks.values.address);
    int8.set(lists, blocks.values.address + BRANCHES * dim);
    int32.set(topNorms, blocks.norms.address >>> 2);
    int32.set(listNorms, (blocks.norms.address >>> 2) + BRANCHES);
    loaded = { centroids, ...blocks };
  }
  const { values, norms } = loaded;
  return { tops: values.address, lists: values.address + BRANCHES * dim, norms: norms.address };
}
