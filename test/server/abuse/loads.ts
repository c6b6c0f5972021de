/**
 * Clients that misbehave, for the abuse test and for `npx tsx test/server/abuse/run.ts`. They
 * connect to this machine only.
 */

import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface Target {
  port: number;
  /** May write. */
  token: string;
  pid: number;
}

export interface Load {
  name: string;
  /** Begins the load. @returns ends it */
  start(target: Target): Promise<() => Promise<void>>;
}

const HOST = "127.0.0.1";
/** A connection that the server closed is opened again after this time, in milliseconds. */
const AGAIN_MS = 250;

/**
 * Opens connections that stay open as long as the server allows; a closed one is not opened again.
 */
async function open(port: number, count: number, onOpen: (socket: Socket) => void): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let i = 0; i < count; i++) {
    const socket = connect(port, HOST);
    socket.on("error", () => {});
    socket.once("connect", () => onOpen(socket));
    sockets.push(socket);
    if (i % 100 === 99) await new Promise((done) => setImmediate(done));
  }
  return sockets;
}

async function closeAll(sockets: readonly Socket[]): Promise<void> {
  const closed = sockets.filter(({ closed }) => !closed).map((socket) => once(socket, "close"));
  for (const socket of sockets) socket.destroy();
  await Promise.all(closed);
}

function request(method: string, path: string, headers = ""): string {
  return `${method} ${path} HTTP/1.1\r\nHost: ${HOST}\r\n${headers}\r\n`;
}

/** No load: what the machine allows at this moment. */
export function none(): Load {
  return { name: "none", start: async () => async () => {} };
}

/** Connections that send nothing. */
export function idle(count: number): Load {
  return {
    name: `${count} idle connections`,
    async start({ port }) {
      const sockets = await open(port, count, () => {});
      return () => closeAll(sockets);
    },
  };
}

/** Connections that send a byte of `text` twice a second, and open again when they are closed. */
function dribbling(name: string, count: number, text: (target: Target) => string): Load {
  return {
    name: `${count} ${name}`,
    async start(target) {
      const bytes = text(target);
      let sockets = await open(target.port, count, () => {});
      let at = 0;
      const timer = setInterval(async () => {
        at++;
        for (const socket of sockets) if (!socket.destroyed) socket.write(at === 1 ? bytes : "x");
        const open_ = sockets.filter(({ destroyed }) => !destroyed);
        const fresh = open(target.port, count - open_.length, (socket) => socket.write(bytes));
        sockets = [...open_, ...(await fresh)];
      }, 500);
      return async () => {
        clearInterval(timer);
        await closeAll(sockets);
      };
    },
  };
}

export const slowHeaders = (count: number): Load =>
  dribbling("slow request heads", count, () => `GET / HTTP/1.1\r\nHost: ${HOST}\r\nX: `);

export const slowBodies = (count: number): Load =>
  dribbling("slow bodies", count, () =>
    request("POST", "/v1/ask", "Content-Type: application/json\r\nContent-Length: 100000\r\n"),
  );

/**
 * Connections that send `pipelined` requests at once and never read, and open again when they are
 * closed.
 */
export function unread(path: string, count: number, pipelined: number): Load {
  return {
    name: `${count} connections × ${pipelined} unread GET ${path.slice(0, 20)}`,
    async start({ port }) {
      let ended = false;
      const sockets = new Set<Socket>();
      const begin = (): void => {
        const socket = connect(port, HOST).pause();
        sockets.add(socket);
        socket.on("error", () => {});
        socket.once("connect", () => socket.write(request("GET", path).repeat(pipelined)));
        socket.once("close", () => {
          sockets.delete(socket);
          if (!ended) setTimeout(() => ended || begin(), AGAIN_MS);
        });
      };
      for (let i = 0; i < count; i++) begin();
      return async () => {
        ended = true;
        await closeAll([...sockets]);
      };
    },
  };
}

/** Clients that send `body` to `path` again and again, `count` at once, whatever is answered. */
export function repeated(
  name: string,
  count: number,
  send: (target: Target, signal: AbortSignal) => Promise<unknown>,
): Load {
  return {
    name: `${count} × ${name}`,
    async start(target) {
      const stop = new AbortController();
      const run = async (): Promise<void> => {
        while (!stop.signal.aborted) {
          const signal = AbortSignal.any([stop.signal]); // fetch leaves a listener on it until it is collected
          await send(target, signal).catch(() => {});
          await new Promise((done) => setTimeout(done, 5));
        }
      };
      const running = Array.from({ length: count }, run);
      return async () => {
        stop.abort();
        await Promise.all(running);
      };
    },
  };
}

export function batches(count: number): Load {
  return repeated("batches of 64 questions", count, async ({ port }, signal) => {
    const questions = Array.from({ length: 64 }, (_, i) => `who founded the observatory number ${i} ${Math.random()}?`);
    const headers = { "Content-Type": "application/json" };
    const response = await fetch(`http://${HOST}:${port}/v1/ask`, {
      ...{ method: "POST", headers, signal },
      body: JSON.stringify({ questions }),
    });
    await response.arrayBuffer();
    if (response.status === 429) await new Promise((done) => setTimeout(done, 200));
  });
}

/** @param gigabytes  sent in chunks without a length, with a token that may write */
export function endlessUploads(count: number, gigabytes: number): Load {
  return repeated(`uploads of ${gigabytes} GB`, count, async ({ port, token }, signal) => {
    const socket = connect(port, HOST);
    socket.on("error", () => {});
    const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
    const headers = `Authorization: Bearer ${token}\r\nTransfer-Encoding: chunked\r\n`;
    socket.write(request("POST", "/v1/uploads?name=endless.txt", headers));
    for (let sent = 0; sent < gigabytes * 1e9 && !socket.destroyed && !signal.aborted; sent += 0x10000) {
      if (socket.write(chunk)) continue;
      await new Promise<void>((done) => {
        const go = (): void => {
          socket.off("drain", go).off("close", go);
          done();
        };
        socket.on("drain", go).on("close", go);
      });
    }
    socket.destroy();
  });
}

/** Documents with `megabytes` of metadata. */
export function largeMetadata(count: number, megabytes: number): Load {
  const field = "m".repeat(1000);
  const metadata = Object.fromEntries(Array.from({ length: megabytes * 1000 }, (_, i) => [`field${i}`, field]));
  const body = JSON.stringify({ text: "A word.", metadata });
  return repeated(`documents with ${megabytes} MB of metadata`, count, async ({ port, token }, signal) => {
    const headers = { "Content-Type": "application/json", Authorization: `Bearer ${token}` };
    const path = `/v1/documents/metadata${Math.floor(Math.random() * 1e6)}`;
    const response = await fetch(`http://${HOST}:${port}${path}`, { method: "PUT", headers, body, signal });
    await response.arrayBuffer();
    await new Promise((done) => setTimeout(done, 200));
  });
}
