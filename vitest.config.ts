import { fileURLToPath, pathToFileURL } from "node:url";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL(".", import.meta.url));

/** Has adapters start their threads and processes from dist.test/, as a user's start from dist/. */
const compiledThreads: Plugin = {
  name: "compiled-threads",
  enforce: "pre",
  transform(code, id) {
    if (!id.startsWith(`${root}adapters/`) || id.endsWith(".test.ts")) return;
    if (!/startWorker\("|startChild\("|fork\(/.test(code)) return;
    const compiled = id.replace(root, `${root}dist.test/`).replace(/\.ts$/, ".js");
    return code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(compiled).href));
  },
};

/**
 * Tests that start whole programs or load large models, where a process of their own costs little,
 * and those that replace modules or globals of their process, or measure its memory.
 */
const ALONE = [
  "adapters/server/security/tokens.test.ts",
  "test/{bench,e2e,faults,format,languages,parity,patterns,web}/**/*.test.ts",
  "test/documents/bad-input.test.ts",
  "test/server/{abuse/abuse,crossings}.test.ts",
];
const globalSetup = ["test/support/temporary-files.ts", "test/support/compile-threads.ts"];

export default defineConfig({
  plugins: [compiledThreads],
  test: {
    pool: "forks",
    // tests wait for processes a fifth of the time: three workers keep two cores busy
    maxWorkers: 3,
    // Node.js 20 aborts a process when a worker thread ends while V8 compiles for it in the background
    // (NodePlatform::ForIsolate: "Assertion failed: (data.first) != nullptr")
    execArgv: ["--no-concurrent-recompilation"],
    // tests leave the user's cache folder alone
    env: { XDG_CACHE_HOME: fileURLToPath(new URL("node_modules/.cache/tests", import.meta.url)) },
    // only what hangs takes this long: a busy machine may need a minute for what takes a second
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    projects: [
      // a process loads each module once, not once per file
      { extends: true, test: { name: "src", include: ["src/**/*.test.ts"], isolate: false } },
      {
        extends: true,
        test: {
          ...{ name: "rest", include: ["adapters/**/*.test.ts", "test/**/*.test.ts"], exclude: ALONE },
          ...{ isolate: false, globalSetup },
        },
      },
      { extends: true, test: { name: "alone", include: ALONE, globalSetup } },
    ],
  },
});
