/** Parsers that fail: the file is reported, and the others are read. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ParserPool } from "../../adapters/node/documents/isolation/parser-pool.js";
import { indexPaths } from "../../adapters/node/index.js";
import { VerbatimError } from "../../src/errors.js";
import { tinyModel } from "../cli/run-cli.js";
import { parseHere, readContent, TestFolder } from "./fixtures/folder.js";

const thrown = vi.hoisted(() => ({ error: undefined as unknown }));
/** In this process only: parser processes have the real one. */
vi.mock("../../adapters/node/documents/formats/office/rtf.js", () => ({
  readRtf: () => {
    throw thrown.error;
  },
}));

afterEach(() => {
  vi.unstubAllEnvs();
});

async function parse(name: string, content: string): ReturnType<typeof parseHere> {
  const folder = await new TestFolder().write({ [name]: content });
  try {
    return await parseHere(folder.input(name));
  } finally {
    folder.remove();
  }
}

describe("an exception of a parser", () => {
  it("is one line for the file, with the stack only for debugging", async () => {
    thrown.error = new TypeError("x is not a function");
    const skip = { source: "a.rtf", code: "unreadable-document", reason: "cannot be read: its parser failed" };
    const { documents, skips } = await parse("a.rtf", "{\\rtf1 x}");
    expect(documents).toEqual([]);
    expect(skips).toEqual([{ ...skip, hint: "Save it again, or convert it to plain text." }]);
    vi.stubEnv("VERBATIM_DEBUG", "1");
    const hint = expect.stringMatching(/TypeError: x is not a function\n\s+at .*parser-failures/) as string;
    expect((await parse("a.rtf", "{\\rtf1 x}")).skips).toEqual([{ ...skip, hint }]);
  });

  it("on an attachment leaves the message", async () => {
    thrown.error = new TypeError("x is not a function");
    const mail =
      "From: a@example.org\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\nThe pump is red.\n" +
      '--x\nContent-Disposition: attachment; filename="a.rtf"\n\n{\\rtf1 x}\n--x--\n';
    const { documents, skips } = await parse("a.eml", mail);
    expect(documents.map(({ text }) => text)).toEqual([expect.stringContaining("The pump is red.")]);
    expect(skips.map(({ reason }) => reason)).toEqual(["attachment a.rtf cannot be read: its parser failed"]);
  });

  it.each([
    ["stop", new VerbatimError("aborted", "The operation was stopped.")],
    ["abort", new DOMException("stopped", "AbortError")],
    ["error of the program", new VerbatimError("internal", "Internal error")],
    ["lack of memory", new RangeError("WebAssembly.Memory(): could not allocate memory")],
  ])("that is a %s ends the run", async (_what, error) => {
    thrown.error = error;
    await expect(parse("a.rtf", "{\\rtf1 x}")).rejects.toBe(error);
  });

  it("leaves an error of the content alone", async () => {
    const folder = await new TestFolder().write({ "a.jsonl": '{"text":"x"}\n' });
    const error = new TypeError("not the parser's");
    async function* content(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(2 * 1024 * 1024).fill(0x20);
      throw error;
    }
    await expect(parseHere(folder.input("a.jsonl"), { content: content() })).rejects.toBe(error);
    folder.remove();
  });

  it("does not end an index run", async () => {
    const cwd = await mkdtemp(join(tmpdir(), "verbatim-parser-"));
    const breaks = join(cwd, "breaks.mjs");
    await writeFile(
      breaks,
      `const { trimStart } = String.prototype;
      String.prototype.trimStart = function () {
        if (this.includes("breaks its parser")) throw new TypeError("made by the test");
        return trimStart.call(this);
      };`,
    );
    const folder = await new TestFolder().write({
      "a.txt": "The bell rings at noon.\n",
      "b.rtf": "{\\rtf1 It breaks its parser.}",
      "c.rtf": "{\\rtf1 The pump is red.}",
    });
    vi.stubEnv("NODE_OPTIONS", `--import=${breaks}`);
    const parsers = new ParserPool();
    try {
      const options = { cwd, index: join(cwd, "index"), modelFolder: tinyModel, level: "lexical", parsers } as const;
      const { documents, skips } = await indexPaths([folder.path], options);
      expect(documents).toBe(2);
      expect(skips).toMatchObject([
        { source: join(folder.path, "b.rtf"), reason: "cannot be read: its parser failed" },
      ]);
    } finally {
      parsers.close();
      folder.remove();
      await rm(cwd, { recursive: true });
    }
  });
});

describe("names that every object has", () => {
  it.each([
    ["a.rtf", String.raw`{\rtf1 \toString a\constructor b\par}`, "ab"],
    ["a.adoc", "The {valueOf} and {toString} are {constructor}.\n", "The {valueOf} and {toString} are {constructor}."],
  ])("are plain words in %s", async (name, content, text) => {
    const { documents, skips } = await readContent(name, content);
    expect(skips).toEqual([]);
    expect(documents[0]!.text.trim()).toBe(text);
  });
});
