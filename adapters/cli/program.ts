/** The command line: parses arguments, runs a command and returns its exit status. */

import { Command, CommanderError } from "commander";
import { packageVersion } from "../node/package-version.js";
import { reportError, statusOf, toVerbatimError } from "./errors.js";
import { examples } from "./options.js";
import { type CliContext, exitStatus, type Io } from "./process-io.js";

type Register = (program: Command, context: CliContext) => void;

/**
 * The commands in the order of `--help`. A command is loaded when it is named, and imports its heavy
 * modules when it runs, so that each starts fast.
 */
const COMMANDS: Readonly<Record<string, () => Promise<Register>>> = {
  index: async () => (await import("./commands/index-documents.js")).registerIndex,
  ask: async () => (await import("./commands/ask.js")).registerAsk,
  quote: async () => (await import("./commands/quote.js")).registerQuote,
  watch: async () => (await import("./commands/watch.js")).registerWatch,
  serve: async () => (await import("./commands/serve.js")).registerServe,
  mcp: async () => (await import("./commands/mcp.js")).registerMcp,
  list: async () => (await import("./commands/list.js")).registerList,
  show: async () => (await import("./commands/list.js")).registerShow,
  delete: async () => (await import("./commands/delete.js")).registerDelete,
  info: async () => (await import("./commands/info.js")).registerInfo,
  check: async () => (await import("./commands/check.js")).registerCheck,
  repair: async () => (await import("./commands/repair.js")).registerRepair,
  compact: async () => (await import("./commands/compact.js")).registerCompact,
  upgrade: async () => (await import("./commands/upgrade.js")).registerUpgrade,
  snapshot: async () => (await import("./commands/snapshot.js")).registerSnapshot,
  restore: async () => (await import("./commands/snapshot.js")).registerRestore,
  copy: async () => (await import("./commands/copy.js")).registerCopy,
  publish: async () => (await import("./commands/publish.js")).registerPublish,
  eval: async () => (await import("./eval/eval.js")).registerEval,
  completion: async () => (await import("./commands/completion.js")).registerCompletion,
};

/** The commands that a command line needs: help, completion and mistyped names need all. */
function commandsFor([first = ""]: readonly string[]): ReadonlyArray<() => Promise<Register>> {
  if (first === "--version" || first === "-V") return [];
  if (first !== "completion" && Object.hasOwn(COMMANDS, first)) return [COMMANDS[first]!];
  return Object.values(COMMANDS);
}

/**
 * Runs one command line. Errors are reported, not thrown.
 * @param args  without the node executable and the script
 * @returns the exit status
 */
export async function run(args: readonly string[], io: Io): Promise<number> {
  let status: number = exitStatus.ok;
  const program = new Command("verbatim")
    .description("Asks your own documents a question and returns exact quotes, each with its source. Works offline.")
    .version(packageVersion())
    .showHelpAfterError(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: () => {}, // reported below like all other errors
    })
    .addHelpText(
      "after",
      examples([
        "verbatim index ~/notes --index ./my.index",
        'verbatim ask "who founded the observatory?" --index ./my.index',
        "verbatim ask --index ./my.index",
      ]),
    );
  const context: CliContext = {
    io,
    setStatus(value) {
      status = value;
    },
  };
  try {
    const registers = await Promise.all(commandsFor(args).map((load) => load()));
    for (const register of registers) register(program, context);
    if (args.length === 0) {
      program.outputHelp({ error: true });
      return exitStatus.wrongUse;
    }
    await program.parseAsync([...args], { from: "user" });
    return status;
  } catch (error) {
    if (error instanceof CommanderError && (error.exitCode === 0 || error.code === "commander.help")) {
      return error.exitCode === 0 ? exitStatus.ok : exitStatus.wrongUse;
    }
    const reported = toVerbatimError(error);
    reportError(reported, { stderr: io.stderr, json: wantsJson(args), debug: Boolean(io.env.VERBATIM_DEBUG) });
    return statusOf(reported);
  }
}

function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end === -1 ? args : args.slice(0, end)).includes("--json");
}
