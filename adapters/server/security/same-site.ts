/**
 * Checks which site a request comes from. A page of another site must not read private documents
 * through the browser of a permitted user: neither with a request to this machine (Origin), nor by
 * resolving its own name to our address (Host, "DNS rebinding").
 */

import { isIP } from "node:net";
import { VerbatimError } from "../../../src/errors.js";
import { Problem } from "../http/problems.js";
import type { Tokens } from "./tokens.js";

export interface SitePolicy {
  /** True if only this machine can connect; only its own names are then accepted as Host. */
  loopback: boolean;
  /**
   * Origins of other sites that may send requests, for example "https://docs.example"; "*" for all.
   */
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
 * @returns the origin to name in Access-Control-Allow-Origin, or undefined if the request comes
 *   from this site
 * @throws Problem 400 (no valid Host), 403 (another site), 421 (a name of another machine)
 */
export function checkSite(head: RequestHead, policy: SitePolicy): string | undefined {
  const { host, origin, fetchSite, fetchMode } = head;
  const name = hostName(host);
  if (name === undefined) {
    throw new Problem(400, "bad-host", { title: "The Host header is missing or invalid." });
  }
  if (policy.loopback && !isLoopbackName(name)) {
    throw new Problem(421, "wrong-host", {
      title: "This server can only be reached by the names of this machine.",
      hint: "Use 127.0.0.1 or localhost. To serve others, start it with --host and --token-file.",
    });
  }
  if (origin !== undefined) {
    if (isOwnOrigin(origin, host!)) return undefined;
    if (policy.cors.includes(origin) || policy.cors.includes("*")) return origin;
    throw otherSite();
  }
  // Without Origin, browsers still mark requests from pages of other sites. A link that a person
  // follows is allowed.
  if (fetchSite === "cross-site" && fetchMode !== "navigate") throw otherSite();
  if (fetchSite === "cross-site" && head.method !== "GET" && head.method !== "HEAD") throw otherSite();
  return undefined;
}

function otherSite(): Problem {
  return new Problem(403, "other-site", {
    title: "Pages of other sites cannot use this server.",
    hint: "Start the server with --cors and the site's origin to allow it.",
  });
}

/** "localhost:8080" → "localhost", "[::1]:80" → "::1"; undefined for anything else. */
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

/** @throws VerbatimError `invalid-argument` for an address that other machines can reach, without tokens */
export function requireTokens(host: string, tokens: Tokens | undefined): void {
  if (tokens !== undefined || isLoopbackName(host)) return;
  throw new VerbatimError(
    "invalid-argument",
    "Without a token the server accepts connections from this machine only.",
    { hint: "Add --token-file, or omit --host." },
  );
}

/** True for "*" and for origins such as "https://docs.example", without a path. */
export function isOrigin(text: string): boolean {
  if (text === "*") return true;
  try {
    return new URL(text).origin === text && /^https?:/.test(text);
  } catch {
    return false;
  }
}
