/** Joins a cluster's own segments of an index: a question goes through every one of them, and loading leaves some twenty a shard. */

import { setTimeout as sleep } from "node:timers/promises";
import { throwIfAborted, VerbatimError } from "../../src/errors.js";
import { readSize } from "./cluster-info.js";
import { refresh } from "./commit-number.js";
import type { Place } from "./connected-index.js";

const LOOK_MS = 1000;

export interface ClusterCompactReport {
  /** Of all copies of all shards. */
  segmentsBefore: number;
  segmentsAfter: number;
  bytesBefore: number;
  bytesAfter: number;
}

interface Task {
  completed: boolean;
  error?: { reason?: string };
  response?: { _shards?: { failed: number; total: number } };
}

/**
 * One segment for each copy of each shard (`_forcemerge`), then a refresh: only that makes it what questions see. Answers stay the same. A
 * signal ends the waiting; the cluster goes on.
 * @throws VerbatimError `io-error` where a shard could not be joined, `aborted`
 */
export async function compactCluster(
  place: Place,
  { signal }: { signal?: AbortSignal } = {},
): Promise<ClusterCompactReport> {
  const { connection, index } = place;
  await refresh(connection, index);
  const before = await readSize(place, signal);
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
      throw new VerbatimError("io-error", `${connection.address.shown} could not be compacted whole.`, {
        found: task.error?.reason ?? `${failed} of ${total} shards failed`,
        hint: "Look at the disks of its nodes: joining needs room for both. Answers are what they were.",
      });
    }
    await sleep(LOOK_MS, undefined, { signal }).catch(() => throwIfAborted(signal));
  }
  await refresh(connection, index);
  const after = await readSize(place, signal);
  return {
    segmentsBefore: before.segments,
    segmentsAfter: after.segments,
    bytesBefore: before.bytes,
    bytesAfter: after.bytes,
  };
}
