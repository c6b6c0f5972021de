/**
 * Compiles the modules of src/kernel/assembly/ (AssemblyScript) to WASM and writes them as
 * src/kernel/wasm-bytes.ts: base64 constants, because `src/` reads no files and must run in Node
 * and browsers alike. The result is committed, so that tests and tsx need no build;
 * src/kernel/kernel.test.ts checks that a rebuild gives the same bytes.
 *
 *     node scripts/build-kernel.mjs            writes the file
 *     node scripts/build-kernel.mjs --check    exit status 1 if the file is out of date
 */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = `${root}src/kernel/wasm-bytes.ts`;
/** All that 32-bit addresses reach, in pages of 64 KiB. */
const MAX_PAGES = 65_536;

const modules = [
  { constant: "WASM_BASE64", entry: "index.ts", options: [] },
  {
    constant: "SHARED_WASM_BASE64",
    entry: "shared.ts",
    options: ["--enable=threads", "--sharedMemory", `--maximumMemory=${MAX_PAGES}`],
  },
];

async function compile({ entry, options }) {
  let bytes;
  const { error, stderr } = await asc.main(
    [
      `src/kernel/assembly/${entry}`,
      "--outFile=kernel.wasm",
      "--runtime=stub",
      "--importMemory",
      "--enable=simd",
      "--noAssert",
      "-O3",
      "--converge",
      ...options,
    ],
    {
      readFile: (name, base) => readFile(`${base ?? root}/${name}`, "utf8").catch(() => null),
      writeFile: (_name, contents) => {
        bytes = contents;
      },
      listFiles: () => [],
      baseDir: root,
    },
  );
  if (!error) return bytes;
  console.error(`${stderr}\nThe kernel's ${entry} does not compile: ${error.message}`);
  process.exit(1);
}

let source = "/** Made by scripts/build-kernel.mjs from src/kernel/assembly/; do not edit. */\n";
const sizes = [];
for (const module of modules) {
  const bytes = await compile(module);
  const base64 = Buffer.from(bytes).toString("base64");
  const lines = base64.match(/.{1,112}/g).map((line) => `  "${line}",`);
  source += `
/** assembly/${module.entry}: ${bytes.length} bytes of WASM in base64. */
export const ${module.constant}: string = [
${lines.join("\n")}
].join("");
`;
  sizes.push(`${bytes.length} bytes of ${module.entry}`);
}
if (process.argv.includes("--check")) {
  const current = await readFile(target, "utf8").catch(() => "");
  if (current !== source) {
    console.error("src/kernel/wasm-bytes.ts is out of date. Run: node scripts/build-kernel.mjs");
    process.exit(1);
  }
} else {
  await writeFile(target, source);
  console.log(`src/kernel/wasm-bytes.ts: ${sizes.join(", ")} in WASM`);
}
