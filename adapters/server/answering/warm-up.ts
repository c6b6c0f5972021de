/** Prepares an open index for its first caller. */

import type { Index } from "../../../src/api/index-handle.js";

/**
 * Asks one question, so that the first caller does not wait for the network to load and for code to
 * be compiled.
 * @throws what `Index.ask` throws, for example `model-missing` for a damaged model
 */
export async function warmUp(index: Pick<Index, "ask">): Promise<void> {
  await index.ask("first", { reader: "off" });
}
