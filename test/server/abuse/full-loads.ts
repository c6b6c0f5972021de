/** The loads of `npx tsx test/server/abuse/run.ts`, each for a process of its own. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Load } from "./loads.js";
import { batches, endlessUploads, idle, largeMetadata, none, slowBodies, slowHeaders, unread } from "./loads.js";
import { mcpBatches, mcpCalls } from "./mcp-loads.js";
import { killedWriter, records } from "./writing-loads.js";

const HTTP_LOADS: Load[] = [
  none(),
  idle(2000),
  slowHeaders(600),
  slowBodies(600),
  unread("/v1/documents/large.txt", 6, 900),
  unread("/v1/documents/large.txt", 500, 10),
  unread("/openapi.json", 300, 900),
  batches(20),
  endlessUploads(4, 1),
  largeMetadata(20, 10),
  records("jsonl", 20_000_000),
  records("csv", 20_000_000),
  killedWriter(),
];
const MCP_LOADS: Load[] = [none(), mcpBatches(10), mcpCalls("passages"), mcpCalls("resources/read")];

export type Program = "serve" | "mcp";
export const FULL_LOADS: Record<Program, Load[]> = { serve: HTTP_LOADS, mcp: MCP_LOADS };

/** The load in another process, so that its own work does not delay the client that measures. */
export function apart(program: Program, load: Load): Load {
  return {
    name: load.name,
    async start({ port, token, pid }) {
      const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
      const script = fileURLToPath(new URL("load-process.ts", import.meta.url));
      const at = FULL_LOADS[program].findIndex(({ name }) => name === load.name);
      const args = ["--import", loader, script, program, String(at), JSON.stringify({ port, token, pid })];
      const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
      const ended = once(child, "close");
      await Promise.race([once(child.stdout, "data"), ended]);
      return async () => {
        child.stdin.end();
        await ended;
      };
    },
  };
}
