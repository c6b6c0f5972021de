/** The built program as a person starts it: launcher, signals, pipes. */

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { projectRoot, tinyModel } from "../cli/run-cli.js";

const main = join(projectRoot, "dist", "adapters", "cli", "main.js");
const env: NodeJS.ProcessEnv = { ...process.env, VERBATIM_MODEL: tinyModel };
let folder: string;

beforeAll(() => {
  spawnSync(process.execPath, [join(projectRoot, "scripts", "prepare.mjs")], { stdio: "inherit" });
  folder = mkdtempSync(join(tmpdir(), "verbatim-e2e-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function verbatim(args: string[], input = "") {
  return spawnSync(process.execPath, [main, ...args], { cwd: folder, env, input, encoding: "utf8" });
}

describe("the built program", () => {
  it("is started by ./verbatim from any folder, also through a symlink, with nothing but its output on stdout", () => {
    const link = join(folder, "v");
    symlinkSync(join(projectRoot, "verbatim"), link);
    const { status, stdout } = spawnSync(link, ["--version"], { cwd: folder, env, encoding: "utf8" });
    expect([status, stdout.trim()]).toEqual([
      0,
      process.env.npm_package_version ?? expect.stringMatching(/^\d+\.\d+\.\d+$/),
    ]);
  });

  it("indexes and asks", () => {
    const indexed = verbatim(["index", join(projectRoot, "samples"), "--index", "i", "--json"]);
    expect(indexed.status, indexed.stderr).toBe(0);
    const asked = verbatim(["ask", "who founded the observatory?", "--index", "i", "--json"]);
    expect(asked.status, asked.stderr).toBe(0);
    expect((JSON.parse(asked.stdout) as { answers: unknown[] }).answers).toHaveLength(5);
  });

  it("ends quietly when its reader goes away", () => {
    const script = `yes 'who founded the observatory?' | head -200 | "${process.execPath}" "${main}" ask --index i | head -1; echo "\${PIPESTATUS[2]}"`;
    const { stdout, stderr } = spawnSync("bash", ["-c", script], { cwd: folder, env, encoding: "utf8" });
    expect(stdout).toBe("? who founded the observatory?\n141\n");
    expect(stderr).toBe("");
  });

  it.runIf(existsSync("/dev/full"))("says so when its output cannot be written", () => {
    const script = `"${process.execPath}" "${main}" ask who --index i > /dev/full`;
    const { status, stderr } = spawnSync("bash", ["-c", script], { cwd: folder, env, encoding: "utf8" });
    expect(stderr).toMatch(/^verbatim: The disk is full\.\n {2}hint: .+\n$/);
    expect(status).toBe(3);
  });

  it.runIf(existsSync("/dev/full"))("fails when its last output cannot be written", () => {
    const script = `"${process.execPath}" "${main}" --help > /dev/full`;
    const { status, stderr } = spawnSync("bash", ["-c", script], { cwd: folder, env, encoding: "utf8" });
    expect(stderr).toMatch(/^verbatim: The disk is full\.\n/);
    expect(status).toBe(3);
  });

  it.skipIf(process.platform === "win32")("says so in a folder that was removed", () => {
    const script = `mkdir gone && cd gone && rmdir ../gone && "${process.execPath}" "${main}" --help`;
    const { status, stderr } = spawnSync("bash", ["-c", script], { cwd: folder, env, encoding: "utf8" });
    expect(stderr).toMatch(/^verbatim: The working folder no longer exists\.\n {2}hint: .+\n$/);
    expect(status).toBe(3);
  });

  it.runIf(existsSync("/dev/full"))(
    "ends cleanly when the disk of its output is full in the middle of the work",
    () => {
      const script = `yes 'who founded the observatory?' | head -300 | "${process.execPath}" "${main}" ask --index i --threads 2 > /dev/full`;
      const { status, stderr } = spawnSync("bash", ["-c", script], { cwd: folder, env, encoding: "utf8" });
      expect(stderr).toMatch(/^verbatim: The disk is full\.\n {2}hint: .+\n$/);
      expect(status).toBe(3);
    },
  );

  it("leaves no trace of usage reports", () => {
    // ONNX Runtime writes files when reports are on; it turns them off by itself if these variables are set.
    const { CI: _ci, GITHUB_ACTIONS: _actions, ORT_DISABLE_TELEMETRY: _off, ...rest } = env;
    const home = join(folder, "home");
    mkdirSync(home);
    const quiet = { ...rest, HOME: home, XDG_CACHE_HOME: join(home, ".cache"), TMPDIR: home };
    const asked = spawnSync(process.execPath, [main, "ask", "who?", "--index", "i"], {
      cwd: folder,
      env: quiet,
      encoding: "utf8",
    });
    expect(asked.status, asked.stderr).toBe(0);
    // The record of verified models (docs/model-format.md) is all that may be written.
    const verified = join(".cache", "verbatim", "verified-models.json");
    expect(readdirSync(home, { recursive: true }).sort()).toEqual([".cache", dirname(verified), verified]);
  });

  it("stops cleanly at Ctrl-C and continues the next time", async () => {
    const documents = 3000;
    const line = (i: number) => JSON.stringify({ id: `${i}`, text: `The bell number ${i} rings at noon. `.repeat(40) });
    writeFileSync(join(folder, "many.jsonl"), Array.from({ length: documents }, (_, i) => line(i)).join("\n"));
    const args = [main, "index", "many.jsonl", "--index", "stopped", "--threads", "1", "--json"];
    const child = spawn(process.execPath, args, { cwd: folder, env });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (bytes: Buffer) => {
      stdout += bytes.toString();
    });
    child.stderr.on("data", (bytes: Buffer) => {
      stderr += bytes.toString();
    });
    const begun = () => existsSync(join(folder, "stopped")) && readdirSync(join(folder, "stopped")).length > 1;
    while (!begun()) await new Promise((done) => setTimeout(done, 50));
    child.kill("SIGINT");
    const status = await new Promise((done) => child.once("close", done));
    expect(status, stderr).toBe(130);
    expect(stderr).toContain("Stopping and saving finished documents.");
    const stopped = JSON.parse(stdout) as { stopped: boolean; documents: number };
    expect(stopped.stopped).toBe(true);
    expect(stopped.documents).toBeLessThan(documents);
    expect(verbatim(["check", "--index", "stopped"]).status).toBe(stopped.documents > 0 ? 0 : 3);
  });
});

describe("npm run demo", () => {
  it("indexes the samples and asks", () => {
    const demo = spawnSync(process.execPath, [join(projectRoot, "scripts", "demo.mjs")], {
      cwd: folder,
      env,
      encoding: "utf8",
    });
    expect(demo.status, demo.stderr).toBe(0);
    expect(demo.stdout).toContain("Indexed 16 documents");
    expect(demo.stdout.match(/^\$ \.\/verbatim ask /gm)).toHaveLength(7);
    expect(demo.stdout.match(/^ {2}1 {2}/gm)).toHaveLength(7); // this tiny model declines nothing; the one that ships: test/ask/demo-questions.test.ts
  });
});
