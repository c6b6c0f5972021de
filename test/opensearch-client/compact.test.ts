/** `compact` of an index in a cluster, against a stub: waiting, and failed shards. */

import { afterEach, describe, expect, it } from "vitest";
import { parseAddress } from "../../adapters/opensearch/address.js";
import { compactCluster } from "../../adapters/opensearch/compact.js";
import type { ConnectedIndex } from "../../adapters/opensearch/connected-index.js";
import { Connection } from "../../adapters/opensearch/connection/connection.js";
import type { ClusterMeta } from "../../adapters/opensearch/mapping.js";
import { type Stub, startStub } from "./stub.js";

const open: Array<{ close(): Promise<void> }> = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

/** Reports the merge of 12 segments as done at the second poll. */
async function joining(shards: {
  failed: number;
  total: number;
}): Promise<{ server: Stub; connected: ConnectedIndex }> {
  let looks = 0;
  const server = await startStub(({ path }) => {
    if (path.endsWith("/_forcemerge")) return { status: 200, body: { task: "node:7" } };
    if (path === "/_tasks/node:7") {
      looks++;
      return {
        status: 200,
        body: looks < 2 ? { completed: false } : { completed: true, response: { _shards: shards } },
      };
    }
    if (path.includes("/_stats/")) {
      const [count, size] = looks === 0 ? [12, 900] : [2, 800];
      return { status: 200, body: { _all: { total: { segments: { count }, store: { size_in_bytes: size } } } } };
    }
    return { status: 200, body: {} };
  });
  const connection = await Connection.open(parseAddress(`opensearch://127.0.0.1:${server.port}/docs`, {}));
  open.push(connection, server);
  return { server, connected: { connection, index: "docs.1", meta: {} as ClusterMeta } };
}

describe("compactCluster", () => {
  it("waits for the task, and makes the merged segments visible", async () => {
    const { server, connected } = await joining({ failed: 0, total: 2 });
    expect(await compactCluster(connected)).toEqual({
      ...{ segmentsBefore: 12, segmentsAfter: 2 },
      ...{ bytesBefore: 900, bytesAfter: 800 },
    });
    const paths = server.requests.map(({ path }) => path);
    expect(paths.filter((path) => path === "/_tasks/node:7").length).toBe(2);
    expect(paths.lastIndexOf("/docs.1/_refresh")).toBeGreaterThan(paths.lastIndexOf("/_tasks/node:7"));
  });

  it("reports a failed shard with a hint", async () => {
    const { connected } = await joining({ failed: 1, total: 2 });
    await expect(compactCluster(connected)).rejects.toMatchObject({ code: "io-error", found: "1 of 2 shards failed" });
  });

  it("stops waiting when it is aborted", async () => {
    const { connected } = await joining({ failed: 0, total: 2 });
    const stopped = compactCluster(connected, { signal: AbortSignal.timeout(100) });
    await expect(stopped).rejects.toMatchObject({ code: "aborted" });
  });
});
