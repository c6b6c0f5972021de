/**
 * A stub server that answers like a cluster, or in ways that a real one cannot be made to. Uses TLS
 * if it has a key.
 */

import { createServer as createPlain, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTls } from "node:https";

export interface StubRequest {
  method: string;
  path: string;
  query: Record<string, string>;
  body: string;
  authorization: string | undefined;
}

/** Returns the reply, or undefined to close the connection without one. */
export type StubAnswer = (request: StubRequest) => { status: number; body: unknown } | undefined;

export interface Stub {
  port: number;
  requests: StubRequest[];
  close(): Promise<void>;
}

export async function startStub(answer: StubAnswer, tls?: { key: string; cert: string }): Promise<Stub> {
  const requests: StubRequest[] = [];
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    let body = "";
    incoming.on("data", (piece) => {
      body += piece;
    });
    incoming.on("end", () => {
      const { method = "", url = "", headers } = incoming;
      const [path = "", search] = url.split("?");
      const query = Object.fromEntries(new URLSearchParams(search));
      const request = { method, path, query, body, authorization: headers.authorization };
      requests.push(request);
      const reply = answer(request);
      if (reply === undefined) {
        incoming.socket.destroy();
        return;
      }
      outgoing.writeHead(reply.status, { "Content-Type": "application/json" });
      outgoing.end(JSON.stringify(reply.body));
    });
  };
  const server: Server = tls === undefined ? createPlain(handle) : createTls(tls, handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { port: (server.address() as { port: number }).port, requests, close };
}
