/**
 * Compiles the parser process and the libraries of most formats into one module per format. A
 * process that reads Markdown would otherwise find and load about a hundred packages, which takes
 * longer than reading a small folder.
 */

import { join } from "node:path";
import { defineConfig } from "vite";

const isolation = join(import.meta.dirname, "..", "adapters", "node", "documents", "isolation");

/** Each is one large module already, or optional. */
const EXTERNAL = ["unpdf", "tesseract.js-core"];

export default defineConfig({
  root: join(import.meta.dirname, ".."),
  publicDir: false,
  ssr: { noExternal: true, external: EXTERNAL, target: "node" },
  build: {
    ssr: true,
    emptyOutDir: false,
    target: "node20",
    // They must accompany the code.
    license: { fileName: "parser/licenses.md" },
    rolldownOptions: {
      input: { "parser-child": join(isolation, "parser-child.ts") },
      output: { entryFileNames: "[name].js", chunkFileNames: "parser/[name].js", minify: true },
    },
  },
});
