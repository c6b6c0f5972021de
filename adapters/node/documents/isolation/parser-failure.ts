/** What the death of a parser process says about the file, or the message of a mailbox, that it was reading. */

import type { SkippedInput } from "../input.js";
import type { ReadLimits } from "../limits.js";
import { formatBytes } from "../skip.js";
import type { ParserDeath } from "./parser-process.js";

/** Why the file or message is skipped. */
export function failureOf(
  { reason, how, record }: ParserDeath,
  { maxMs, maxMemoryMiB }: ReadLimits,
): Pick<SkippedInput, "reason" | "hint"> {
  if (reason === "time") {
    const seconds = Math.round(maxMs / 100) / 10;
    const more = record === undefined ? ", and more for large files" : "";
    const text = `takes too long to read (limit: ${seconds} s${more})`;
    return { reason: text, hint: "Split it, or convert it to plain text." };
  }
  if (reason === "memory") {
    const text = `needs more than ${formatBytes(maxMemoryMiB * 1024 * 1024)} of memory to read`;
    return { reason: text, hint: "Split it, or convert it to plain text." };
  }
  const text = reason === "crash" ? "is damaged (it crashes its parser)" : `ends its parser (${how})`;
  return { reason: text, hint: "Save it again, or convert it to plain text." };
}
