/**
 * Compiles src/kernel/assembly/index.ts (AssemblyScript) to WASM and writes it as
 * src/kernel/wasm-bytes.ts: a base64 constant, because `src/` reads no files and must run in Node
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
let bytes;
const { error, stderr } = await asc.main(
  [
    "src/kernel/assembly/index.ts",
    "--outFile=kernel.wasm",
    "--runtime=stub",
    "--importMemory",
    "--enable=simd",
    "--noAssert",
    "-O3",
    "--converge",
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
if (error) {
  console.error(`${stderr}\nThe kernel does not compile: ${error.message}`);
  process.exit(1);
}
const base64 = Buffer.from(bytes).toString("base64");
const lines = base64.match(/.{1,112}/g).map((line) => `  "${line}",`);
const source = `/**
 * Made by scripts/build-kernel.mjs from src/kernel/assembly/index.ts; do not edit. ${bytes.length} bytes of WASM in base64.
 */
export const WASM_BASE64: string = [
${lines.join("\n")}
].join("");
`;
if (process.argv.includes("--check")) {
  const current = await readFile(target, "utf8").catch(() => "");
  if (current !== source) {
    console.error("src/kernel/wasm-bytes.ts is out of date. Run: node scripts/build-kernel.mjs");
    process.exit(1);
  }
} else {
  await writeFile(target, source);
  console.log(`src/kernel/wasm-bytes.ts: ${bytes.length} bytes of WASM`);
}
