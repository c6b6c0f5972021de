/** Prints the result of an evaluation. */

import { type CliContext, printLine } from "../process-io.js";

/** Prints the result as one JSON object, or as lines of key and value. */
export function printResult(context: CliContext, result: object, json: boolean): void {
  const { stdout } = context.io;
  if (json) printLine(stdout, JSON.stringify(result));
  else for (const line of resultLines(result, "")) printLine(stdout, line);
}

function resultLines(result: object, prefix: string): string[] {
  return Object.entries(result).flatMap(([key, value]) => {
    const name = prefix === "" ? key : `${prefix}.${key}`;
    if (typeof value === "object" && value !== null) return resultLines(value, name);
    return [`${name.padEnd(36)} ${typeof value === "number" ? Math.round(value * 1e4) / 1e4 : value}`];
  });
}
