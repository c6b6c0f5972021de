/**
 * Child processes that start from the built `.js` and, in tests and development, from the `.ts`
 * next to it.
 */

import { type ChildProcess, fork } from "node:child_process";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

/**
 * Starts a process with an IPC channel that carries typed arrays as such (see `childEndpoint`). Its
 * standard output is discarded, its standard error is a pipe.
 * @param name  file name of the child's module without ending
 * @param nextTo  `import.meta.url` of the caller, in whose folder the module is
 * @param args  command-line arguments of the child
 */
export function startChild(name: string, nextTo: string, args: readonly string[]): ChildProcess {
  const isSource = nextTo.endsWith(".ts");
  const loader = isSource ? ["--import", pathToFileURL(createRequire(nextTo).resolve("tsx")).href] : [];
  return fork(new URL(`./${name}.${isSource ? "ts" : "js"}`, nextTo), args, {
    serialization: "advanced",
    execArgv: loader,
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
}
