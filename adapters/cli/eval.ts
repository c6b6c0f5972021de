/** `verbatim eval …`: measures on published question sets. */

import type { Command } from "commander";
import type { CliContext } from "./io.js";

export function registerEval(_program: Command, _context: CliContext): void {}
