/** The client must run in a browser: it imports nothing but its own files. */

import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("imports only its own files", () => {
  const folder = new URL("../../adapters/client/", import.meta.url);
  const specifiers = readdirSync(folder).flatMap((name) =>
    [...readFileSync(new URL(name, folder), "utf8").matchAll(/from "([^"]+)"/g)].map(([, specifier]) => specifier),
  );
  expect(specifiers.filter((it) => !/^\.\/\w+\.js$/.test(it!))).toEqual([]);
});
