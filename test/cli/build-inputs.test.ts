/** The two lists of what a clone is built from: the shell script checks it fast, `prepare.mjs` builds. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { projectRoot } from "./run-cli.js";

it("./verbatim and scripts/prepare.mjs check the same inputs", () => {
  const script = readFileSync(join(projectRoot, "verbatim"), "utf8");
  const prepare = readFileSync(join(projectRoot, "scripts", "prepare.mjs"), "utf8");
  const [, searched = ""] = /&& find ([^\\]+)\\/.exec(script) ?? [];
  const [, inputs = ""] = /const INPUTS = \[([^\]]+)\]/.exec(prepare) ?? [];
  const expected = [...inputs.matchAll(/"([^"]+)"/g)].map(([, name]) => name);
  expect(expected.length).toBeGreaterThan(5);
  expect(searched.trim().split(" ")).toEqual(expected);
});
