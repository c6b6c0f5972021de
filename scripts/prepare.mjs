/**
 * Installs and builds what is missing or out of date, and nothing else. Only Node's own modules are
 * used: this runs before anything is installed. What it prints goes to standard error, so that
 * `./verbatim ask --json` stays clean.
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));
export const stamp = join(root, "dist", ".built");
export const main = join(root, "dist", "adapters", "cli", "main.js");

/** Inputs of the build; ./verbatim checks the same list. */
const INPUTS = [
  "src",
  "adapters",
  "web",
  "scripts/build.mjs",
  "scripts/build-kernel.mjs",
  "scripts/parsers.config.mjs",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
];
const LOCK = join(root, "node_modules", ".verbatim-prepare");
const LOCK_STALE_MS = 10 * 60_000;

export function say(line) {
  process.stderr.write(`${line}\n`);
}

/**
 * Runs a program in the clone; its output goes to standard error. Ends this process when it fails.
 */
export function mustRun(command, args) {
  const result = spawnSync(command, args, {
    cwd: root,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32" && command === "npm",
  });
  if (result.status === 0) return;
  say(`verbatim: ${[command, ...args].join(" ")} failed${result.error ? ` (${result.error.message})` : ""}.`);
  process.exit(3);
}

/** True if node_modules matches package-lock.json. */
function isInstalled() {
  const installed = packagesOf(join(root, "node_modules", ".package-lock.json"));
  if (installed === undefined) return false;
  const wanted = packagesOf(join(root, "package-lock.json"));
  return Object.entries(wanted).every(
    ([path, entry]) => path === "" || entry.optional || installed[path]?.version === entry.version,
  );
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8")).packages;
  } catch {
    return undefined;
  }
}

export function ensureInstalled() {
  const major = Number(process.versions.node.split(".")[0]);
  if (major < 20) {
    say(`verbatim: Node ${process.versions.node} is too old.\n  hint: Install Node 20 or newer.`);
    process.exit(3);
  }
  if (isInstalled()) return;
  say("Installing dependencies (npm ci) …");
  mustRun("npm", ["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"]);
}

function isBuilt() {
  if (!existsSync(stamp) || !existsSync(main)) return false;
  const built = statSync(stamp).mtimeMs;
  return !INPUTS.some((input) => isNewer(join(root, input), built));
}

/** Includes folders, whose time changes when a file is removed. */
function isNewer(path, time) {
  const stats = statSync(path);
  if (stats.isFile()) return !path.endsWith(".test.ts") && stats.mtimeMs > time;
  return stats.mtimeMs > time || readdirSync(path).some((name) => isNewer(join(path, name), time));
}

export function ensureBuilt() {
  ensureInstalled();
  withLock(() => {
    if (isBuilt()) return;
    say("Building …");
    mustRun(process.execPath, [join(root, "scripts", "build.mjs"), "--locked"]);
  });
}

/** Runs one build at a time; a second one waits and then has nothing to do. */
export function withLock(work) {
  mkdirSync(join(root, "node_modules"), { recursive: true });
  for (;;) {
    try {
      mkdirSync(LOCK);
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
      const stats = statSync(LOCK, { throwIfNoEntry: false });
      if (stats && Date.now() - stats.mtimeMs > LOCK_STALE_MS) rmSync(LOCK, { recursive: true, force: true });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
  }
  const unlock = () => rmSync(LOCK, { recursive: true, force: true });
  process.once("exit", unlock);
  try {
    return work();
  } finally {
    unlock();
    process.removeListener("exit", unlock);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) ensureBuilt();
