import { defineConfig } from "vitest/config";

/** Hostile files against the built package: `npm run test:hostile`. Takes minutes, so it is not part of `npm test`. */
export default defineConfig({
  test: { pool: "forks", maxWorkers: 2, include: ["test/hostile/*.hostile.ts"], testTimeout: 600_000 },
});
