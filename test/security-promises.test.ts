/** What SECURITY.md promises and no other test shows; and the tests that it names exist. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { projectRoot, tinyModel } from "./cli/run-cli.js";
import { pdfPages } from "./documents/fixtures/pdf.js";

const read = (path: string): string => readFileSync(join(projectRoot, path), "utf8");

describe("SECURITY.md", () => {
  it("names a test for each row of the threat model, and each of them exists", () => {
    const rows = read("SECURITY.md")
      .split("\n")
      .filter((line) => line.startsWith("| "))
      .slice(1);
    expect(rows.length).toBeGreaterThan(15);
    for (const row of rows) {
      const cells = row.split(" |");
      const tests = [...cells.at(-2)!.matchAll(/`([^`]+)`/g)].map((match) => match[1]!);
      expect(tests, row.slice(0, 80)).not.toEqual([]);
      for (const test of tests) {
        expect(test).toMatch(/\.test\.ts$|^test\/.*\/$/);
        expect(existsSync(join(projectRoot, test)), test).toBe(true);
      }
    }
  });

  it("is right that assistants start this version of the package", () => {
    const { name, version } = JSON.parse(read("package.json")) as { name: string; version: string };
    for (const path of ["docs/mcp.md", "examples/mcp.json"]) {
      const started = [...read(path).matchAll(/"npx"[^[]*\[([^\]]*)\]/g)].map((match) => match[1]!);
      expect(started.length, path).toBeGreaterThan(0);
      for (const args of started)
        for (const arg of ["--ignore-scripts", `${name}@${version}`]) expect(args, path).toContain(`"${arg}"`);
    }
  });
});

describe("indexing and asking", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "verbatim-offline-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const connections = (): string => {
    const path = join(folder, "connections");
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  };

  /** Runs Node in the folder, with all connections recorded. */
  function node(...args: string[]): { status: number | null; stdout: string; stderr: string } {
    const recorder = pathToFileURL(join(projectRoot, "test", "support", "record-connections.mjs")).href;
    const env = {
      ...process.env,
      NODE_OPTIONS: `--import ${recorder}`,
      VERBATIM_CONNECTIONS: join(folder, "connections"),
      VERBATIM_MODEL: tinyModel,
    };
    return spawnSync(process.execPath, args, { cwd: folder, env, encoding: "utf8" });
  }

  it("make no connection, in any of their processes and threads, whatever the documents refer to", () => {
    const far = "http://192.0.2.1";
    writeFileSync(join(folder, "a.txt"), "The observatory was founded by Ines Calder in 1911.\n");
    writeFileSync(join(folder, "b.md"), `---\nschema: ${far}/schema\n---\nThe pump stops. ![plan](${far}/plan.png)\n`);
    writeFileSync(join(folder, "c.html"), `<base href="${far}"><script src="${far}/x.js"></script><p>The bridge.`);
    writeFileSync(join(folder, "d.xml"), `<!DOCTYPE d [<!ENTITY e SYSTEM "${far}/e">]><d>The mill &e;</d>`);
    writeFileSync(join(folder, "e.pdf"), pdfPages([[{ text: "The harbour was dug by Ann Doe.", y: 700 }]]));
    const main = join(projectRoot, "dist.test", "adapters", "cli", "main.js");
    const indexed = node(main, "index", ".", "--index", "index");
    expect(indexed.status, indexed.stderr).toBe(0);
    const asked = node(main, "ask", "who founded the observatory?", "--index", "index", "--json");
    expect(asked.status, asked.stderr).toBe(0);
    expect(asked.stdout).toContain("Ines Calder");
    expect(connections()).toBe("");
  });

  it("would be seen to make one, also in a thread or a process", () => {
    const fetches = 'fetch("http://192.0.2.1").catch(() => {})';
    writeFileSync(join(folder, "fetches.mjs"), fetches);
    const threads = 'new (require("worker_threads").Worker)("./fetches.mjs")';
    const processes = 'require("child_process").spawnSync(process.execPath, ["fetches.mjs"])';
    for (const program of [fetches, threads, processes]) {
      expect(node("-e", program).status).toBe(0);
      expect(connections()).toMatch(/a connection to .*192\.0\.2\.1/);
      rmSync(join(folder, "connections"));
    }
  });
});
