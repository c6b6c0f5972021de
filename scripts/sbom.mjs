/**
 * npm run sbom: prints a software bill of materials (CycloneDX 1.5, JSON) of the package: its
 * runtime dependencies, the packages that are compiled into the web pages, and the models, with
 * hashes. It needs no network. Equal lock files and models give equal bytes.
 *
 *     npm run --silent sbom > sbom.json
 */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./prepare.mjs";

/** Development dependencies that the build compiles into dist/web and dist/site. */
const BUNDLED = ["preact", "pdfjs-dist"];
/** Optional packages of those for Node, which the build leaves out. */
const NOT_BUNDLED = /^@napi-rs\//;
const DEVELOPMENT = "cdx:npm:package:development";

function npmSbom() {
  const args = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only", "--offline"];
  const { status, stdout, stderr } = spawnSync("npm", args, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`npm sbom failed:\n${stderr}`);
  return JSON.parse(stdout);
}

/** The refs themselves and all that they depend on, directly or not. */
function closureOf(refs, dependencies) {
  const found = new Set();
  const next = [...refs];
  for (let ref = next.pop(); ref !== undefined; ref = next.pop()) {
    if (found.has(ref)) continue;
    found.add(ref);
    next.push(...(dependencies.get(ref) ?? []));
  }
  return found;
}

function models() {
  const folder = join(root, "models");
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return names.map(({ name }) => ({
    "bom-ref": `model:${name}`,
    type: "machine-learning-model",
    name,
    components: readdirSync(join(folder, name)).map((file) => ({
      "bom-ref": `model:${name}/${file}`,
      type: "file",
      name: file,
      hashes: [{ alg: "SHA-256", content: sha256(join(folder, name, file)) }],
    })),
  }));
}

const sha256 = (path) => createHash("sha256").update(readFileSync(path)).digest("hex");
const byRef = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

const { name, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const all = npmSbom();
const dependencies = new Map(all.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
const isDevelopment = ({ properties }) => properties.some((it) => it.name === DEVELOPMENT && it.value === "true");
const bundled = closureOf(
  all.components.filter((it) => BUNDLED.includes(it.name)).map((it) => it["bom-ref"]),
  dependencies,
);
const components = all.components.filter(
  (it) => (!isDevelopment(it) || bundled.has(it["bom-ref"])) && !NOT_BUNDLED.test(it.name),
);
const own = all.metadata.component;
const kept = new Set([own["bom-ref"], ...components.map((it) => it["bom-ref"])]);
const everything = [...components, ...models()].sort((a, b) => byRef(a["bom-ref"], b["bom-ref"]));

const sbom = {
  $schema: all.$schema,
  bomFormat: all.bomFormat,
  specVersion: all.specVersion,
  version: 1,
  metadata: { component: { ...own, name, version } },
  components: everything,
  dependencies: [...dependencies]
    .filter(([ref]) => kept.has(ref))
    .map(([ref, dependsOn]) => ({ ref, dependsOn: dependsOn.filter((it) => kept.has(it)).sort(byRef) }))
    .sort((a, b) => byRef(a.ref, b.ref)),
};
process.stdout.write(`${JSON.stringify(sbom, null, 2)}\n`);
