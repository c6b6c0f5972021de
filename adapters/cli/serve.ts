/** `verbatim serve`: the documents on a page, and as an API. */

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { type CliContext, type Io, printLine } from "./io.js";
import { examples, indexOption, modelFolder, modelOption, wholeNumber } from "./options.js";

export const DEFAULT_PORT = 4180;

interface ServeFlags {
  index: string;
  port: number;
  host: string;
  tokenFile?: string;
  readOnly?: boolean;
  cors?: string[];
  model?: string;
}

export function registerServe(program: Command, context: CliContext): void {
  program
    .command("serve")
    .summary("a page to ask on, and an HTTP API")
    .description(
      "Serves the index on a page and as an API, to this machine only unless told otherwise. With paths: takes them in first, while it already answers.",
    )
    .argument("[path...]", "files and folders, as for verbatim index")
    .addOption(indexOption())
    .addOption(
      new Option("--port <n>", "0 takes any that is free").argParser(wholeNumber(0, 65535)).default(DEFAULT_PORT),
    )
    .addOption(
      new Option("--host <name>", "address to listen on; others than this machine's need a token file").default(
        "127.0.0.1",
      ),
    )
    .addOption(
      new Option("--token-file <file>", "who may ask and write: a scope (ask, write, admin) and a token a line"),
    )
    .addOption(new Option("--read-only", "nothing can be sent or deleted"))
    .addOption(new Option("--cors <origin...>", "other sites whose pages may ask"))
    .addOption(modelOption())
    .addHelpText(
      "after",
      `${examples([
        "verbatim serve ./docs",
        "verbatim serve --index ./my.index --read-only --port 8080",
        "verbatim serve --index ./my.index --host 0.0.0.0 --token-file tokens.txt",
      ])}\nThe log goes to standard error, one JSON object a line. Exit status: 0 ended by Ctrl-C or SIGTERM, 2 wrong use, 3 broken index or no port.\n`,
    )
    .action((paths: string[], flags: ServeFlags) => serveIndex(paths, flags, context));
}

async function serveIndex(paths: string[], flags: ServeFlags, { io }: CliContext): Promise<void> {
  const { serve } = await import("../server/server.js");
  const { jsonLog } = await import("../server/log.js");
  const server = await serve({
    paths,
    index: flags.index,
    host: flags.host,
    port: flags.port,
    tokens: await tokensOf(flags, io),
    readOnly: flags.readOnly ?? false,
    cors: flags.cors ?? [],
    modelFolder: modelFolder(flags.model, io),
    cwd: io.cwd,
    log: jsonLog((line) => io.stderr.write(line)),
  });
  const { url, token } = server;
  // After the # it stays in the browser: no log and no other site sees it.
  printLine(io.stdout, `Open ${url}${token === undefined ? "" : `#token=${token}`} (Ctrl-C ends)`);
  await new Promise<void>((done) => {
    if (io.signal.aborted) done();
    else io.signal.addEventListener("abort", () => done(), { once: true });
  });
  await server.stop();
}

async function tokensOf({ tokenFile }: ServeFlags, io: Io) {
  if (tokenFile === undefined) return undefined;
  const { Tokens } = await import("../server/security/tokens.js");
  return Tokens.parse(await readFile(resolve(io.cwd, tokenFile), "utf8"));
}
