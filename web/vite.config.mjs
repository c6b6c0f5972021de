/**
 * Builds the page of the server into dist/web: one script and one style sheet with fixed names; the
 * server sends an ETag for each.
 */

import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../dist/web",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      output: { entryFileNames: "assets/page.js", assetFileNames: "assets/page.[ext]" },
    },
  },
});
