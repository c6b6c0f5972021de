/** An app on a socket: with limits, and taken down in order. */

import { createServer, type Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { VerbatimError } from "../../../src/errors.js";
import type { Limits } from "./limits.js";

/** Milliseconds that connections have to end by themselves. */
const LAST_MS = 1000;

export function createSocket(fetch: Parameters<typeof createAdaptorServer>[0]["fetch"], limits: Limits): Server {
  const serverOptions = { requestTimeout: limits.requestMs, headersTimeout: 10_000, keepAliveTimeout: 5_000 };
  const server = createAdaptorServer({ fetch, createServer, serverOptions }) as Server;
  server.maxConnections = limits.maxConnections;
  return server;
}

/** @returns the address, as "http://127.0.0.1:4180/" @throws VerbatimError `io-error` for a port in use, an address that is not to be had */
export function listen(server: Server, { host, port }: { host: string; port: number }): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const hint = "Choose another one with --port, or another address with --host.";
      const what =
        cause.code === "EADDRINUSE"
          ? `Port ${port} is in use.`
          : `It cannot listen on ${host}, port ${port} (${cause.code}).`;
      reject(new VerbatimError("io-error", what, { hint, cause }));
    });
    server.listen(port, host, () => {
      const address = server.address();
      const bound = typeof address === "object" && address !== null ? address.port : port;
      resolve(`http://${host.includes(":") ? `[${host}]` : host}:${bound}/`);
    });
  });
}

/** Takes nothing new, lets `finish` end what was taken, then closes what is still connected. */
export async function closeSocket(server: Server, finish: () => Promise<unknown>): Promise<void> {
  const closed = new Promise<void>((done) => server.close(() => done()));
  await finish();
  const timer = setTimeout(() => server.closeAllConnections(), LAST_MS);
  await closed;
  clearTimeout(timer);
}
