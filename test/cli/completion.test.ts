/**
 * Shell completion: tested in a real bash; the zsh and fish scripts are checked for every command
 * and option.
 */

import { spawnSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder, verbatim } from "./run-cli.js";

async function script(shell: string): Promise<string> {
  const { status, stdout, stderr } = await verbatim(["completion", shell], { cwd: "/" });
  expect(status, stderr).toBe(0);
  return stdout;
}

/** Completions that bash offers for the last word of a line. */
function offered(source: string, line: readonly string[], cwd = "/"): string[] {
  const words = ["verbatim", ...line].map((word) => `'${word}'`).join(" ");
  const code = `${source}\nCOMP_WORDS=(${words}); COMP_CWORD=${line.length}; _verbatim; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { status, stdout, stderr } = spawnSync("bash", ["--norc", "-c", code], { cwd, encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  return stdout.split("\n").filter((word) => word !== "");
}

const hasBash = spawnSync("bash", ["-c", "mapfile < /dev/null"]).status === 0;

describe.runIf(hasBash)("bash", () => {
  it("completes commands and subcommands", async () => {
    const source = await script("bash");
    expect(offered(source, ["se"])).toEqual(["serve"]);
    expect(offered(source, [""])).toEqual(
      expect.arrayContaining(["index", "ask", "serve", "mcp", "eval", "completion"]),
    );
    expect(offered(source, ["eval", ""])).toEqual(expect.arrayContaining(["squad", "open", "calibration"]));
    expect(offered(source, ["--v"])).toEqual(["--version"]);
  });

  it("completes the options listed in each command's help", async () => {
    const source = await script("bash");
    for (const command of [
      ["index"],
      ["ask"],
      ["serve"],
      ["mcp"],
      ["eval", "open"],
      ["eval", "calibration"],
      ["restore"],
    ]) {
      const { stdout } = await verbatim([...command, "--help"], { cwd: "/" });
      const named = [...stdout.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, name]) => name!);
      expect(named.length).toBeGreaterThan(1);
      expect(offered(source, [...command, "--"]).sort()).toEqual([...named].sort());
    }
  });

  it("completes values: choices, folders and files", async () => {
    const cwd = await temporaryFolder();
    await mkdir(join(cwd, "notes folder"));
    await writeFile(join(cwd, "note.txt"), "");
    const source = await script("bash");
    expect(offered(source, ["ask", "--strategy", "s"])).toEqual(["sparse-first", "sparta-reader"]);
    expect(offered(source, ["ask", "who?", "--reader", ""])).toEqual(["off", "auto", "on"]);
    expect(offered(source, ["ask", "--index", "no"], cwd)).toEqual(["notes folder"]);
    expect(offered(source, ["serve", "--token-file", "no"], cwd).sort()).toEqual(["note.txt", "notes folder"]);
    expect(offered(source, ["index", "no"], cwd).sort()).toEqual(["note.txt", "notes folder"]);
    expect(offered(source, ["ask", "--top-k", ""], cwd)).toEqual([]);
    expect(offered(source, ["ask", "no"], cwd)).toEqual([]);
  });

  it("does not mistake the value of an option for a command", async () => {
    const source = await script("bash");
    expect(offered(source, ["ask", "--index", "eval", "--stra"])).toEqual(["--strategy"]);
    expect(offered(source, ["eval", "open", "--index", "squad", "--comp"])).toEqual(["--compare"]);
  });
});

describe("zsh and fish", () => {
  it.each([
    ["zsh", (name: string) => name],
    ["fish", (name: string) => `-l ${name.slice(2)}`],
  ] as const)("%s is given every option of every command", async (shell, written) => {
    const source = await script(shell);
    for (const command of [["serve"], ["eval", "open"]]) {
      const { stdout } = await verbatim([...command, "--help"], { cwd: "/" });
      for (const [, name] of stdout.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)) expect(source).toContain(written(name!));
    }
    if (spawnSync(shell, ["--version"]).status !== 0) return; // not installed here
    const file = join(await temporaryFolder(), "script");
    await writeFile(file, source);
    const { status, stderr } = spawnSync(shell, ["-n", file], { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
  });

  it.runIf(spawnSync("fish", ["--version"]).status === 0)("fish completes commands, options and choices", async () => {
    const file = join(await temporaryFolder(), "script");
    await writeFile(file, await script("fish"));
    const offers = (line: string): string[] => {
      const { stdout } = spawnSync("fish", ["-c", `source ${file}; complete -C '${line}'`], {
        cwd: "/",
        encoding: "utf8",
      });
      return stdout.split("\n").flatMap((it) => (it === "" ? [] : [it.split("\t")[0]!]));
    };
    expect(offers("verbatim se")).toEqual(["serve"]);
    expect(offers("verbatim ask --stra")).toEqual(["--strategy"]);
    expect(offers("verbatim ask --strategy s")).toEqual(["sparse-first", "sparta-reader"]);
    expect(offers("verbatim eval ")).toEqual(expect.arrayContaining(["open", "squad"]));
    expect(offers("verbatim eval open --comp")).toEqual(["--compare"]);
  });
});

it("lists the supported shells for an unknown one", async () => {
  const { status, stderr } = await verbatim(["completion", "tcsh"], { cwd: "/" });
  expect(status).toBe(2);
  expect(stderr).toContain("bash, zsh, fish");
});
