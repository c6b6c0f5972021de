/** Tokens with scopes, stored as hashes and compared in constant time. */

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { VerbatimError } from "../../../src/errors.js";

/** Each scope includes the previous one. */
export const SCOPES = ["ask", "write", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

export interface StoredToken {
  digest: Buffer;
  scope: Scope;
}

export interface Access {
  scope: Scope;
  /** Identifies the caller in queues and rates, without revealing the token. */
  client: string;
}

const MIN_LENGTH = 16;

export class Tokens {
  readonly #stored: readonly StoredToken[];

  constructor(stored: readonly StoredToken[]) {
    this.#stored = stored;
  }

  /** Makes a random token that is valid only for this run, for the user at this machine. */
  static forThisRun(scope: Scope): { tokens: Tokens; token: string } {
    const token = randomBytes(24).toString("base64url");
    return { tokens: new Tokens([{ digest: digestOf(token), scope }]), token };
  }

  /**
   * The file has one line per token: the scope, a space, then the token, or `sha256:` and its hash
   * in hex. Empty lines and lines that start with # are ignored.
   * @throws VerbatimError `invalid-argument` with the number of the line, never its content
   */
  static parse(text: string): Tokens {
    const stored: StoredToken[] = [];
    for (const [i, raw] of text.split(/\r?\n/).entries()) {
      const line = raw.trim();
      if (line === "" || line.startsWith("#")) continue;
      const [scope, token, ...more] = line.split(/\s+/);
      if (!isScope(scope) || token === undefined || more.length > 0) {
        throw badLine(i + 1, "is not a scope and a token", "Write it as: write TOKEN (scopes: ask, write, admin).");
      }
      const hash = /^sha256:([0-9a-f]{64})$/i.exec(token)?.[1];
      if (hash === undefined && token.startsWith("sha256:")) {
        throw badLine(i + 1, "has a hash that is not 64 hex digits", "Give the SHA-256 of the token in hex.");
      }
      if (hash === undefined && token.length < MIN_LENGTH) {
        throw badLine(
          i + 1,
          `has a token of fewer than ${MIN_LENGTH} characters`,
          "Create one with: openssl rand -base64 24",
        );
      }
      stored.push({ digest: hash === undefined ? digestOf(token) : Buffer.from(hash, "hex"), scope });
    }
    if (stored.length === 0) {
      throw new VerbatimError("invalid-argument", "The token file has no token.", {
        hint: 'Write one token per line, for example "write TOKEN".',
      });
    }
    return new Tokens(stored);
  }

  /**
   * Compares with all stored tokens, so that the time reveals nothing.
   * @returns undefined for an unknown token
   */
  find(token: string): Access | undefined {
    const digest = digestOf(token);
    let found: Access | undefined;
    for (const stored of this.#stored) {
      if (timingSafeEqual(stored.digest, digest) && (found === undefined || allows(stored.scope, found.scope)))
        found = { scope: stored.scope, client: `token ${digest.toString("hex", 0, 6)}` };
    }
    return found;
  }
}

export function allows(has: Scope, needs: Scope): boolean {
  return SCOPES.indexOf(has) >= SCOPES.indexOf(needs);
}

/** The token of `Authorization: Bearer …`; undefined without the header, "" for an invalid one. */
export function bearerToken(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  return /^Bearer +([\x21-\x7e]{1,512})$/i.exec(header)?.[1] ?? "";
}

function isScope(text: string | undefined): text is Scope {
  return SCOPES.some((scope) => scope === text);
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token, "utf8").digest();
}

function badLine(line: number, what: string, hint: string): VerbatimError {
  return new VerbatimError("invalid-argument", `Line ${line} of the token file ${what}.`, { hint });
}
