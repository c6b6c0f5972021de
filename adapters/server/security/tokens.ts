/** Who may do what: tokens with scopes, kept as hashes and compared in constant time. */

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { VerbatimError } from "../../../src/errors.js";

/** Each may do what the one before may. */
export const SCOPES = ["ask", "write", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

export interface StoredToken {
  digest: Buffer;
  scope: Scope;
}

export interface Access {
  scope: Scope;
  /** Tells callers apart in queues and rates; says nothing of the token. */
  client: string;
}

const LEAST_LENGTH = 16;

export class Tokens {
  readonly #stored: readonly StoredToken[];

  constructor(stored: readonly StoredToken[]) {
    this.#stored = stored;
  }

  /** One token of this run only, for what the person at this machine wants to write. */
  static forThisRun(scope: Scope): { tokens: Tokens; token: string } {
    const token = randomBytes(24).toString("base64url");
    return { tokens: new Tokens([{ digest: digestOf(token), scope }]), token };
  }

  /**
   * The file has a line for each token: the scope, a space, then the token or `sha256:` and its hash in hex. Lines that begin with # and
   * empty ones do not count.
   * @throws VerbatimError `invalid-argument` that names the line, never what stands in it
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
      if (hash === undefined && token.length < LEAST_LENGTH) {
        throw badLine(
          i + 1,
          `has a token of fewer than ${LEAST_LENGTH} characters`,
          "Make one with: openssl rand -base64 24",
        );
      }
      stored.push({ digest: hash === undefined ? digestOf(token) : Buffer.from(hash, "hex"), scope });
    }
    if (stored.length === 0) {
      throw new VerbatimError("invalid-argument", "The token file has no token.", {
        hint: 'Give each token a line, as "write TOKEN".',
      });
    }
    return new Tokens(stored);
  }

  /** All stored tokens are looked at whatever comes, so the time says nothing. @returns undefined for an unknown token */
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

/** The token of `Authorization: Bearer …`; undefined when there is none, "" when it cannot be read. */
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
