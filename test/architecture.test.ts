/**
 * Checks the import directions of ARCHITECTURE.md: parts of `src/` import only parts below them and no
 * runtime; adapters import `src/` and, of each other, only what is listed here.
 */

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Modules that stand alone: every part of `src/` may import them. */
const LEAVES = ["errors", "types", "serial-queue", "shared", "event-loop-turns", "load-once", "load-shared"];
/** Parts of `src/`, and which others each imports besides the leaves. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  types: [],
  errors: [],
  "event-loop-turns": [],
  "serial-queue": [],
  shared: [],
  "load-once": [],
  "load-shared": [],
  vectors: [],
  kernel: [],
  text: ["vectors"],
  encode: ["kernel", "text"],
  index: ["kernel", "vectors", "text", "encode"],
  ingest: ["text", "encode", "index"],
  search: ["kernel", "vectors", "text", "encode", "index"],
  reader: ["encode"],
  ask: ["text", "encode", "index", "search", "reader"],
  quote: ["vectors", "text", "index", "search"],
  filter: [],
  publish: ["vectors", "text", "encode", "index"],
  evaluate: ["vectors", "text"],
  api: ["kernel", "text", "encode", "index", "search", "reader", "ask", "quote", "filter", "ingest"],
};
/** The only leaf that imports another. */
const LEAF_IMPORTS: Record<string, readonly string[]> = { "load-shared": ["errors"] };

/** Parts of `adapters/`, and which other adapters each may import. */
const ADAPTER_MAY_IMPORT: Record<string, readonly string[]> = {
  rpc: [],
  node: ["rpc"],
  browser: ["rpc"],
  opensearch: [],
  server: ["rpc", "node", "opensearch"],
  mcp: ["node", "server"],
  client: [],
  cli: ["node", "server", "mcp", "opensearch"],
};

/** Libraries that run the same everywhere, so that `src/` may use them. */
const PURE_PACKAGES = ["fflate"];

/**
 * Parts of `src/index/`, and which others each may import: bytes first, then what they mean, then what changes them.
 */
const INDEX_PORTS = ["ports"];
const INDEX_READING = [...INDEX_PORTS, "format", "types", "manifest", "segment"];
const INDEX_MAY_IMPORT: Record<string, readonly string[]> = {
  ports: [],
  format: INDEX_PORTS,
  types: ["format"],
  manifest: [...INDEX_PORTS, "format"],
  segment: [...INDEX_PORTS, "format", "types", "manifest"],
  cluster: INDEX_READING,
  "open-snapshot": INDEX_READING,
  "index-info": [...INDEX_READING, "open-snapshot"],
  merge: INDEX_READING,
  write: [...INDEX_READING, "open-snapshot", "merge"],
  maintain: [...INDEX_READING, "open-snapshot", "merge", "write"],
};

/** The largest number of files in one folder under `src/` and `adapters/`, tests not counted. */
const MAX_FILES_IN_FOLDER = 25;

interface Import {
  /** Path below the project, with forward slashes. */
  from: string;
  /** As written. */
  specifier: string;
  /** Path below the project for a relative import. */
  to: string | undefined;
}

function sourcesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && !entry.name.endsWith(".test.ts"))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes(`${sep}assembly${sep}`)); // AssemblyScript: another language, no imports
}

/** Static, dynamic and `import type` imports, and re-exports. */
function importsOf(path: string): Import[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(path, "utf8"), true, true);
  return importedFiles.map(({ fileName }) => ({
    from: shown(path),
    specifier: fileName,
    to: fileName.startsWith(".") ? shown(resolve(dirname(path), fileName)) : undefined,
  }));
}

function shown(path: string): string {
  return relative(root, path).split(sep).join("/");
}

/** "src/index/write/writer.ts" → "index"; "src/api/open-index.ts" → "api". */
function partOf(path: string): string {
  return path.split("/")[1]!.replace(/\.[jt]s$/, "");
}

/** "src/index/format/bytes.ts" → "format"; "src/index/ports.ts" → "ports". */
function indexPartOf(path: string): string {
  return path.split("/")[2]!.replace(/\.[jt]s$/, "");
}

/** Whether a path is a part, as a folder or as a file. */
const isIn = (path: string, part: string): boolean => path.startsWith(`${part}/`) || path.startsWith(`${part}.`);

const arrow = ({ from, specifier }: Import): string => `${from} imports ${specifier}`;

