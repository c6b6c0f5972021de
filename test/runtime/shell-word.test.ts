import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { shellWord } from "../../src/errors.js";

it("a shell reads a suggested word as the text", () => {
  expect(["my.index", "./a/b", "C:/x", "~/notes"].map(shellWord)).toEqual(["my.index", "./a/b", "C:/x", "~/notes"]);
  const odd = ["my docs", "a  b", "it's", "$HOME", "a;b", "`x`", "*.md", "", "été"];
  const { stdout } = spawnSync("sh", ["-c", `printf '%s\\n' ${odd.map(shellWord).join(" ")}`], { encoding: "utf8" });
  expect(stdout).toBe(odd.map((word) => `${word}\n`).join(""));
});

it("a suggested word has no control characters", () => {
  expect(shellWord("a\u001b[31mb\u202e")).toBe("'a [31mb '");
});
