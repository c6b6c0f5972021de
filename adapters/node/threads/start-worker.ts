/**
 * Worker threads that start from the built `.js` and, in tests and development, from the `.ts`
 * next to it.
 */

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Worker, type WorkerOptions } from "node:worker_threads";

/**
 * @param name  file name of the worker's module without ending
 * @param nextTo  `import.meta.url` of the caller, in whose folder the module is
 */
export function startWorker(name: string, nextTo: string, options: WorkerOptions): Worker {
  if (!nextTo.endsWith(".ts")) return new Worker(new URL(`./${name}.js`, nextTo), options);
  // Node 20 does not take a TypeScript loader into a worker by --import, so the worker registers it
  // itself. require.resolve finds the CommonJS twin, whose own paths are wrong in a worker (tsx
  // 4.23).
  const loader = pathToFileURL(
    createRequire(nextTo)
      .resolve("tsx/esm/api")
      .replace(/\.cjs$/, ".mjs"),
  ).href;
  const module = new URL(`./${name}.ts`, nextTo).href;
  const code = `import(${JSON.stringify(loader)}).then(({ register }) => { register(); return import(${JSON.stringify(module)}); });`;
  return new Worker(code, { ...options, eval: true });
}
