/**
 * What a new process loads until its first answer. Every module costs a third of a millisecond of
 * processor time, so a question must not load what only other calls need
 * (docs/research/2026-11-24-start-time.md).
 */

import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { indexPaths } from "../../adapters/node/index.js";
import { projectRoot, tinyModel } from "../cli/run-cli.js";

const compiled = join(projectRoot, "dist.test");
const main = join(compiled, "adapters", "cli", "main.js");
const QUESTION = "who cast the bell?";

/** A question loads 193 modules of the project; the rest is room for new features of a question. */
const MAX_MODULES = 215;

let folder: string;
let index: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "verbatim-loaded-"));
  index = join(folder, "bell.index");
  await writeFile(join(folder, "bell.txt"), "The bell was cast by Ada Quill in 1702. It rings at noon.\n");
  await indexPaths([join(folder, "bell.txt")], { index, modelFolder: tinyModel });
});

/**
 * Modules of the project that a process loads, and packages but for ONNX Runtime; from the list of
 * scripts that V8 reports.
 */
async function loadedBy(args: readonly string[]): Promise<{ modules: string[]; packages: string[] }> {
  const coverage = await mkdtemp(join(folder, "coverage-"));
  await promisify(execFile)(process.execPath, [...args], {
    cwd: folder,
    env: { ...process.env, NODE_V8_COVERAGE: coverage, VERBATIM_MODEL: tinyModel },
  });
  const paths = new Set<string>();
  for (const name of await readdir(coverage)) {
    const { result } = JSON.parse(await readFile(join(coverage, name), "utf8")) as { result: { url: string }[] };
    for (const { url } of result) if (url.startsWith("file:")) paths.add(fileURLToPath(url));
  }
  const loaded = [...paths].map((path) => relative(projectRoot, path).split(sep).join("/"));
  const names = loaded.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
  return {
    modules: loaded.filter((path) => path.startsWith("dist.test/")).map((path) => path.slice("dist.test/".length)),
    packages: [...new Set(names)].filter((name) => !name.startsWith("onnxruntime-")).sort(),
  };
}

describe("a program that opens an index and asks", () => {
  it("loads no package but ONNX Runtime and inflate, and nothing that writes, parses or serves", async () => {
    const script = join(folder, "ask.mjs");
    await writeFile(
      script,
      `import { openIndex } from ${JSON.stringify(pathToFileURL(join(compiled, "adapters", "node", "index.js")).href)};
      const index = await openIndex({ path: ${JSON.stringify(index)}, modelFolder: process.env.VERBATIM_MODEL });
      const { answers } = await index.ask(${JSON.stringify(QUESTION)}, { reader: "off", minConfidence: 0 });
      await index.close();
      process.exitCode = answers.length > 0 ? 0 : 1;`,
    );
    const { modules, packages } = await loadedBy([script]);
    expect(modules).toContain("src/search/search.js");
    expect(packages).toEqual(["fflate"]);
    const unneeded =
      /^(adapters\/(cli|server|mcp|opensearch|node\/(check|ingest|publish|watch|documents\/isolation))|src\/(ingest|publish|evaluate|index\/(write|merge|maintain)))\//;
    expect(modules.filter((path) => unneeded.test(path))).toEqual([]);
    expect(modules.length).toBeLessThanOrEqual(MAX_MODULES);
  });
});

describe("the command line", () => {
  const commandsIn = (modules: readonly string[]): string[] =>
    modules.filter((path) => /^adapters\/cli\/(commands|eval)\//.test(path));

  it("loads one command for a question, and no progress bar", async () => {
    const { modules, packages } = await loadedBy([main, "ask", QUESTION, "--index", index, "--reader", "off"]);
    expect(commandsIn(modules)).toEqual(["adapters/cli/commands/ask.js"]);
    expect(packages).toEqual(["commander", "fflate"]);
    expect(modules.length).toBeLessThanOrEqual(MAX_MODULES);
  });

  it("loads no network to describe an index", async () => {
    const { modules, packages } = await loadedBy([main, "info", "--index", index]);
    expect(commandsIn(modules)).toEqual(["adapters/cli/commands/info.js"]);
    expect(packages).toEqual(["commander", "fflate"]);
  });

  it("loads no command for its version, and all of them but nothing that they run for help", async () => {
    const version = await loadedBy([main, "--version"]);
    expect(commandsIn(version.modules)).toEqual([]);
    const help = await loadedBy([main, "--help"]);
    expect(commandsIn(help.modules)).toContain("adapters/cli/commands/serve.js");
    expect([...version.packages, ...help.packages]).toEqual(["commander", "commander"]);
    const unneeded =
      /^(adapters\/(server\/(http|security|answering|ingest)|mcp)|src\/(search\/score|index\/segment))\//;
    expect(help.modules.filter((path) => unneeded.test(path))).toEqual([]);
  });
});
