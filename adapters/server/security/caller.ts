/**
 * Identifies the caller of a request by its socket, and checks that the request is meant for this
 * server.
 */

import type { Context } from "hono";
import { Problem } from "../http/problems.js";
import { checkSite, type SitePolicy } from "./same-site.js";

/**
 * The address group of the other end: all requests of one process, and of one machine, are of one
 * caller.
 */
export function clientOf({ env }: Context): string {
  return `address ${addressGroup(incomingOf(env)?.socket?.remoteAddress)}`;
}

/** The connection of a request: callers without tokens on one machine have a share each. */
export function connectionOf(c: Context): string {
  const port = incomingOf(c.env)?.socket?.remotePort;
  return `${clientOf(c)}${port === undefined ? "" : `, port ${port}`}`;
}

/**
 * What counts as one address where a share is given per address: this machine, an IPv4 address, or
 * an IPv6 /64 network (the smallest that is assigned to one subscriber).
 * @param address  as `socket.remoteAddress`; undefined without a socket
 */
export function addressGroup(address: string | undefined): string {
  if (address === undefined) return "local";
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "").split("%", 1)[0]!;
  if (plain === "::1" || plain.startsWith("127.")) return "local";
  if (!plain.includes(":")) return plain;
  const [head = "", tail] = plain.split("::");
  const first = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  return `${[...first, ...Array(zeros).fill("0"), ...last].slice(0, 4).join(":")}::/64`;
}

/**
 * Refuses requests that are not meant for this server, or are made by the page of a site that may
 * not ask.
 * @returns the origin that may read the response, if another site's page sent the request
 * @throws Problem as `checkSite`, and 400 for a target that is not a path
 */
export function checkCaller(c: Context, site: SitePolicy): string | undefined {
  const target = incomingOf(c.env)?.url;
  if (target !== undefined && !target.startsWith("/")) {
    // With "GET http://other.example/" the address would replace the Host header that is checked.
    throw new Problem(400, "bad-target", { title: "The server is not a proxy: request a path." });
  }
  const head = (name: string): string | undefined => c.req.header(name);
  const [fetchSite, fetchMode] = [head("Sec-Fetch-Site"), head("Sec-Fetch-Mode")];
  return checkSite({ method: c.req.method, host: head("Host"), origin: head("Origin"), fetchSite, fetchMode }, site);
}

/** The request as Node has it; undefined where the app is called without a socket. */
function incomingOf(env: unknown): Incoming | undefined {
  return (env as { incoming?: Incoming } | undefined)?.incoming;
}

interface Incoming {
  url?: string;
  socket?: { remoteAddress?: string; remotePort?: number };
}
