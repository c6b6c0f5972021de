import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { STATUS_PIPE } from "./messages.js";

const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
const watched = fileURLToPath(new URL("../../../../test/documents/processes/watched.ts", import.meta.url));

/** Why the watch ended a process that did this with its file, or how the process ended by itself. */
async function endOf(what: string): Promise<string> {
  const child = spawn(process.execPath, ["--import", loader, watched, what], {
    stdio: ["ignore", "ignore", "inherit", "ignore", "pipe"],
  });
  let status = "";
  child.stdio[STATUS_PIPE]!.on("data", (bytes: Buffer) => (status += bytes));
  const code = await new Promise((resolve) => child.on("close", resolve));
  return status.trim() || `status ${code}`;
}

describe("the watch of a parser process", () => {
  it.each([
    ["works on one part for longer than its limit", "work", "time"],
    ["waits for something that never comes", "wait", "time"],
    ["fills its memory", "allocate", "memory"],
  ])("ends a process that %s", async (_, what, reason) => {
    expect(await endOf(what)).toBe(reason);
  });

  it("leaves a process that works on many short parts", async () => {
    expect(await endOf("parts")).toBe("status 0");
  });
});
