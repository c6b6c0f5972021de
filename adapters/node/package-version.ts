/** Which version of the package this is, the same from source (tsx, vitest) and from dist/. */

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const PACKAGE_NAME = "verbatim-qa";

/** Version of the nearest package.json of ours above this file. */
export function packageVersion(): string {
  for (let at = dirname(fileURLToPath(import.meta.url)); dirname(at) !== at; at = dirname(at)) {
    const file = join(at, "package.json");
    if (!existsSync(file)) continue;
    const { name, version } = JSON.parse(readFileSync(file, "utf8")) as { name?: string; version?: string };
    if (name === PACKAGE_NAME && version !== undefined) return version;
  }
  return "unknown";
}
