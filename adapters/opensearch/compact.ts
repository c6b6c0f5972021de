/**
 * Merges the cluster's own segments of an index. A query visits each of them, and loading leaves
 * about twenty per shard.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { throwIfAborted, VerbatimError } from "../../src/errors.js";
import type { CompactReport } from "../../src/index/write/compact-options.js";
import { readSize } from "./cluster-info.js";
import { refresh } from "./commit-number.js";
import type { ConnectedIndex } from "./connected-index.js";

const LOOK_MS = 1000;

/** Totals over all shards including replicas. */
export type ClusterCompactReport = Pick<
  CompactReport,
  "segmentsBefore" | "segmentsAfter" | "bytesBefore" | "bytesAfter"
>;

interface Task {
  completed: boolean;
  error?: { reason?: string };
  response?: { _shards?: { failed: number; total: number } };
}

/**
 * Merges each shard copy into one segment (`_forcemerge`), then refreshes, so that queries use the
 * result. Answers stay the same. An abort ends only the waiting; the cluster continues.
 * @throws VerbatimError `io-error` if a shard could not be merged, `aborted`
 */
export async function compactCluster(
  connected: ConnectedIndex,
  { signal }: { signal?: AbortSignal } = {},
): Promise<ClusterCompactReport> {
  const { connection, index } = connected;
  await refresh(connection, index, signal);
  const before = await readSize(connected, signal);
  const { body } = await connection.send<{ task: string }>({
    method: "POST",
    path: `/${index}/_forcemerge`,
    query: { max_num_segments: 1, wait_for_completion: false },
    signal,
  });
  for (;;) {
    const { body: task } = await connection.send<Task>({ method: "GET", path: `/_tasks/${body.task}`, signal });
    if (task.completed) {
      const { failed, total } = task.response?._shards ?? { failed: 1, total: 1 };
      if (task.error === undefined && failed === 0) break;
      throw new VerbatimError("io-error", `${connection.address.shown} was not compacted completely.`, {
        found: task.error?.reason ?? `${failed} of ${total} shards failed`,
        hint: "Check the free disk space of the nodes: merging needs room for the old and the new segments. Answers are not affected.",
      });
    }
    await sleep(LOOK_MS, undefined, { signal }).catch(() => throwIfAborted(signal));
  }
  await refresh(connection, index, signal);
  const after = await readSize(connected, signal);
  return {
    segmentsBefore: before.segments,
    segmentsAfter: after.segments,
    bytesBefore: before.bytes,
    bytesAfter: after.bytes,
  };
}
