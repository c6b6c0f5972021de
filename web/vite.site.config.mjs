/**
 * Builds the page of published sites into dist/site; page, worker and element share chunks. Names
 * contain hashes, except for `ask.js` (the element) and `sw.js`, whose addresses are written in
 * other pages. ONNX Runtime's WebAssembly is a gzipped file next to the bundle, which `verbatim
 * publish` splits into blobs.
 */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { defineConfig } from "vite";

const WASM = "ort-wasm-simd-threaded.wasm";
const FIXED = { ask: "ask.js", sw: "sw.js" };
const entry = (name) => join(import.meta.dirname, "src", "site", name);

const runtime = {
  name: "verbatim-runtime",
  /**
   * With its own address the WebAssembly would become part of the bundle. The worker passes its
   * bytes to the runtime instead.
   */
  transform(code, id) {
    if (id.includes("onnxruntime-web"))
      return code.replaceAll(`new URL("${WASM}",import.meta.url)`, `new URL("about:blank")`);
    return undefined;
  },
  generateBundle() {
    const folder = dirname(createRequire(import.meta.url).resolve("onnxruntime-web/wasm"));
    const source = gzipSync(readFileSync(join(folder, WASM)), { level: 9 });
    this.emitFile({ type: "asset", fileName: "runtime.wasm.gz", source });
  },
};

export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [runtime],
  build: {
    outDir: "../dist/site",
    emptyOutDir: true,
    target: "es2022",
    // The first versions with light-dark(). Vite's replacement for older ones would not work in the
    // element, whose colour scheme is that of the page around it.
    cssTarget: ["chrome123", "edge123", "firefox120", "safari17.5"],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      checks: { pluginTimings: false },
      input: {
        page: join(import.meta.dirname, "site.html"),
        worker: entry("worker.ts"),
        ask: entry("element.tsx"),
        sw: entry("sw.ts"),
      },
      output: {
        entryFileNames: ({ name }) => FIXED[name] ?? "assets/[name]-[hash:8].js",
        chunkFileNames: "assets/[name]-[hash:8].js",
        assetFileNames: ({ names }) =>
          names.some((name) => name.endsWith(".css")) ? "assets/[name]-[hash:8].css" : "assets/[name][extname]",
      },
    },
  },
});
