import { defineConfig } from "vitest/config";

/**
 * Tests against a cluster of three nodes: npm run test:opensearch. One file after the other, for they share it, and
 * the last kills its nodes.
 */
export default defineConfig({
  test: {
    pool: "forks",
    maxWorkers: 1,
    fileParallelism: false,
    include: ["test/opensearch/*.cluster.ts"],
    globalSetup: ["test/opensearch/setup.ts"],
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
