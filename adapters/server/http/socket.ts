/** An app on a socket: with limits, and closed in order. */

import { createServer, type Server } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { VerbatimError } from "../../../src/errors.js";
import { Connections, type DropReason } from "./connections.js";
import type { Limits } from "./limits.js";

/** Milliseconds that open connections have to end by themselves when the server closes. */
const CLOSE_MS = 1000;
/**
 * Milliseconds in which the head of a request must have arrived, from the start of the connection
 * or of the request.
 */
const HEADERS_MS = 10_000;
/** Milliseconds after which a connection without a request is closed. */
const KEEP_ALIVE_MS = 5000;
/**
 * Connections that the system accepts ahead of the server. Node takes all of them at once; more
 * than a share (`maxConnectionsPerAddress`) would be dropped before their first request is read.
 */
const BACKLOG = 64;
/** How often Node checks these time limits, in milliseconds. */
const CHECK_EVERY_MS = 1000;

export function createSocket(
  fetch: Parameters<typeof getRequestListener>[0],
  limits: Limits,
  onDrop?: (reason: DropReason) => void,
): Server {
  const connections = new Connections(getRequestListener(fetch), { limits, onDrop });
  const server = createServer(
    {
      requestTimeout: limits.requestMs,
      headersTimeout: HEADERS_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: CHECK_EVERY_MS,
    },
    (request, response) => connections.receive(request, response),
  );
  connections.watch(server);
  return server;
}

/**
 * @returns the address, as "http://127.0.0.1:4180/"
 * @throws VerbatimError `io-error` when the port is in use or the address cannot be bound
 */
export function listen(server: Server, { host, port }: { host: string; port: number }): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const hint = "Choose another one with --port, or another address with --host.";
      const message =
        cause.code === "EADDRINUSE"
          ? `Port ${port} is in use.`
          : `The server cannot listen on ${host}, port ${port} (${cause.code}).`;
      reject(new VerbatimError("io-error", message, { hint, cause }));
    });
    server.listen({ port, host, backlog: BACKLOG }, () => {
      const address = server.address();
      const bound = typeof address === "object" && address !== null ? address.port : port;
      resolve(`http://${host.includes(":") ? `[${host}]` : host}:${bound}/`);
    });
  });
}

/**
 * Stops accepting connections, waits for `finish`, then closes the connections that are still open.
 */
export async function closeSocket(server: Server, finish: () => Promise<unknown>): Promise<void> {
  const closed = new Promise<void>((done) => server.close(() => done()));
  await finish();
  const timer = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
  await closed;
  clearTimeout(timer);
}
