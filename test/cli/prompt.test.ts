/** `verbatim ask` at a terminal: a prompt, which Ctrl-D and Ctrl-C end. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, it, vi } from "vitest";
import { run } from "../../adapters/cli/program.js";
import { temporaryFolder, tinyModel, verbatim } from "./run-cli.js";

/** Runs `ask` at a prompt at which the keys are pressed. */
async function prompted(cwd: string, keys: string): Promise<{ status: number; stdout: string; stderr: string }> {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  let [stdout, stderr] = ["", ""];
  const echo = vi.spyOn(process.stdout, "write").mockReturnValue(true); // what readline shows of the line
  const status = await run(["ask"], {
    stdin,
    stdout: {
      isTTY: true,
      write: (text) => {
        stdout += text;
        return true;
      },
    },
    stderr: {
      write: (text) => {
        stderr += text;
        if (text.includes("Ctrl-D to quit")) setImmediate(() => stdin.write(keys));
        return true;
      },
    },
    cwd,
    env: { VERBATIM_MODEL: tinyModel, NO_COLOR: "1" },
    signal: new AbortController().signal,
  }).finally(() => echo.mockRestore());
  return { status, stdout, stderr };
}

it("Ctrl-D ends the prompt with status 0, Ctrl-C with 130, both without an error", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "mill.txt"), "The mill was built by Ines Calder in 1911.");
  await verbatim(["index", "mill.txt", "--quiet"], { cwd });
  const answered = await prompted(cwd, "who built the mill?\r\u0004");
  expect(answered.status).toBe(0);
  expect(answered.stdout).toContain("mill.txt:1");
  const stopped = await prompted(cwd, "\u0003");
  expect([stopped.status, stopped.stdout]).toEqual([130, "\n"]);
  for (const { stderr } of [answered, stopped]) expect(stderr).toMatch(/^1 documents, .+ Ctrl-D to quit\.\n$/);
});
