/** What goes wrong with files: each gives one line with the next step, and nothing is thrown. */

import { appendFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SkippedInput } from "../../adapters/node/documents/input.js";
import { readLimits } from "../../adapters/node/documents/limits.js";
import { parseInput } from "../../adapters/node/documents/parse-input.js";
import { type ReadOptions, readDocuments } from "../../adapters/node/documents/read-documents.js";
import { isRoot, parseHere, read, readContent, readSkip, TestFolder } from "./fixtures/folder.js";

const MIB = 1024 * 1024;

describe("empty", () => {
  it.each(["a.txt", "a.md", "a.html", "a.csv", "a.jsonl", "a.json", "a.pdf", "a.docx", "a.epub", "a"])(
    "%s",
    async (name) => {
      expect(await readSkip(name, "")).toMatchObject({
        source: name,
        reason: "has no text",
        code: "unreadable-document",
      });
    },
  );

  it("is what has only white space, or marks without text", async () => {
    expect((await readSkip("a.txt", " \n\t\r\n\u3000")).reason).toBe("has no text");
    expect((await readSkip("a.txt", "\ufeff")).reason).toBe("has no text");
    expect((await readSkip("a.md", "---\ntitle: x\n---\n")).reason).toBe("has no text");
    expect((await readSkip("a.html", "<script>x</script>")).reason).toBe("has no text");
    expect((await readSkip("a.txt.gz", gzipSync(""))).reason).toBe("has no text");
  });
});

describe("binary data", () => {
  const random = Uint8Array.from({ length: 5000 }, (_, i) => Math.imul(i + 1, 2654435761) >>> 24);

  it.each([
    ["NULs", Buffer.from("some text\0\0\0more")],
    ["random bytes", random],
    ["control characters", Buffer.from("\x01\x02\x03abc".repeat(10))],
    ["UTF-16 of control characters", Buffer.from("\ufeff\x01\x02\x03a".repeat(9), "utf16le")],
  ])("of %s in a .txt is reported", async (_name, bytes) => {
    expect(await readSkip("a.txt", bytes)).toMatchObject({
      reason: "is binary, not text",
      code: "unsupported-document",
    });
  });

  it.each([
    ["PDF", "%PDF-1.7\n", /--format pdf/],
    ["PNG image", "\x89PNG\r\n", /Leave it out/],
    ["old Office", "\xd0\xcf\x11\xe0", /Save it as/],
    ["gzip", "\x1f\x8b\x08", /\.gz/],
    ["RTF", "{\\rtf1 x}", /--format rtf/],
  ])("that is %s in a .txt says so", async (name, start, hint) => {
    const skip = await readSkip("a.txt", Buffer.from(start, "latin1"));
    expect(skip.reason).toContain(`it holds ${name}`);
    expect(skip.hint).toMatch(hint);
  });

  it("is reported for every text format and by content", async () => {
    for (const name of ["a.md", "a.html", "a.csv", "a.jsonl", "a.json", "a", "a.bin"]) {
      expect([name, (await readSkip(name, random)).code]).toEqual([name, "unsupported-document"]);
    }
    expect((await readSkip("picture", Buffer.from("GIF89a", "latin1"))).reason).toMatch(/GIF image/);
    expect(await readSkip("a.xls", Buffer.from("d0cf11e0a1b11ae1", "hex"))).toMatchObject({
      reason: "is an old Excel file",
      hint: "Save it as .xlsx.",
    });
  });

  it.each(["a.css", "a.eps", "a.ps", "a.js.map", "a.msg"])(
    "is reported for %s, which holds no text to read",
    async (name) => {
      expect(await readSkip(name, "p { color: red }")).toMatchObject({
        code: "unsupported-document",
        hint: expect.not.stringContaining("docx"),
      });
    },
  );

  it("of a PDF is not read as text even on request", async () => {
    expect((await readSkip("a.pdf", "%PDF-1.7\n", { format: "txt" })).reason).toMatch(/PDF data/);
  });
});

