/**
 * The software bill of materials is complete, has a hash for everything, and does not change from
 * run to run.
 */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { projectRoot } from "../cli/run-cli.js";

interface Component {
  "bom-ref": string;
  type: string;
  name: string;
  version?: string;
  hashes?: { alg: string; content: string }[];
  components?: Component[];
}

const print = (): string => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(projectRoot, "scripts", "sbom.mjs")], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  expect(status, stderr).toBe(0);
  return stdout;
};

it("the bill of materials lists what the package contains and needs, each with its hash", () => {
  const text = print();
  expect(print()).toBe(text);
  const { bomFormat, components, metadata } = JSON.parse(text) as {
    bomFormat: string;
    components: Component[];
    metadata: { component: Component };
  };
  const own = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
  expect([bomFormat, metadata.component.name, metadata.component.version]).toEqual([
    "CycloneDX",
    own.name,
    own.version,
  ]);
  const versions = new Map(components.map((it) => [it.name, it.version]));
  for (const [name, version] of Object.entries(own.dependencies)) expect(versions.get(name), name).toBe(version);
  for (const name of ["preact", "pdfjs-dist"]) expect(versions.get(name), name).toBe(own.devDependencies[name]);
  for (const name of ["vitest", "typescript", "playwright-core", "@napi-rs/canvas", "canvas"])
    expect(versions.has(name), name).toBe(false);
  const models = components.filter((it) => it.type === "machine-learning-model");
  expect(models.map((it) => it.name)).toEqual([
    "verbatim-en",
    "verbatim-multi",
    "verbatim-reader-en",
    "verbatim-reader-multi",
  ]);
  for (const component of [...components, ...models.flatMap((it) => it.components!)])
    if (component.type !== "machine-learning-model") expect(component.hashes, component["bom-ref"]).toHaveLength(1);
  const [encoder] = models[0]!.components!.filter((it) => it.name === "encoder.onnx");
  const bytes = readFileSync(join(projectRoot, "models", "verbatim-en", "encoder.onnx"));
  expect(encoder!.hashes![0]!.content).toBe(createHash("sha256").update(bytes).digest("hex"));
});
