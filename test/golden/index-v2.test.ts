/**
 * An index of format version 2, kept for ever: `v2/index/` must open and say what `v2/expected.json` says, whatever the code has become.
 * It cannot be made again: this code writes a later version.
 */

import { describe } from "vitest";
import { goldenFolder, itIsKept, itMayBeAddedTo } from "./golden-index.js";

const folder = goldenFolder(2);

describe("the golden index of format version 2", () => {
  itIsKept(folder, { version: 4, documents: 9 });
  itMayBeAddedTo(folder, 9);
});
