/** The command line: parses arguments, runs a command and returns its exit status. */

import { Command, CommanderError } from "commander";
import { packageVersion } from "../node/package-version.js";
import { registerAsk } from "./commands/ask.js";
import { registerCheck } from "./commands/check.js";
import { registerCompact } from "./commands/compact.js";
import { registerCompletion } from "./commands/completion.js";
import { registerCopy } from "./commands/copy.js";
import { registerDelete } from "./commands/delete.js";
import { registerIndex } from "./commands/index-documents.js";
import { registerInfo } from "./commands/info.js";
import { registerMcp } from "./commands/mcp.js";
import { registerPublish } from "./commands/publish.js";
import { registerQuote } from "./commands/quote.js";
import { registerRepair } from "./commands/repair.js";
import { registerServe } from "./commands/serve.js";
import { registerSnapshot } from "./commands/snapshot.js";
import { registerUpgrade } from "./commands/upgrade.js";
import { registerWatch } from "./commands/watch.js";
import { reportError, statusOf, toVerbatimError } from "./errors.js";
import { registerEval } from "./eval/eval.js";
import { examples } from "./options.js";
import { type CliContext, exitStatus, type Io } from "./process-io.js";

/** Each command imports its heavy modules when it runs, so that `--help` is fast. */
const commands: ReadonlyArray<(program: Command, context: CliContext) => void> = [
  registerIndex,
  registerAsk,
  registerQuote,
  registerWatch,
  registerServe,
  registerMcp,
  registerDelete,
  registerInfo,
  registerCheck,
  registerRepair,
  registerCompact,
  registerUpgrade,
  registerSnapshot,
  registerCopy,
  registerPublish,
  registerEval,
  registerCompletion,
];

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
  for (const register of commands) register(program, context);
  try {
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
