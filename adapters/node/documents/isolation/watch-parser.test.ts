import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { STATUS_PIPE } from "./messages.js";

const compiled = "../../../../dist.test/test/documents/processes/watched.js";
const watched = fileURLToPath(new URL(compiled, import.meta.url));

/** Why the watch ended a process that did this with its file, or how the process ended by itself. */
async function endOf(what: string): Promise<string> {
  const child = spawn(process.execPath, [watched, what], {
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