describe("gzip", () => {
  const records = Array.from({ length: 20_000 }, (_, i) => JSON.stringify({ id: i, text: `text ${Math.sin(i)}` })).join(
    "\n",
  );

  it("that is cut off: what came before is read, and it is reported", async () => {
    const whole = gzipSync(records);
    const { documents, skips } = await readContent("a.jsonl.gz", whole.subarray(0, whole.length / 2));
    expect(documents.length).toBeGreaterThan(1000);
    expect(skips.at(-1)).toMatchObject({ reason: "is a gzip file that was cut off", hint: expect.any(String) });
    expect((await readSkip("a.txt.gz", whole.subarray(0, whole.length / 2))).reason).toBe(
      "is a gzip file that was cut off",
    );
  });

  it("that is damaged, or no gzip at all", async () => {
    const damaged = Buffer.from(gzipSync(records));
    damaged.fill(0xff, 100, 200);
    expect((await readSkip("a.txt.gz", damaged)).reason).toBe("is a damaged gzip file");
    expect((await readSkip("a.txt.gz", "plain")).reason).toBe("is not gzip data");
  });

  it("that is a bomb is stopped by its ratio, or by its size", async () => {
    const bomb = gzipSync(Buffer.alloc(60 * MIB, " "));
    expect((await readSkip("a.txt.gz", bomb)).reason).toMatch(/^looks like a gzip bomb/);
    const small = { limits: { inflateRatioFromBytes: MIB } };
    expect((await readSkip("a.jsonl.gz", gzipSync(Buffer.alloc(4 * MIB, " ")), small)).reason).toMatch(
      /^looks like a gzip bomb/,
    );
    expect((await readSkip("a.txt.gz", gzipSync(records), { limits: { maxFileBytes: 1000 } })).reason).toMatch(
      /^is larger than/,
    );
    const { skips } = await readContent("a.jsonl.gz", gzipSync(records), { limits: { maxInflatedBytes: 100_000 } });
    expect(skips.at(-1)!.reason).toMatch(/^unpacks to more than/);
  });

  it("around something else than text", async () => {
    expect((await readSkip("a.pdf.gz", gzipSync("%PDF-1.4"))).reason).toBe("is a .gz of something other than text");
    expect((await readSkip("a.tar.gz", gzipSync(Buffer.alloc(1024)))).code).toBe("unsupported-document");
  });
});

