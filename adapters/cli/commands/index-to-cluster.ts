/** `verbatim index --to ADDRESS`: encodes files on this machine and stores them in a cluster. */

import { VerbatimError } from "../../../src/errors.js";
import type { SkippedInput } from "../../node/documents/input.js";
import { listInputs } from "../../node/documents/walk.js";
import { type InputOptions, indexInputs } from "../../node/ingest/index-inputs.js";
import { type IndexPathsSummary, NO_COUNTS } from "../../node/ingest/index-paths.js";
import type { ModelOptions } from "../../node/models/choice.js";
import { openEncoder } from "../../node/models/encoder/encoder.js";
import { openClusterWriter } from "../../opensearch/open.js";
import type { Part } from "../../opensearch/partition.js";

interface IndexToClusterOptions extends InputOptions, ModelOptions {
  address: string;
  env: Readonly<Record<string, string | undefined>>;
  threads: number | undefined;
  part: Part | undefined;
  /** See `openClusterWriter`. */
  onWait: () => void;
}

/**
 * @throws VerbatimError as `openClusterWriter`; acknowledged documents are kept, and the same call
 *   resumes
 */
export async function indexToCluster(
  paths: readonly string[],
  options: IndexToClusterOptions,
): Promise<IndexPathsSummary> {
  if (paths.length === 0)
    throw new VerbatimError("invalid-argument", "No path was given.", { hint: "Name a file or a folder." });
  const { signal, cwd = process.cwd(), address, env, part, onWait, model, modelFolder } = options;
  const started = performance.now();
  const skips: SkippedInput[] = [];
  const onSkip = (skip: SkippedInput): void => void skips.push(skip);
  const inputs = [];
  for await (const input of listInputs([...paths], { cwd, signal, onSkip })) inputs.push(input);
  let counts = NO_COUNTS;
  if (inputs.length > 0) {
    const encoder = await openEncoder({ model, modelFolder, threads: options.threads });
    try {
      // no signal for the writer: finished documents are still sent after a stop
      const writer = await openClusterWriter({ address, env, encoder, part, onWait });
      try {
        const listed = new Set(inputs.map((input) => input.absolutePath));
        counts = await indexInputs({ inputs, listed, paths, options, onSkip }, writer);
      } finally {
        await writer.close();
      }
    } finally {
      await encoder.close();
    }
  }
  const seconds = (performance.now() - started) / 1000;
  const skipped = skips.reduce((sum, skip) => sum + (skip.count ?? 1), 0);
  return { ...counts, skipped, seconds, tokensPerSecond: counts.tokens / seconds, skips, rebuilt: 0, total: undefined };
}
