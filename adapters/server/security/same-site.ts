/**
 * Whose page asks? A page of another site must not read private documents through the browser of someone who may: neither by naming this
 * machine (Origin), nor by giving its own name our address (Host, "DNS rebinding").
 */

import { isIP } from "node:net";
import { Problem } from "../http/problems.js";

export interface SitePolicy {
  /** True when only this machine can connect: then only its own names are taken as Host. */
  loopback: boolean;
  /** Origins of other sites that may ask, as "https://docs.example"; "*" for all. */
  cors: readonly string[];
}

interface RequestHead {
  method: string;
  host: string | undefined;
  origin: string | undefined;
  /** Sec-Fetch-Site */
  fetchSite: string | undefined;
  /** Sec-Fetch-Mode */
  fetchMode: string | undefined;
}

/**
 * @returns the origin to name in Access-Control-Allow-Origin, or undefined when it is none of another site
 * @throws Problem 400 (no usable Host), 403 (another site), 421 (a name that is not ours)
 */
export function checkSite(head: RequestHead, policy: SitePolicy): string | undefined {
  const { host, origin, fetchSite, fetchMode } = head;
  const name = hostName(host);
  if (name === undefined) {
    throw new Problem(400, "bad-host", { title: "The Host header is missing or cannot be read." });
  }
  if (policy.loopback && !isLoopbackName(name)) {
    throw new Problem(421, "wrong-host", {
      title: "This server answers only under the names of this machine.",
      hint: "Ask 127.0.0.1 or localhost; to be reached by others, start it with --host and --token-file.",
    });
  }
  if (origin !== undefined) {
    if (isOwnOrigin(origin, host!)) return undefined;
    if (policy.cors.includes(origin) || policy.cors.includes("*")) return origin;
    throw otherSite();
  }
  // No Origin: a browser that loads something for another site's page still says so, but a link that a person follows is no reading.
  if (fetchSite === "cross-site" && fetchMode !== "navigate") throw otherSite();
  if (fetchSite === "cross-site" && head.method !== "GET" && head.method !== "HEAD") throw otherSite();
  return undefined;
}

function otherSite(): Problem {
  return new Problem(403, "other-site", {
    title: "Pages of other sites may not ask here.",
    hint: "Start the server with --cors and the site's origin to allow it.",
  });
}

/** "localhost:8080" → "localhost", "[::1]:80" → "::1"; undefined for what is no host. */
function hostName(host: string | undefined): string | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\.?))(?::\d{1,5})?$/i.exec(host ?? "");
  return (match?.[1] ?? match?.[2])?.toLowerCase();
}

function isOwnOrigin(origin: string, host: string): boolean {
  return origin === `http://${host.toLowerCase()}` || origin === `https://${host.toLowerCase()}`;
}

export function isLoopbackName(name: string): boolean {
  const plain = name.replace(/\.$/, "").toLowerCase();
  if (plain === "localhost" || plain === "::1") return true;
  return isIP(plain) === 4 && plain.startsWith("127.");
}

/** "https://docs.example" or "*"; an origin has no path. */
export function isOrigin(text: string): boolean {
  if (text === "*") return true;
  try {
    return new URL(text).origin === text && /^https?:/.test(text);
  } catch {
    return false;
  }
}
