/** The page → dist/web: one script, one style sheet, under fixed names (the server tells browsers when they change). */

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
