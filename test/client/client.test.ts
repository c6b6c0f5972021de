/**
 * The typed client against the whole app: what it sends is taken, what it gives is what was sent,
 * and refusals come as they are.
 */

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ProblemError, VerbatimClient } from "../../adapters/client/client.js";
import { eventsOf } from "../../adapters/client/events.js";
import { CLIENT_TYPES, clientTypes } from "../../scripts/client-types.js";
import { FakeReader } from "../ask/fake-reader.js";
import { type ServedOptions, served, WRITE } from "../server/served.js";

async function clientOf(options: ServedOptions & { token?: string } = {}) {
  const it = await served(options);
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set("Host", "localhost");
    return it.app.request(String(input), { ...init, headers, duplex: "half" } as RequestInit);
  };
  return { ...it, client: new VerbatimClient({ url: "http://localhost/", token: options.token, fetch }) };
}

const QUESTION = "who founded the observatory?";

it("has the types of the API as it is now", async () => {
  expect(readFileSync(CLIENT_TYPES, "utf8"), "run: npx tsx scripts/client-types.ts").toBe(await clientTypes());
});

describe("asking", () => {
  it("gives what the engine gives, alone, in a batch and explained", async () => {
    const { client, index } = await clientOf();
    const { answers, version } = await client.ask(QUESTION, { topK: 2 });
    const own = await index.requireOpen().ask(QUESTION, { topK: 2 });
    expect(answers.map(({ text }) => text)).toEqual(own.answers.map(({ text }) => text));
    expect(version).toBe(index.requireOpen().version);
    const results = await client.askMany([QUESTION, "when does the pump stop?"], { topK: 1 });
    expect(results.map((result) => result.answers[0]!.title)).toEqual(["History", "Pump"]);
    expect((await client.explain(QUESTION)).answers[0]!.passage!.text).toContain("observatory");
  });

  it("streams the answers so far and ends with what ask returns", async () => {
    const { client } = await clientOf({ reader: new FakeReader({ lanes: 1 }) });
    const events = [];
    for await (const one of client.askStream(QUESTION, { reader: "on", topK: 100 })) events.push(one);
    expect(events.map(({ final }) => final)).toEqual([...events.slice(1).map(() => false), true]);
    expect(events.length).toBeGreaterThan(1);
    expect(events.at(-1)!.result.answers).toEqual((await client.ask(QUESTION, { reader: "on", topK: 100 })).answers);
  });

  it("can be left in the middle of a stream and stopped by a signal", async () => {
    const { client } = await clientOf({ reader: new FakeReader({ lanes: 1 }) });
    for await (const { result } of client.askStream(QUESTION, { reader: "on" })) {
      expect(result.question).toBe(QUESTION);
      break;
    }
    const { answers } = await client.ask(QUESTION);
    expect(answers.length).toBeGreaterThan(0);
  });
});

describe("documents", () => {
  it("are listed, put, read, sent and taken out", async () => {
    const { client } = await clientOf({ token: WRITE });
    const id = "odd id/with & ? # %2F 100 %";
    const job = await client.put(
      id,
      { text: "The mill was sold by Karl Voss.", metadata: { year: 1999 } },
      { wait: true },
    );
    expect(job).toMatchObject({ state: "done", version: expect.any(Number) });
    expect(await client.document(id, { from: 4, to: 8 })).toMatchObject({
      text: "mill",
      from: 4,
      to: 8,
      metadata: { year: 1999 },
    });
    const { documents } = await client.documents({ contains: "odd id", limit: 5 });
    expect(documents.map((document) => document.id)).toEqual([id]);
    expect(await client.upload("ferry.txt", "The ferry captain was Otto Brandt.", { wait: true })).toMatchObject({
      state: "done",
    });
    expect((await client.delete(id, { wait: true })).state).toBe("done");
    await expect(client.document(id)).rejects.toMatchObject({ problem: { status: 404, code: "no-document" } });
    expect(await client.status()).toMatchObject({ scope: "write", writable: true });
  });
});

describe("refusals", () => {
  it("are problems with code, place and hint", async () => {
    const { client } = await clientOf({ limits: { rateBurst: 2, ratePerSecond: 0.5 } });
    await expect(client.ask("who?", { where: "year >" })).rejects.toMatchObject({
      name: "ProblemError",
      problem: { status: 400, where: "where", position: 6 },
    });
    await expect(client.put("a", { text: "a" })).rejects.toMatchObject({
      problem: { status: 401, code: "token-needed" },
    });
    const streamed = async (): Promise<void> => {
      for await (const _ of client.askStream("who?", { where: "year >" }));
    };
    await expect(streamed()).rejects.toBeInstanceOf(ProblemError);
    await expect(client.askMany([QUESTION, QUESTION])).rejects.toMatchObject({
      retryAfter: expect.any(Number),
      problem: { status: 429 },
    });
  });

  it("of a proxy in between are reported as well", async () => {
    const fetch = async () => new Response("<h1>Bad gateway</h1>", { status: 502, statusText: "Bad Gateway" });
    const client = new VerbatimClient({ url: "http://localhost/answers", fetch });
    await expect(client.ask(QUESTION)).rejects.toMatchObject({ message: "Bad Gateway", problem: { status: 502 } });
  });
});

describe("server-sent events", () => {
  it("come out the same however the bytes are cut", async () => {
    const line = fc.string({ unit: "grapheme", maxLength: 20 }).map((it) => it.replace(/[\r\n]/g, " "));
    const events = fc.array(
      fc.record({ event: fc.constantFrom("answers", "final"), data: fc.array(line, { minLength: 1, maxLength: 3 }) }),
      {
        maxLength: 5,
      },
    );
    const cuts = fc.array(fc.nat(200), { maxLength: 10 });
    const ends = fc.constantFrom("\n", "\r\n", "\r");
    await fc.assert(
      fc.asyncProperty(events, cuts, ends, async (list, at, end) => {
        const lines = list.flatMap(({ event, data }) => [
          ": a comment",
          `event: ${event}`,
          ...data.map((it) => `data: ${it}`),
          "",
        ]);
        const bytes = new TextEncoder().encode(lines.map((it) => it + end).join(""));
        const edges = [...new Set([0, ...at.map((it) => it % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b);
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            for (let i = 1; i < edges.length; i++) controller.enqueue(bytes.slice(edges[i - 1], edges[i]));
            controller.close();
          },
        });
        const parsedEvents = [];
        for await (const event of eventsOf(body)) parsedEvents.push(event);
        expect(parsedEvents).toEqual(list.map(({ event, data }) => ({ event, data: data.join("\n") })));
      }),
      { seed: 20261121, numRuns: 200 },
    );
  });
});
