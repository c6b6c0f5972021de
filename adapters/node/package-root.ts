/** Where this package lies on disk: its package.json, its models. The same from source (tsx, vitest) and from dist/. */

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const PACKAGE_NAME = "verbatim-qa";

interface PackageJson {
  name?: string;
  version?: string;
}

let found: { root: string; version: string } | undefined;

function locate(): { root: string; version: string } {
  for (let at = dirname(fileURLToPath(import.meta.url)); ; at = dirname(at)) {
    const file = join(at, "package.json");
    if (existsSync(file)) {
      const { name, version } = JSON.parse(readFileSync(file, "utf8")) as PackageJson;
      if (name === PACKAGE_NAME) return { root: at, version: version ?? "unknown" };
    }
    if (dirname(at) === at) throw new Error(`no package.json of ${PACKAGE_NAME} above ${import.meta.url}`);
  }
}

/** Folder of the package. */
export function packageRoot(): string {
  found ??= locate();
  return found.root;
}

export function packageVersion(): string {
  found ??= locate();
  return found.version;
}

/** The model that ships with the package. */
export function defaultModelFolder(): string {
  return join(packageRoot(), "models", "verbatim-en");
}
