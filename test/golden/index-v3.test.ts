/**
 * An index of format version 3, kept for ever: `v3/index/` must open and say what `v3/expected.json` says, whatever the code has become.
 * It cannot be made again: this code writes a later version.
 */

import { describe } from "vitest";
import { goldenFolder, itIsKept, itMayBeAddedTo } from "./golden-index.js";

const folder = goldenFolder(3);

describe("the golden index of format version 3", () => {
  itIsKept(folder, { documents: 8 });
  itMayBeAddedTo(folder, 8);
});
