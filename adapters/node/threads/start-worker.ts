/** Worker threads that start from the built `.js` and, in tests and development, from the `.ts` beside it. */

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Worker, type WorkerOptions } from "node:worker_threads";

/**
 * @param name  file name of the worker's module without ending
 * @param besides  `import.meta.url` of the caller, in whose folder the module lies
 */
export function startWorker(name: string, besides: string, options: WorkerOptions): Worker {
  if (!besides.endsWith(".ts")) return new Worker(new URL(`./${name}.js`, besides), options);
  // Node 20 does not take a TypeScript loader into a worker by --import, so the worker registers it itself.
  // require.resolve finds the CommonJS twin, whose own paths are wrong in a worker (tsx 4.23).
  const loader = pathToFileURL(
    createRequire(besides)
      .resolve("tsx/esm/api")
      .replace(/\.cjs$/, ".mjs"),
  ).href;
  const module = new URL(`./${name}.ts`, besides).href;
  const code = `import(${JSON.stringify(loader)}).then(({ register }) => { register(); return import(${JSON.stringify(module)}); });`;
  return new Worker(code, { ...options, eval: true });
}
