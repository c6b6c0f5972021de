/**
 * Calls to real threads, ports and processes: what adapters/rpc/rpc.test.ts cannot show in one
 * thread.
 */

import { fork } from "node:child_process";
import { MessageChannel } from "node:worker_threads";
import { afterEach, describe, expect, it } from "vitest";
import { type SampleService, serveSamples } from "../../../test/support/sample-service.js";
import { RpcClient } from "../../rpc/client.js";
import type { Endpoint } from "../../rpc/endpoint.js";
import { childEndpoint, portEndpoint, workerEndpoint } from "./endpoints.js";
import { startWorker } from "./start-worker.js";

const support = new URL("../../../dist.test/test/support/sample-worker.js", import.meta.url);

const ends: Record<string, () => Endpoint> = {
  thread: () => workerEndpoint(startWorker("sample-worker", support.href, {})),
  process: () => childEndpoint(fork(support, { serialization: "advanced", stdio: "inherit" })),
};

let client: RpcClient<SampleService> | undefined;
const lost: unknown[] = [];
afterEach(() => {
  client?.terminate();
  lost.length = 0;
});

describe.each(Object.keys(ends))("another %s", (kind) => {
  const start = (): RpcClient<SampleService> => {
    client = new RpcClient<SampleService>(ends[kind]!(), {
      name: "the sample",
      onLost: (error) => lost.push(error),
    });
    return client;
  };

  it("answers calls and streams, and closes when asked to", async () => {
    const peer = start();
    const values = Float32Array.of(1, 2.5);
    const moved = kind === "thread" ? [values.buffer] : [];
    expect([...(await peer.call("double", values, { transfer: moved }))]).toEqual([2, 5]);
    expect(values).toHaveLength(kind === "thread" ? 0 : 2);
    const items: number[] = [];
    for await (const n of peer.stream("count", 20)) items.push(n);
    expect(items).toHaveLength(20);
    await expect(peer.call("fail", "verbatim")).rejects.toMatchObject({ code: "model-missing", found: { bytes: 3 } });
    await peer.close();
    expect(lost).toEqual([]);
  });

  it("fails the calls under way when it dies", async () => {
    const peer = start();
    const waiting = peer.call("wait", null);
    const taking = (async () => {
      for await (const _ of peer.stream("count", Number.POSITIVE_INFINITY, { ahead: 1 }));
    })();
    await peer.call("add", { a: 1, b: 1 });
    const exiting = peer.call("exit", 7);
    const end = {
      code: "internal",
      message: expect.stringMatching(/^The sample stopped: its \w+ ended with status 7/),
    };
    for (const call of [waiting, taking, exiting]) await expect(call).rejects.toMatchObject(end);
    await expect(peer.call("add", { a: 1, b: 1 })).rejects.toMatchObject(end);
    expect(lost).toHaveLength(1);
  });

  it("fails the calls under way when it is terminated", async () => {
    const peer = start();
    const waiting = peer.call("wait", null);
    await peer.call("add", { a: 1, b: 1 });
    peer.terminate();
    await expect(waiting).rejects.toMatchObject({ code: "aborted" });
    expect(lost).toEqual([]);
  });
});

it("reports the signal that killed a process", async () => {
  const child = fork(support, { serialization: "advanced" });
  client = new RpcClient<SampleService>(childEndpoint(child), { name: "the sample" });
  const waiting = client.call("wait", null);
  await client.call("add", { a: 1, b: 1 });
  child.kill("SIGKILL");
  await expect(waiting).rejects.toMatchObject({ code: "internal", cause: { name: "ChildExit", signal: "SIGKILL" } });
});

it("reaches another thread over a port that was handed to it", async () => {
  const { port1, port2 } = new MessageChannel();
  serveSamples(portEndpoint(port2));
  client = new RpcClient<SampleService>(portEndpoint(port1), { name: "the sample" });
  expect(await client.call("add", { a: 1, b: 1 })).toBe(2);
  await client.close();
});
