/** Who asks, as the socket says it, and whether a request is for this server at all. */

import type { Context } from "hono";
import { Problem } from "../http/problems.js";
import { checkSite, type SitePolicy } from "./same-site.js";

/** The address of the other end; all of a process's own requests are of one caller. */
export function clientOf({ env }: Context): string {
  return `address ${incomingOf(env)?.socket?.remoteAddress ?? "local"}`;
}

/**
 * Refuses what is not asked of this server by a site that may ask.
 * @returns the origin that may read the answer, if another site's page asks
 * @throws Problem as `checkSite`, and 400 for a target that is no path
 */
export function checkCaller(c: Context, site: SitePolicy): string | undefined {
  const target = incomingOf(c.env)?.url;
  if (target !== undefined && !target.startsWith("/")) {
    // "GET http://other.example/": the address would go before the Host header that is checked
    throw new Problem(400, "bad-target", { title: "The server is no proxy: ask for a path." });
  }
  const head = (name: string): string | undefined => c.req.header(name);
  const [fetchSite, fetchMode] = [head("Sec-Fetch-Site"), head("Sec-Fetch-Mode")];
  return checkSite({ method: c.req.method, host: head("Host"), origin: head("Origin"), fetchSite, fetchMode }, site);
}

/** The request as Node has it; undefined where the app is called without a socket. */
function incomingOf(env: unknown): { url?: string; socket?: { remoteAddress?: string } } | undefined {
  return (env as { incoming?: { url?: string; socket?: { remoteAddress?: string } } } | undefined)?.incoming;
}