describe("src/", () => {
  const files = sourcesIn("src");
  const imports = files.flatMap(importsOf);

  it("is found", () => {
    expect(files.length).toBeGreaterThan(20);
    expect(imports.length).toBeGreaterThan(40);
  });

  it("has only parts with a place in the order", () => {
    const unplaced = files.map(shown).filter((file) => !Object.hasOwn(MAY_IMPORT, partOf(file)));
    expect(unplaced).toEqual([]);
  });

  it("imports only in the direction of the data flow", () => {
    const wrong = imports.filter(({ from, to }) => {
      if (to === undefined || !to.startsWith("src/")) return false;
      const part = partOf(from);
      const leaves = LEAVES.includes(part) ? (LEAF_IMPORTS[part] ?? []) : LEAVES;
      return partOf(to) !== part && !MAY_IMPORT[part]!.includes(partOf(to)) && !leaves.includes(partOf(to));
    });
    expect(wrong.map(arrow)).toEqual([]);
  });

  it("uses every import that is listed, so that the lists are the structure", () => {
    const unused = Object.entries(MAY_IMPORT).flatMap(([part, others]) =>
      others
        .filter((other) => !imports.some(({ from, to = "" }) => partOf(from) === part && isIn(to, `src/${other}`)))
        .map((other) => `${part} imports nothing from ${other}`),
    );
    expect(unused).toEqual([]);
  });

  it("imports nothing from outside of src/: no runtime, no adapter, no package but the pure ones", () => {
    const wrong = imports.filter(({ to, specifier }) =>
      to === undefined ? !PURE_PACKAGES.includes(specifier) : !to.startsWith("src/"),
    );
    expect(wrong.map(arrow)).toEqual([]);
  });

  it("touches no global of one runtime", () => {
    const runtimeGlobal =
      /(?<![\w.$"'`])(process\.|Buffer\b|__dirname\b|require\(|window\.|navigator\.|localStorage\b|fetch\()/;
    const wrong = files.flatMap((file) =>
      readFileSync(file, "utf8")
        .split("\n")
        .map((line, i) => ({ line: line.replace(/\/\/.*$/, "").trim(), place: `${shown(file)}:${i + 1}` }))
        .filter(({ line }) => !/^(\*|\/\*)/.test(line) && runtimeGlobal.test(line))
        .map(({ line, place }) => `${place}: ${line}`),
    );
    expect(wrong).toEqual([]);
  });

  it("imports inside src/index only in the order of its folders", () => {
    const wrong = imports.filter(({ from, to }) => {
      if (!from.startsWith("src/index/") || to === undefined || !to.startsWith("src/index/")) return false;
      return !INDEX_MAY_IMPORT[indexPartOf(from)]?.includes(indexPartOf(to)) && indexPartOf(from) !== indexPartOf(to);
    });
    expect(wrong.map(arrow)).toEqual([]);
  });

  it("has one barrel file, the public API, that nothing in src/ imports", () => {
    expect(files.map(shown).filter((file) => file.endsWith("/index.ts"))).toEqual(["src/api/index.ts"]);
    expect(imports.filter(({ to }) => to === "src/api/index.js").map(arrow)).toEqual([]);
  });
});

describe("adapters/", () => {
  const imports = sourcesIn("adapters").flatMap(importsOf);

  it("know of each other only what is listed", () => {
    const wrong = imports.filter(({ from, to }) => {
      if (to === undefined || !to.startsWith("adapters/")) return false;
      const part = partOf(from);
      return partOf(to) !== part && !(ADAPTER_MAY_IMPORT[part] ?? []).includes(partOf(to));
    });
    expect(wrong.map(arrow)).toEqual([]);
  });

  it("import of the project only src/ and adapters/", () => {
    const wrong = imports.filter(({ to }) => to !== undefined && !/^(src|adapters)\//.test(to));
    expect(wrong.map(arrow)).toEqual([]);
  });
});

/**
 * What is loaded with a module: relative files and packages, through imports that are neither dynamic nor of types
 * alone.
 */
function loadedWith(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found;
  found.add(path);
  const source = ts.createSourceFile(path, readFileSync(join(root, path), "utf8"), ts.ScriptTarget.Latest);
  for (const statement of source.statements) {
    if (!(ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement))) continue;
    const isOfTypes = ts.isImportDeclaration(statement)
      ? statement.importClause?.isTypeOnly === true
      : statement.isTypeOnly;
    if (isOfTypes || statement.moduleSpecifier === undefined) continue;
    const specifier = (statement.moduleSpecifier as ts.StringLiteral).text;
    if (specifier.startsWith("."))
      loadedWith(shown(resolve(root, dirname(path), specifier)).replace(/\.js$/, ".ts"), found);
    else found.add(specifier);
  }
  return found;
}

describe("a program that asks or indexes", () => {
  const reading = "adapters/node/documents/read-documents.ts";

  it("loads no parser of documents when it indexes: the parser process has them", () => {
    const parsers = ["mammoth", "parse5", "unified", "yaml", "saxes", "csv-parse"];
    const loaded = loadedWith("adapters/node/ingest/index-paths.ts");
    expect(loaded).toContain(reading);
    expect(parsers.filter((name) => [...loaded].some((one) => one === name || one.startsWith(`${name}/`)))).toEqual([]);
    expect(loadedWith("adapters/node/documents/formats/md.ts")).toContain("parse5");
  });

  it.each(["adapters/node/index.ts", "adapters/server/answering/answering-worker.ts"])(
    "loads nothing that writes, checks or publishes with %s",
    (entry) => {
      const loaded = [...loadedWith(entry)];
      expect(loaded).toContain("src/api/open-index.ts");
      const unneeded =
        /^(adapters\/node\/(check|ingest|publish|watch)|src\/(ingest|publish|index\/(maintain|merge|write)))\//;
      expect(loaded.filter((path) => path === reading || unneeded.test(path))).toEqual([]);
    },
  );
});

describe("folders", () => {
  it("hold at most 25 files each under src/ and adapters/, tests not counted", () => {
    const counts = new Map<string, number>();
    for (const file of [...sourcesIn("src"), ...sourcesIn("adapters")].map(shown))
      counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
    expect(counts.size).toBeGreaterThan(20);
    expect([...counts].filter(([, files]) => files > MAX_FILES_IN_FOLDER)).toEqual([]);
  });
});
