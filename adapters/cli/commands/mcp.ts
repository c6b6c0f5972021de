/** `verbatim mcp`: the documents as tools of an assistant (Model Context Protocol). */

import type { Readable, Writable } from "node:stream";
import { type Command, Option } from "commander";
import { wrongUse } from "../errors.js";
import {
  examples,
  indexOption,
  modelFolder,
  modelOption,
  type ReaderFlags,
  readerFolder,
  readerOptions,
  share,
  wholeNumber,
} from "../options.js";
import { type CliContext, printLine } from "../process-io.js";
import { readTokens, untilAborted } from "../serve-options.js";

export const DEFAULT_MCP_PORT = 4181;

interface McpFlags extends Pick<ReaderFlags, "reader" | "readerModel"> {
  index: string;
  http?: boolean;
  port?: number;
  host?: string;
  tokenFile?: string;
  minConfidence?: number;
  model?: string;
}

export function registerMcp(program: Command, context: CliContext): void {
  const command = program
    .command("mcp")
    .summary("tools for assistants: ask, verify quotations, find passages")
    .description(
      "Serves an index to an assistant by the Model Context Protocol, over standard input and output; with --http on a port. It only reads.",
    )
    .addOption(indexOption())
    .addOption(new Option("--http", "streamable HTTP at /mcp instead of standard input and output"))
    .addOption(
      new Option("--port <n>", `with --http: 0 takes any that is free (default: ${DEFAULT_MCP_PORT})`).argParser(
        wholeNumber(0, 65535),
      ),
    )
    .addOption(new Option("--host <name>", "with --http: address to listen on (default: 127.0.0.1)"))
    .addOption(new Option("--token-file <file>", "with --http: who may ask, as for verbatim serve"))
    .addOption(
      new Option(
        "--min-confidence <p>",
        "rather no answer than one less sure, 0 to 1 (default: the model's threshold)",
      ).argParser(share),
    )
    .addOption(modelOption());
  for (const option of readerOptions().slice(0, 2)) command.addOption(option);
  command
    .addHelpText(
      "after",
      `${examples([
        "verbatim mcp --index ./my.index                # what an assistant's configuration starts",
        "verbatim mcp --index ./my.index --http --port 4181",
      ])}\nExit status: 0 the assistant has gone, or Ctrl-C; 2 wrong use; 3 no index there, broken, or no port.\n`,
    )
    .action((flags: McpFlags) => mcp(flags, context));
}

async function mcp(flags: McpFlags, { io }: CliContext): Promise<void> {
  const { http = false, port, host, tokenFile } = flags;
  if (!http && (port ?? host ?? tokenFile) !== undefined) {
    throw wrongUse("--port, --host and --token-file are for --http.", "Add --http, or leave them out.");
  }
  const { openMcp, serveHttp, serveStdio } = await import("../../mcp/open.js");
  const { jsonLog } = await import("../../server/http/log.js");
  const tokens = await readTokens(tokenFile, io);
  const opened = await openMcp({
    index: flags.index,
    modelFolder: modelFolder(flags.model, io),
    reader: flags.reader,
    readerFolder: readerFolder(flags.readerModel, io),
    minConfidence: flags.minConfidence,
    cwd: io.cwd,
    log: jsonLog((line) => io.stderr.write(line)),
  });
  try {
    if (!http) {
      // Standard output belongs to the protocol: nothing else is ever written to it.
      const { stdin, stdout } = { stdin: io.stdin as Readable, stdout: io.stdout as unknown as Writable };
      await serveStdio(opened, { stdin, stdout, signal: io.signal });
      return;
    }
    const server = await serveHttp(opened, { host: host ?? "127.0.0.1", port: port ?? DEFAULT_MCP_PORT, tokens });
    printLine(io.stdout, `Listening on ${server.url} (Ctrl-C ends)`);
    await untilAborted(io.signal);
    await server.stop();
  } finally {
    await opened.close();
  }
}
