import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    pool: "forks",
    maxWorkers: 2,
    include: ["src/**/*.test.ts", "adapters/**/*.test.ts", "test/**/*.test.ts"],
    // tests leave the user's cache folder alone
    env: { XDG_CACHE_HOME: fileURLToPath(new URL("node_modules/.cache/tests", import.meta.url)) },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
