/**
 * npm run check:reproducible: builds the current commit in two new folders with different paths,
 * and compares the packages byte by byte. Prints the SHA-256 of the package; exits with status 1 if
 * the two differ. Uncommitted changes do not count.
 */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./prepare.mjs";

/** Different in length and depth, as the folders of two people are. */
const FOLDERS = ["a", join("another", "folder-with-a-longer-name")];

function run(command, args, cwd) {
  const result = spawnSync(command, args, { cwd, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  if (result.status === 0) return result.stdout;
  throw new Error(`${command} ${args.join(" ")} failed in ${cwd}:\n${result.stdout}${result.stderr ?? result.error}`);
}

/** @returns the SHA-256 of every file of the package and of the package itself, by name */
function pack(clone) {
  mkdirSync(join(clone, ".."), { recursive: true });
  run("git", ["clone", "--quiet", "--depth", "1", `file://${root}`, clone], root);
  copyModules(join(clone, "node_modules"));
  run(process.execPath, [join("scripts", "build.mjs")], clone);
  const out = join(clone, "..", "packed");
  mkdirSync(out);
  run("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", out], clone);
  const [name] = readdirSync(out);
  const hashes = new Map([[name, sha256(join(out, name))]]);
  run("tar", ["-xzf", name], out);
  for (const entry of readdirSync(join(out, "package"), { recursive: true, withFileTypes: true }))
    if (entry.isFile()) {
      const path = join(entry.parentPath, entry.name);
      hashes.set(path.slice(out.length + 1), sha256(path));
    }
  return { name, hashes };
}

/** Hard links where the file system allows them: the build only reads these files. */
function copyModules(target) {
  const from = join(root, "node_modules");
  if (spawnSync("cp", ["-al", from, target]).status === 0) return;
  rmSync(target, { recursive: true, force: true });
  run("cp", ["-a", from, target], root);
}

const sha256 = (path) => createHash("sha256").update(readFileSync(path)).digest("hex");

const folder = mkdtempSync(join(tmpdir(), "verbatim-reproducible-"));
try {
  const [one, two] = FOLDERS.map((name) => pack(join(folder, name, "clone")));
  const names = new Set([...one.hashes.keys(), ...two.hashes.keys()]);
  const different = [...names].filter((name) => one.hashes.get(name) !== two.hashes.get(name));
  for (const name of different) console.log(`differs: ${name}`);
  console.log(`${one.hashes.get(one.name)}  ${one.name}`);
  console.log(
    `${names.size - 1} files, ${different.length === 0 ? "the two packages are equal" : "the packages differ"}`,
  );
  process.exitCode = different.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
