/** Starts the thread that watches a parser in its process. */

import type { Worker } from "node:worker_threads";
import { startWorker } from "../../threads/start-worker.js";
import type { ParserState } from "./parser-state.js";

/** How often the watch learns how long the parser has been idle, in milliseconds. */
const IDLE_REPORT_MS = 500;

export function startWatch(state: ParserState): Worker {
  setInterval(() => state.idle(performance.eventLoopUtilization().idle), IDLE_REPORT_MS).unref();
  return startWorker("watch-parser", import.meta.url, { workerData: state.shared });
}
