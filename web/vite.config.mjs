/**
 * Builds the page of the server into dist/web: a script and a style sheet, and scripts that are
 * loaded with the first PDF. Names are fixed; the server sends an ETag for each.
 */

import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../dist/web",
    emptyOutDir: true,
    target: "es2022",
    cssTarget: ["chrome123", "edge123", "firefox120", "safari17.5"], // the first versions with light-dark()
    modulePreload: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        entryFileNames: "assets/page.js",
        chunkFileNames: "assets/[name].js",
        assetFileNames: ({ names }) =>
          names.some((it) => it.endsWith(".css")) ? "assets/page.css" : "assets/[name][extname]",
      },
    },
  },
});
