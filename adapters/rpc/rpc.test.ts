/**
 * Calls over a channel between two ends in this thread; adapters/node/threads/endpoints.test.ts has real
 * threads and processes.
 */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type SampleService, serveSamples } from "../../test/support/sample-service.js";
import { RpcClient } from "./client.js";
import { webEndpoint } from "./endpoint.js";
import { deserializeError, serializeError } from "./serialize-error.js";

let channel: InstanceType<typeof MessageChannel>;
let client: RpcClient<SampleService>;
let closed: number;
let lost: unknown[];

beforeEach(() => {
  channel = new MessageChannel();
  closed = 0;
  const losses: unknown[] = [];
  lost = losses;
  serveSamples(webEndpoint(channel.port2), {
    onClose: () => {
      closed++;
    },
  });
  client = new RpcClient(webEndpoint(channel.port1), { name: "the sample", onLost: (error) => losses.push(error) });
});
afterEach(() => channel.port1.close());

describe("a call", () => {
  it("returns the result of each of several concurrent calls to its caller", async () => {
    const waiting = client.call("wait", null);
    const sums = await Promise.all([1, 2, 3].map((a) => client.call("add", { a, b: 10 })));
    expect(sums).toEqual([11, 12, 13]);
    expect(client.load).toBe(1);
    await client.call("release", null);
    expect(await waiting).toBe("released");
    expect(client.load).toBe(0);
  });

  it("reports progress in order, before the result", async () => {
    const seen: number[] = [];
    expect(await client.call("sum", 4, { onProgress: (n) => seen.push(n) })).toBe(6);
    expect(seen).toEqual([0, 1, 2, 3]);
  });

  it("fails at once when its signal fires, and the method's own signal fires", async () => {
    const stop = new AbortController();
    const waiting = client.call("wait", null, { signal: stop.signal });
    stop.abort(new Error("enough"));
    await expect(waiting).rejects.toMatchObject({ code: "aborted", cause: { message: "enough" } });
    expect(await client.call("aborts", null)).toBe(1);
    expect(client.load).toBe(0);
    await expect(client.call("add", { a: 1, b: 1 }, { signal: stop.signal })).rejects.toMatchObject({
      code: "aborted",
    });
  });

  it("allows any number of calls with one signal without a leak warning", async () => {
    const warnings: Error[] = [];
    const warn = (warning: Error): void => void warnings.push(warning);
    process.on("warning", warn);
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 40 }, (_, a) => client.call("add", { a, b: 0 }, { signal })));
    await new Promise((done) => setImmediate(done));
    process.off("warning", warn);
    expect(warnings).toEqual([]);
  });

  it("fails with the error of the method, its code, hint and details", async () => {
    const error = await client.call("fail", "verbatim").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      name: "VerbatimError",
      code: "model-missing",
      message: "The model file is damaged.",
      hint: "Install it again.",
      where: "model/question.bin",
      found: { bytes: 3 },
      expected: 4,
      cause: { name: "RangeError", message: "out of range" },
    });
    await expect(client.call("fail", "plain")).rejects.toMatchObject({
      name: "TypeError",
      message: "x is not a function",
      stack: expect.stringContaining("sample-service"),
    });
    await expect(client.call("fail", "system")).rejects.toMatchObject({ name: "Error", code: "ENOENT" });
    await expect(client.call("fail", "string")).rejects.toMatchObject({ message: "only a string" });
  });

  it("fails when the method does not exist, or its parameters or result cannot be cloned", async () => {
    await expect(client.call("toString" as "add", { a: 1, b: 1 })).rejects.toMatchObject({ code: "internal" });
    await expect(client.call("uncloneable", null)).rejects.toMatchObject({ name: "DataCloneError" });
    await expect(client.call("wait", (() => 1) as unknown as null)).rejects.toMatchObject({ name: "DataCloneError" });
    expect(client.load).toBe(0);
    expect(await client.call("add", { a: 1, b: 1 })).toBe(2);
  });

  it("moves buffers both ways where they are to be transferred", async () => {
    const values = Float32Array.of(1, 2.5);
    const doubled = await client.call("double", values, { transfer: [values.buffer] });
    expect([...doubled]).toEqual([2, 5]);
    expect(values).toHaveLength(0);
    const kept = Float32Array.of(1);
    await client.call("double", kept);
    expect([...kept]).toEqual([1]);
  });

  it("fails when the other side closes the channel, as does every later call", async () => {
    const waiting = client.call("wait", null);
    channel.port2.close();
    await expect(waiting).rejects.toMatchObject({ code: "internal", message: expect.stringContaining("The sample") });
    await expect(client.call("add", { a: 1, b: 1 })).rejects.toMatchObject({ code: "internal" });
    expect(lost).toHaveLength(1);
  });
});

