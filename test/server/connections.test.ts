/**
 * Connections on a real socket: their number per address, one request at a time on each, and
 * clients that do not read.
 */

import type { Server } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, expect, it } from "vitest";
import type { DropReason } from "../../adapters/server/http/connections.js";
import { DEFAULT_LIMITS, type Limits } from "../../adapters/server/http/limits.js";
import { closeSocket, createSocket, listen } from "../../adapters/server/http/socket.js";
import { addressGroup } from "../../adapters/server/security/caller.js";

interface Fixture {
  port: number;
  drops: DropReason[];
  /** Requests being answered, and the most there were at once. */
  running: { now: number; peak: number };
  release: () => void;
}

let server: Server;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await closeSocket(server, async () => server.closeAllConnections());
});

async function start(limits: Partial<Limits> = {}): Promise<Fixture> {
  const drops: DropReason[] = [];
  const running = { now: 0, peak: 0 };
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const fetch = async (request: Request): Promise<Response> => {
    running.now++;
    running.peak = Math.max(running.peak, running.now);
    await new Promise((done) => setImmediate(done));
    const { pathname } = new URL(request.url);
    if (pathname === "/hold") await held;
    if (request.method === "POST") await request.arrayBuffer();
    running.now--;
    return new Response(pathname === "/large" ? "x".repeat(8 << 20) : `path ${pathname}\n`);
  };
  server = createSocket(fetch, { ...DEFAULT_LIMITS, ...limits }, (reason) => drops.push(reason));
  const { port } = new URL(await listen(server, { host: "127.0.0.1", port: 0 }));
  return { port: Number(port), drops, running, release };
}

function open(port: number): Promise<{ socket: Socket; received: () => string; closed: Promise<void> }> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    sockets.push(socket);
    let received = "";
    socket.on("data", (bytes: Buffer) => {
      received += bytes.toString("latin1");
    });
    socket.on("error", () => {});
    const closed = new Promise<void>((done) => socket.once("close", () => done()));
    socket.once("connect", () => resolve({ socket, received: () => received, closed }));
  });
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((done) => setTimeout(done, 10));
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const pathsOf = (text: string): string[] => [...text.matchAll(/^path (\S+)$/gm)].map(([, path]) => path!);

it("answers pipelined requests in order, one at a time, bodies included", async () => {
  const { port, running } = await start();
  const { socket, received } = await open(port);
  const post = "POST /b HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n";
  socket.write(get("/a") + post + "y".repeat(60_000));
  await until(() => pathsOf(received()).length === 1);
  socket.write("y".repeat(40_000) + get("/c") + get("/d"));
  await until(() => pathsOf(received()).length === 4);
  expect(pathsOf(received())).toEqual(["/a", "/b", "/c", "/d"]);
  expect(running.peak).toBe(1);
});

it("closes a connection that pipelines more requests than may wait", async () => {
  const { port, drops, running, release } = await start();
  const { socket, closed } = await open(port);
  socket.write(get("/hold").repeat(900));
  await closed;
  expect(drops).toEqual(["too-many-pipelined"]);
  expect(running.peak).toBe(1);
  release();
  await until(() => running.now === 0);
});

it("does not work on the next request before the response to the last one was taken, and drops a client that takes none", async () => {
  const { port, drops, running } = await start({ responseMs: 1500 });
  const { socket, closed } = await open(port);
  socket.write(get("/large") + get("/after"));
  socket.pause();
  await until(() => drops.length > 0);
  expect(drops).toEqual(["slow-reader"]);
  expect(running.peak).toBe(1);
  socket.resume();
  await closed;
});

it("makes room for a new connection by closing an idle one of the same address, never one that is being answered", async () => {
  const { port, drops, running, release } = await start({ maxConnectionsPerAddress: 3 });
  const [held, idle] = [await open(port), await open(port)];
  held.socket.write(get("/hold"));
  const slow = await open(port);
  slow.socket.write("POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n12345");
  await until(() => running.now === 2);
  const next = await open(port);
  await idle.closed;
  next.socket.write(get("/hold"));
  await until(() => running.now === 3);
  const third = await open(port); // nothing is idle any more: the one that has not sent its body goes
  await slow.closed;
  third.socket.write(get("/hold"));
  await until(() => running.now === 4); // the dropped one never ends
  const refused = await open(port);
  await refused.closed;
  expect(drops).toEqual(Array(3).fill("too-many-connections"));
  release();
  const answered = [held, next, third];
  await until(() => answered.every(({ received }) => pathsOf(received()).length === 1));
});

it("takes a connection from the address that has most when the server is full", async () => {
  const { port, drops } = await start({ maxConnections: 2 });
  const first = await open(port);
  await open(port);
  const third = await open(port);
  await first.closed;
  expect(drops).toEqual(["too-many-connections"]);
  third.socket.write(get("/a"));
  await until(() => pathsOf(third.received()).length === 1);
});

it("counts this machine's addresses as one, and an IPv6 /64 network as one", () => {
  const local = ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.2", undefined];
  expect(new Set(local.map(addressGroup))).toEqual(new Set(["local"]));
  expect(addressGroup("::ffff:192.0.2.1")).toBe(addressGroup("192.0.2.1"));
  expect(addressGroup("192.0.2.2")).not.toBe(addressGroup("192.0.2.1"));
  expect(addressGroup("2001:db8:1:2::1")).toBe(addressGroup("2001:db8:1:2:ffff:1:2:3"));
  expect(addressGroup("2001:db8::1")).toBe(addressGroup("2001:db8::ffff:2"));
  expect(addressGroup("2001:db8:1:3::1")).not.toBe(addressGroup("2001:db8:1:2::1"));
  expect(addressGroup("fe80::1%eth0")).toBe(addressGroup("fe80::2"));
});
