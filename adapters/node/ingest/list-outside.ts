/** Lists the files to index. */

import type { InputFile, SkippedInput } from "../documents/input.js";
import { isInside } from "../documents/paths.js";
import { listInputs } from "../documents/walk.js";

/** The inputs, without those in the folder of the index itself (an unfinished first run leaves files there). */
export async function listOutside(
  index: string,
  paths: readonly string[],
  options: { cwd: string; signal: AbortSignal | undefined; onSkip: (skip: SkippedInput) => void },
): Promise<InputFile[]> {
  const inputs: InputFile[] = [];
  for await (const input of listInputs([...paths], options)) {
    if (!isInside(input.absolutePath, index)) inputs.push(input);
  }
  return inputs;
}