describe("a stream", () => {
  it("yields all items in order", async () => {
    const items: number[] = [];
    for await (const n of client.stream("count", 100, { ahead: 3 })) items.push(n);
    expect(items).toEqual(Array.from({ length: 100 }, (_, n) => n));
    expect(await client.call("counted", null)).toEqual({ produced: 100, ended: true });
  });

  it("does not run further ahead of its caller than it may", async () => {
    const stream = client.stream("count", Number.POSITIVE_INFINITY, { ahead: 4 });
    for (let n = 0; n < 10; n++) expect((await stream.next()).value).toBe(n);
    const { produced } = await client.call("counted", null);
    expect(produced).toBeGreaterThanOrEqual(10);
    expect(produced).toBeLessThanOrEqual(14);
    await stream.return();
  });

  it("ends the method's generator when its caller leaves early", async () => {
    for await (const n of client.stream("count", Number.POSITIVE_INFINITY)) if (n === 5) break;
    expect(client.load).toBe(0);
    expect(await client.call("counted", null)).toMatchObject({ ended: true });
  });

  it("fails at once when its signal fires, and ends the generator", async () => {
    const stop = new AbortController();
    const taking = (async () => {
      for await (const n of client.stream("count", Number.POSITIVE_INFINITY, { signal: stop.signal })) {
        if (n === 3) stop.abort();
      }
    })();
    await expect(taking).rejects.toMatchObject({ code: "aborted" });
    expect(await client.call("counted", null)).toMatchObject({ ended: true });
  });

  it("yields what was produced before an error, then throws it", async () => {
    const items: number[] = [];
    const taking = (async () => {
      for await (const n of client.stream("breakOff", 3)) items.push(n);
    })();
    await expect(taking).rejects.toMatchObject({ code: "corrupt-segment" });
    expect(items).toEqual([0, 1, 2]);
  });

  it("fails when the other side closes the channel", async () => {
    const stream = client.stream("count", Number.POSITIVE_INFINITY, { ahead: 1 });
    await stream.next();
    channel.port2.close();
    const rest = (async () => {
      for await (const _ of stream);
    })();
    await expect(rest).rejects.toMatchObject({ code: "internal" });
  });
});

describe("close", () => {
  it("fails the calls under way, lets the other side clean up, and is not reported as a loss", async () => {
    const waiting = client.call("wait", null);
    const refused = expect(waiting).rejects.toMatchObject({ code: "aborted", message: "The sample was closed." });
    await client.close();
    await refused;
    expect(closed).toBe(1);
    expect(lost).toEqual([]);
    await expect(client.call("add", { a: 1, b: 1 })).rejects.toMatchObject({ code: "aborted" });
    await client.close();
  });
});

it("serializes an error as plain data, also where its details cannot be cloned", () => {
  const circular: { self?: unknown } = {};
  circular.self = circular;
  const error = Object.assign(new Error("outer", { cause: new Error("inner", { cause: "text" }) }), { circular });
  const copy = JSON.parse(JSON.stringify(serializeError(error)));
  expect(deserializeError(copy)).toMatchObject({
    message: "outer",
    cause: { message: "inner", cause: { message: "text" } },
  });
});
