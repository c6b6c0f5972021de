import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { temporaryFolder, verbatim } from "./run-cli.js";

const COMMANDS = "index ask watch delete info check repair compact snapshot restore".split(" ");

describe("help", () => {
  it("names every command, with examples", async () => {
    const { status, stdout, stderr } = await verbatim(["--help"], { cwd: "/" });
    expect([status, stderr]).toEqual([0, ""]);
    for (const command of COMMANDS) expect(stdout).toContain(`  ${command} `);
    expect(stdout).toContain("Examples:");
  });

  it.each(COMMANDS)("%s --help has examples and exits with 0", async (command) => {
    const { status, stdout } = await verbatim([command, "--help"], { cwd: "/" });
    expect(status).toBe(0);
    expect(stdout).toContain(`$ verbatim ${command}`);
    expect(stdout).toContain("--json");
  });

  it("of each listed command is found by its name", async () => {
    const { stdout: list } = await verbatim(["--help"], { cwd: "/" });
    const names = [...list.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name!).filter((name) => name !== "help");
    expect(names).toEqual(expect.arrayContaining([...COMMANDS, "serve", "mcp", "eval", "completion"]));
    for (const name of names) {
      const { status, stdout } = await verbatim([name, "--help"], { cwd: "/" });
      expect([status, stdout.split(" [")[0]]).toEqual([0, `Usage: verbatim ${name}`]);
    }
  });

  it("is shown as a usage error if there is no command", async () => {
    const { status, stdout, stderr } = await verbatim([], { cwd: "/" });
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("Usage: verbatim");
  });

  it("prints the version", async () => {
    const { status, stdout } = await verbatim(["--version"], { cwd: "/" });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe("usage errors: status 2, one line and a hint", () => {
  it.each([
    [["frobnicate"], /unknown command/i],
    [["index"], /missing required argument/i],
    [["index", ".", "--format", "xls"], /format/],
    [["index", ".", "--threads", "0"], /threads.*1 to/],
    [["ask", "who?", "--top-k", "0"], /top-k.*1 to/],
    [["ask", "who?", "--top-k", "ten"], /top-k/],
    [["ask", "who?", "--max-answer-tokens", "65"], /1 to 64/],
    [["ask", "who?", "--strategy", "guess"], /strategy/],
    [["ask", "who?", "--frob"], /unknown option/i],
    [["ask", "who?", "--at-least", "0"], /at-least.*1 to/],
    [["ask", "who?", "--advanced", "readerPassages=0"], /readerPassages must be an integer from 1 to 1000, not 0/],
    [["ask", "who?", "--advanced", "readerPassages=2.5"], /readerPassages must be an integer from 1 to 1000, not 2.5/],
    [["ask", "who?", "--advanced", "readBelow=2"], /from 0 to 1/],
    [["index", ".", "--lexical-first", "--level", "lexical"], /--lexical-first/],
    [["index", ".", "--index", "a1", "--to", "opensearch://localhost:9200/a"], /--index and --to cannot be combined/],
    [["upgrade", "--level", "lexical"], /level.*thin, full/],
    [["quote", "the words", "--min-words", "3"], /--min-words is for drafts/],
    [["index", ".", "--field", "year"], /field.*key=value/],
    [["index", ".", "--field", "file.folder=x"], /reserved for properties of the file/],
    [["index", ".", "--durability", "none"], /durability/],
    [["delete"], /No document was selected/],
    [["snapshot"], /missing required argument/i],
    [["restore"], /missing required argument/i],
    [["compact", "now"], /too many arguments/i],
    [["repair", "now"], /too many arguments/i],
    [["watch", "-"], /Only files and folders/],
    [["ask", ""], /question is empty/],
    [["index", ".", "--index", ""], /--index.*It is empty/],
    [["index", ""], /path.*It is empty/],
    [["watch", "notes", " "], /path.*It is empty/],
    [["serve", ""], /path.*It is empty/],
    [["serve", "--index", ""], /--index.*It is empty/],
    [["serve", "--token-file", ""], /--token-file.*It is empty/],
    [["mcp", "--http", "--token-file", ""], /--token-file.*It is empty/],
    [["index", ".", "--to", "opensearch://localhost:9200/a", "--thin-terms", "9"], /--thin-terms .* in a folder/],
    [["index", ".", "--to", "opensearch://localhost:9200/a", "--durability", "relaxed"], /--durability .* in a folder/],
    [["eval", "squad", "dev.json", "--reader-passages", "3"], /unknown option '--reader-passages'/i],
    [["eval", "squad", "dev.json", "--advanced", "candidates=3"], /unknown option '--advanced'/i],
    [["eval", "squad", "dev.json", "--budget-ms", "3"], /unknown option '--budget-ms'/i],
    [["eval", "squad", "dev.json", "--reader-model", "r"], /--reader-model requires --reader on/],
    [["publish", "--out", " "], /--out.*It is empty/],
    [["index", "own", "--index", "own"], /All paths are in the folder of the index itself/],
    [["ask", " \t "], /question is empty/],
  ])("%j", async (args, message) => {
    const { status, stdout, stderr } = await verbatim(args, { cwd: await temporaryFolder() });
    expect([status, stdout]).toEqual([2, ""]);
    const [line, hint, ...rest] = stderr.trimEnd().split("\n");
    expect(line).toMatch(/^verbatim: \S.*\.$/);
    expect(line).toMatch(message);
    expect(hint).toMatch(/^ {2}hint: \S/);
    expect(rest).toEqual([]);
  });

  it.each([
    [["index", ".", "--index"], /--index takes a folder/, /--to/],
    [["watch", ".", "--index"], /does not support `watch`/, /--to ADDRESS/],
    [["quote", "the words", "--index"], /does not support `quote`/, /verbatim copy ADDRESS DIR/],
    [["repair", "--index"], /does not support `repair`/, /--to ADDRESS/],
    [["upgrade", "--index"], /does not support `upgrade`/, /level full/],
    [["snapshot", "copy", "--index"], /does not support `snapshot`/, /verbatim copy ADDRESS DIR/],
    [["snapshot"], /A snapshot is a folder/, /verbatim copy/],
    [["restore", "copy", "--index"], /does not support `restore`/, /verbatim copy DIR ADDRESS/],
    [["restore"], /A snapshot is a folder/, /verbatim copy/],
    [["publish", "--out", "site", "--index"], /does not support `publish`/, /verbatim copy ADDRESS DIR/],
    [["mcp", "--index"], /does not support `mcp`/, /verbatim copy ADDRESS DIR/],
    [["eval", "open", "q.jsonl", "--index"], /does not support `eval open`/, /verbatim copy ADDRESS DIR/],
  ])("%j and the address of a cluster, of which no folder is made", async (args, message, hint) => {
    const cwd = await temporaryFolder();
    const { status, stdout, stderr } = await verbatim([...args, "opensearch://ana:secret@localhost:9200/notes"], {
      cwd,
    });
    expect([status, stdout]).toEqual([2, ""]);
    const [line, second] = stderr.split("\n");
    expect(line).toMatch(message);
    expect(second).toMatch(hint);
    expect(stderr).not.toContain("secret");
    expect(await readdir(cwd)).toEqual([]);
  });

  it("says how to ask a question that begins with an excluded word", async () => {
    const { status, stderr } = await verbatim(["ask", "-tower who built it?"], { cwd: await temporaryFolder() });
    expect(status).toBe(2);
    expect(stderr).toMatch(/unknown option.*\n *hint: If that is the question, write -- before it/i);
  });

  it("is an object with --json", async () => {
    const { status, stdout, stderr } = await verbatim(["ask", "", "--json"], { cwd: await temporaryFolder() });
    expect([status, stdout]).toEqual([2, ""]);
    const { error } = JSON.parse(stderr) as { error: Record<string, string> };
    expect(error.code).toBe("invalid-argument");
    expect(Object.keys(error)).toEqual(["code", "message", "hint"]);
  });

  it.each([["ask"], ["ask", "--json"]])("%j with nothing on standard input", async (...args) => {
    // The index is checked first, so its absence is reported.
    const { status } = await verbatim(args, { cwd: await temporaryFolder() });
    expect(status).toBe(3);
  });
});

describe("no index: status 3", () => {
  it.each([["ask", "who?"], ["info"], ["check"], ["delete", "a"], ["compact"], ["repair"], ["snapshot", "x"]])(
    "%j",
    async (...args) => {
      const { status, stdout, stderr } = await verbatim([...args, "--index", "./none"], {
        cwd: await temporaryFolder(),
      });
      expect([status, stdout]).toEqual([3, ""]);
      expect(stderr).toBe(
        "verbatim: There is no index in ./none.\n  hint: Create one: verbatim index PATH --index ./none\n",
      );
    },
  );

  it("suggests a command that a shell reads as meant", async () => {
    const { stderr } = await verbatim(["info", "--index", "my docs"], { cwd: await temporaryFolder() });
    expect(stderr).toBe(
      "verbatim: There is no index in my docs.\n  hint: Create one: verbatim index PATH --index 'my docs'\n",
    );
  });

  it("is an object with --json", async () => {
    const { status, stderr } = await verbatim(["ask", "who?", "--json"], { cwd: await temporaryFolder() });
    expect(status).toBe(3);
    expect((JSON.parse(stderr) as { error: { code: string } }).error.code).toBe("index-missing");
  });
});
