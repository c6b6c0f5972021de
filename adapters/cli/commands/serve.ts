/** `verbatim serve`: a web page and an HTTP API. */

import { type Command, Option } from "commander";
import { untilAborted } from "../../server/until-aborted.js";
import { anyIndexOption, examples, modelOption, noneEmpty, notEmpty, wholeNumber } from "../options.js";
import { type CliContext, type Io, printLine } from "../process-io.js";
import { readTokens, type ServerFlags, serverOptions, serverSettings } from "../serve-options.js";

const DEFAULT_PORT = 4180;

interface ServeFlags extends ServerFlags {
  port: number;
  host: string;
  readOnly?: boolean;
  cors?: string[];
  threads?: number;
  watch?: boolean;
  open?: boolean;
  originals?: boolean;
  json?: boolean;
}

export function registerServe(program: Command, context: CliContext): void {
  const command = program
    .command("serve")
    .summary("run a web page and an HTTP API")
    .description(
      "Answers questions about an index on a web page and over an HTTP API, by default only for this machine. If you name paths, it indexes them, follows their changes, and answers meanwhile.",
    )
    .argument("[path...]", "files and folders, as for verbatim index", noneEmpty)
    .addOption(anyIndexOption())
    .addOption(
      new Option("--port <n>", "port; 0 chooses a free one").argParser(wholeNumber(0, 65535)).default(DEFAULT_PORT),
    )
    .addOption(
      new Option("--host <name>", "address to listen on; anything but this machine requires a token file").default(
        "127.0.0.1",
      ),
    )
    .addOption(
      new Option("--token-file <file>", "file of tokens: a scope (ask, write, admin) and a token per line").argParser(
        notEmpty,
      ),
    )
    .addOption(new Option("--read-only", "do not let callers add or delete documents"))
    .addOption(new Option("--cors <origin...>", "other origins whose pages may send requests"))
    .addOption(
      new Option("--threads <n>", "answering threads (default: one per core, at most 4)").argParser(wholeNumber(1, 64)),
    )
    .addOption(new Option("--watch", "follow changes in the paths (default for files and folders)"))
    .addOption(new Option("--no-watch", "index the paths once"))
    .addOption(new Option("--open", "open the page in the browser (default on a local terminal)"))
    .addOption(new Option("--no-open", "only print the address"))
    .addOption(new Option("--no-originals", "do not keep uploaded PDFs, so the page shows only their text"))
    .addOption(new Option("--json", "print address, token and process id as one JSON object"));
  const model = modelOption("auto (the model of the index; for a new index, by the language of the paths)");
  for (const option of serverOptions(model)) command.addOption(option);
  command
    .addHelpText(
      "after",
      `${examples([
        "verbatim serve ./docs",
        "verbatim serve --index ./my.index --read-only --port 8080",
        "verbatim serve --index ./my.index --host 0.0.0.0 --token-file tokens.txt",
      ])}\nThe log goes to standard error, as text on a terminal and as one JSON object per line otherwise.\nExit status: 0 stopped by Ctrl-C or SIGTERM, 2 usage error, 3 unusable index or port taken.\n`,
    )
    .action((paths: string[] | undefined, flags: ServeFlags) => serveIndex(paths ?? [], flags, context));
}

async function serveIndex(paths: string[], flags: ServeFlags, { io }: CliContext): Promise<void> {
  const { serve } = await import("../../server/index.js");
  const { jsonLog } = await import("../../server/http/log.js");
  const { isGlob } = await import("../../node/documents/globs.js");
  const watch = flags.watch ?? true;
  const followed = watch && !paths.some(isGlob) ? paths.join(" ") : undefined;
  const view = io.stderr.isTTY
    ? await (await import("../render/serve-view.js")).serveView(io, { followed })
    : undefined;
  const server = await serve({
    ...serverSettings(flags, io),
    paths,
    host: flags.host,
    port: flags.port,
    tokens: await readTokens(flags.tokenFile, io),
    readOnly: flags.readOnly ?? false,
    cors: flags.cors ?? [],
    threads: flags.threads,
    watch,
    limits: flags.originals === false ? { maxKeptBytes: 0 } : {},
    log: view?.log ?? jsonLog((line) => io.stderr.write(line)),
  });
  const { url, token } = server;
  // The fragment after # stays in the browser, so no log and no other site sees it.
  const address = `${url}${token === undefined ? "" : `#token=${token}`}`;
  if (flags.json) printLine(io.stdout, JSON.stringify({ url, token: token ?? null, pid: process.pid }));
  else printLine(io.stdout, `Open ${address} (Ctrl-C to stop)`);
  const closeBrowser = await openPage(address, flags, io);
  await untilAborted(io.signal);
  try {
    await server.stop();
  } finally {
    view?.end();
    await closeBrowser();
  }
}

/** @returns a function to call at the end */
async function openPage(address: string, flags: ServeFlags, io: Io): Promise<() => Promise<void>> {
  const { canOpenBrowser, openBrowser } = await import("../open-browser.js");
  if (!(flags.open ?? (!flags.json && canOpenBrowser(io)))) return async () => {};
  return openBrowser(address, () => printLine(io.stderr, "note: No browser could be opened. Use the address above."));
}