describe("a file", () => {
  let folder: TestFolder;
  beforeEach(() => {
    folder = new TestFolder();
  });
  afterEach(() => folder.remove());

  it("that vanished before it was read", async () => {
    await folder.write({ "a.txt": "x" });
    const input = folder.input("a.txt");
    rmSync(input.absolutePath);
    expect((await read(input)).skips).toMatchObject([
      { source: "a.txt", code: "unreadable-document", reason: "vanished before it was read", hint: expect.any(String) },
    ]);
  });

  it.each([
    ["grows", "changed", (path: string) => appendFileSync(path, "more")],
    ["is rewritten with the same length", "changed", (path: string) => writeFileSync(path, "y".repeat(3 * MIB))],
    [
      "is replaced",
      "changed",
      (path: string) => {
        writeFileSync(`${path}.new`, "z");
        renameSync(`${path}.new`, path);
      },
    ],
    ["vanishes", "vanished", (path: string) => rmSync(path)],
  ])("that %s while it is read", async (_name, reason, change) => {
    await folder.write({ "a.txt": "x".repeat(3 * MIB) });
    const input = folder.input("a.txt");
    let changed = false;
    const { documents, skips } = await parseHere(input, {
      onProgress: () => {
        if (!changed) change(input.absolutePath);
        changed = true;
      },
    });
    expect(documents).toEqual([]);
    expect(skips).toMatchObject([
      { reason: `${reason} while it was read`, hint: expect.stringMatching(/Run the command again/) },
    ]);
  });

  it("of JSON lines that changes while it is read is reported at its end", async () => {
    await folder.write({ "a.jsonl": '{"text":"x"}\n'.repeat(5000) });
    const input = folder.input("a.jsonl");
    const skips: SkippedInput[] = [];
    let count = 0;
    const options = { limits: readLimits(), onSkip: (skip: SkippedInput) => skips.push(skip) };
    for await (const _ of parseInput(input, options)) {
      if (count++ === 0) appendFileSync(input.absolutePath, '{"text":"y"}\n');
    }
    expect(skips).toMatchObject([{ reason: "changed while it was read" }]);
  });

  it("that is a folder by now", async () => {
    await folder.write({ "a.txt": "x" });
    const input = folder.input("a.txt");
    rmSync(input.absolutePath);
    await mkdir(input.absolutePath);
    expect((await read(input)).skips).toMatchObject([{ reason: "is not a regular file" }]);
  });

  it("that became a symlink after it was listed is not followed", async () => {
    const outside = await new TestFolder().write({ "secret.txt": "alpha bravo" });
    await folder.write({ "a.txt": "x", "b.txt": "y" });
    const { inputs } = await folder.list(".");
    rmSync(join(folder.path, "a.txt"));
    symlinkSync(join(outside.path, "secret.txt"), join(folder.path, "a.txt"));
    const { documents, skips } = await read(inputs[0]!);
    expect(documents).toEqual([]);
    expect(skips).toMatchObject([{ source: "a.txt", reason: "became a symlink after it was listed" }]);
    outside.remove();
  });

  it("whose folder became a symlink after it was listed is not read", async () => {
    const outside = await new TestFolder().write({ "a.txt": "alpha bravo" });
    await folder.write({ "d/a.txt": "x" });
    const { inputs } = await folder.list(".");
    rmSync(join(folder.path, "d"), { recursive: true });
    symlinkSync(outside.path, join(folder.path, "d"));
    const { documents, skips } = await read(inputs[0]!);
    expect(documents).toEqual([]);
    expect(skips).toMatchObject([{ reason: "was replaced by another file after it was listed" }]);
    outside.remove();
  });

  it("that was saved again after it was listed is read", async () => {
    await folder.write({ "a.txt": "old", "a.new": "new" });
    const { inputs } = await folder.list("a.txt");
    renameSync(join(folder.path, "a.new"), join(folder.path, "a.txt"));
    expect((await read(inputs[0]!)).documents[0]!.text).toBe("new");
  });

  it.skipIf(isRoot)("that may not be read", async () => {
    await folder.write({ "a.txt": "x" });
    await chmod(join(folder.path, "a.txt"), 0);
    expect((await read(folder.input("a.txt"))).skips).toMatchObject([
      { code: "permission-denied", reason: "cannot be read: no permission", hint: expect.any(String) },
    ]);
  });

  it("beyond a limit", async () => {
    await folder.write({ "a.txt": "x".repeat(2000), "a.md": "x".repeat(2000) });
    const reason = async (name: string, limits: ReadOptions["limits"]) =>
      (await read(folder.input(name), { limits })).skips[0]!.reason;
    expect(await reason("a.txt", { maxFileBytes: 1000 })).toBe("is larger than 1 kB");
    expect(await reason("a.txt", { maxTextUnits: 1000 })).toBe("has more than 1000 characters of text");
    expect(await reason("a.md", { maxMarkupBytes: 1000 })).toBe("is larger than 1 kB");
    expect(await reason("a.md", { maxTextUnits: 1000 })).toBe("has more than 1000 characters of text");
  });

  it("of 100 MB of text is read, in memory of a few times its size", async () => {
    const line = `${"The observatory was founded by Ines Calder in 1911. ".repeat(20)}\n`;
    const count = Math.ceil((100 * MIB) / line.length);
    await folder.write({ "a.txt": line.repeat(count) });
    const before = process.memoryUsage().rss;
    let peak = before;
    const { documents, skips } = await read(folder.input("a.txt"), {
      onProgress: () => {
        peak = Math.max(peak, process.memoryUsage().rss);
      },
    });
    peak = Math.max(peak, process.memoryUsage().rss);
    expect(skips).toEqual([]);
    expect(documents[0]!.text.length).toBe(line.length * count);
    expect(peak - before).toBeLessThan(600 * MIB);
  });

  it("named with --format is read by that reader", async () => {
    await folder.write({ "a.dat": '{"id":"1","text":"x"}\n', "b.txt": "# T\n\nx" });
    expect((await read(folder.input("a.dat"), { format: "jsonl" })).documents[0]!.id).toBe("1");
    expect((await read(folder.input("b.txt"), { format: "md" })).documents[0]!.title).toBe("T");
  });
});

describe("the signal", () => {
  it("stops before and while reading, and a silent standard input", async () => {
    const folder = await new TestFolder().write({ "a.jsonl": '{"text":"x"}\n'.repeat(10) });
    await expect(read(folder.input("a.jsonl"), { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "aborted",
    });
    const stop = new AbortController();
    const run = async () => {
      for await (const _ of readDocuments(folder.input("a.jsonl"), { signal: stop.signal, onSkip() {} })) stop.abort();
    };
    await expect(run()).rejects.toMatchObject({ code: "aborted" });
    const silent = {
      [Symbol.asyncIterator]: () => ({ next: () => new Promise<IteratorResult<Uint8Array>>(() => {}) }),
    };
    const input = { path: "-", absolutePath: "-", id: "stdin", size: 0, mtimeMs: 0 };
    await expect(read(input, { content: silent, signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
      code: "aborted",
    });
    folder.remove();
  });
});

describe("errors that are not the input's fault", () => {
  it("are thrown", async () => {
    const folder = await new TestFolder().write({ "a.txt": "" });
    const fault = new TypeError("fault of the caller");
    const run = read(folder.input("a.txt"), {
      onSkip: () => {
        throw fault;
      },
    });
    await expect(run).rejects.toBe(fault);
    folder.remove();
  });
});
