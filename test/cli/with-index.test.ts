/** Commands close the index and its networks, also after an error. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import type { Io } from "../../adapters/cli/process-io.js";
import { withIndex } from "../../adapters/cli/with-index.js";
import { projectRoot, temporaryFolder, tinyModel, verbatim } from "./run-cli.js";

const flags = { index: "a.index", model: tinyModel, readerModel: join(projectRoot, "test", "golden", "tiny-reader") };

interface Closable {
  close(): Promise<void>;
}

/** @returns the names of the parts in the order in which they are closed from now on */
function closings(parts: Record<string, Closable>): string[] {
  const closed: string[] = [];
  for (const [name, part] of Object.entries(parts)) {
    const close = part.close.bind(part);
    part.close = async () => {
      closed.push(name);
      await close();
    };
  }
  return closed;
}

let io: Io;
beforeEach(async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "a.txt"), "The bell was cast by Ada Quill.");
  expect((await verbatim(["index", "a.txt", "--index", flags.index, "--quiet"], { cwd })).status).toBe(0);
  const { stdout, stderr, stdin } = process;
  io = { stdout, stderr, stdin, cwd, env: {}, signal: new AbortController().signal };
});

it("withIndex returns what the work returns, and closes index, reader and encoder in this order", async () => {
  let closed: string[] = [];
  const answers = await withIndex({ ...flags, reader: "on" }, io, async ({ index, reader, encoder }) => {
    closed = closings({ encoder, reader: reader!, index });
    return (await index.ask("Who cast the bell?", { minConfidence: 0 })).answers.length;
  });
  expect(answers).toBeGreaterThan(0);
  expect(closed).toEqual(["index", "reader", "encoder"]);
});

it("withIndex closes the index and the encoder if the work fails, and opens no reader with --reader off", async () => {
  let closed: string[] = [];
  const work = withIndex({ ...flags, reader: "off" }, io, async ({ index, reader, encoder }) => {
    expect(reader).toBeUndefined();
    closed = closings({ encoder, index });
    throw new Error("the work failed");
  });
  await expect(work).rejects.toThrow("the work failed");
  expect(closed).toEqual(["index", "encoder"]);
});
