/** `verbatim mcp`: serves an index as tools for assistants (Model Context Protocol). */

import type { Readable, Writable } from "node:stream";
import { type Command, Option } from "commander";
import { untilAborted } from "../../server/until-aborted.js";
import { wrongUse } from "../errors.js";
import { examples, indexOption, modelOption, notEmpty, wholeNumber } from "../options.js";
import { type CliContext, printLine } from "../process-io.js";
import { readTokens, type ServerFlags, serverOptions, serverSettings } from "../serve-options.js";

const DEFAULT_MCP_PORT = 4181;

interface McpFlags extends ServerFlags {
  http?: boolean;
  port?: number;
  host?: string;
}

export function registerMcp(program: Command, context: CliContext): void {
  const command = program
    .command("mcp")
    .summary("tools for assistants: ask, verify quotations, find passages")
    .description(
      "Serves an index to an assistant over the Model Context Protocol, on standard input and output or, with --http, on a port. Read-only.",
    )
    .addOption(indexOption("mcp"))
    .addOption(new Option("--http", "serve streamable HTTP at /mcp instead of standard input and output"))
    .addOption(
      new Option("--port <n>", `with --http: port; 0 chooses a free one (default: ${DEFAULT_MCP_PORT})`).argParser(
        wholeNumber(0, 65535),
      ),
    )
    .addOption(new Option("--host <name>", "with --http: address to listen on (default: 127.0.0.1)"))
    .addOption(
      new Option("--token-file <file>", "with --http: file of tokens, as for verbatim serve").argParser(notEmpty),
    );
  for (const option of serverOptions(modelOption())) command.addOption(option);
  command
    .addHelpText(
      "after",
      `${examples([
        "verbatim mcp --index ./my.index                # the command for an assistant's configuration",
        "verbatim mcp --index ./my.index --http --port 4181",
      ])}\nExit status: 0 the assistant disconnected, or Ctrl-C; 2 usage error; 3 missing or unusable index, or port taken.\n`,
    )
    .action((flags: McpFlags) => mcp(flags, context));
}

async function mcp(flags: McpFlags, { io }: CliContext): Promise<void> {
  const { http = false, port, host, tokenFile } = flags;
  if (!http && (port ?? host ?? tokenFile) !== undefined) {
    throw wrongUse("--port, --host and --token-file require --http.", "Add --http, or remove them.");
  }
  const { openMcp, serveHttp } = await import("../../mcp/open.js");
  const { jsonLog } = await import("../../server/http/log.js");
  const tokens = await readTokens(tokenFile, io);
  const opened = await openMcp({
    ...serverSettings(flags, io),
    redactsPaths: http,
    log: jsonLog((line) => io.stderr.write(line)),
  });
  try {
    if (!http) {
      // Standard output is reserved for the protocol.
      const { stdin, stdout } = { stdin: io.stdin as Readable, stdout: io.stdout as unknown as Writable };
      const { serveStdio } = await import("../../mcp/stdio.js");
      await serveStdio(opened.parts, { stdin, stdout, signal: io.signal });
      return;
    }
    const server = await serveHttp(opened, { host: host ?? "127.0.0.1", port: port ?? DEFAULT_MCP_PORT, tokens });
    printLine(io.stdout, `Listening on ${server.url} (Ctrl-C to stop)`);
    await untilAborted(io.signal);
    await server.stop();
  } finally {
    await opened.close();
  }
}
