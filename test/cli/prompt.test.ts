/** `verbatim ask` at a terminal: a prompt, which Ctrl-D and Ctrl-C end. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, it, vi } from "vitest";
import { run } from "../../adapters/cli/program.js";
import { temporaryFolder, tinyModel, verbatim } from "./run-cli.js";

interface Prompted {
  status: number;
  stdout: string;
  stderr: string;
  /** What readline printed to standard output and to standard error: the prompt and the keys. */
  echoed: { stdout: string; stderr: string };
}

/** Runs `ask` at a prompt at which the keys are pressed. @param options.isPiped  standard output is no terminal */
async function prompted(cwd: string, keys: string, { isPiped = false, args = [] as string[] } = {}): Promise<Prompted> {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  let [stdout, stderr] = ["", ""];
  const echoed = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      echoed[name] += String(text);
      return true;
    }),
  );
  const status = await run(["ask", ...args], {
    stdin,
    stdout: {
      isTTY: !isPiped,
      write: (text) => {
        stdout += text;
        return true;
      },
    },
    stderr: {
      isTTY: true,
      write: (text) => {
        stderr += text;
        if (text.includes("Ctrl-D to quit")) setImmediate(() => stdin.write(keys));
        return true;
      },
    },
    cwd,
    env: { VERBATIM_MODEL: tinyModel, NO_COLOR: "1" },
    signal: new AbortController().signal,
  }).finally(() => {
    for (const spy of spies) spy.mockRestore();
  });
  return { status, stdout, stderr, echoed };
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

it("a file gets only the answers: the prompt and what is typed go to standard error", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "mill.txt"), "The mill was built by Ines Calder in 1911.");
  await verbatim(["index", "mill.txt", "--quiet"], { cwd });
  const args = ["--json", "--min-confidence", "0"];
  const { status, stdout, echoed } = await prompted(cwd, "who built the mill?\r\u0004", { isPiped: true, args });
  expect(status).toBe(0);
  expect(stdout.split("\n").map((line) => line && JSON.parse(line).question)).toEqual(["who built the mill?", ""]);
  expect(echoed.stdout).toBe("");
  for (const shown of ["? ", "who built the mill?"]) expect(echoed.stderr).toContain(shown);
});
