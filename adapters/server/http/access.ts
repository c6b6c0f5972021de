/** Which callers may do what. */

import { type Access, allows, bearerToken, type Scope } from "../security/tokens.js";
import { Problem } from "./problems.js";
import type { RequestContext, Service } from "./service.js";

type AccessRules = Pick<Service, "tokens" | "anonymous" | "questionRate">;

/**
 * @returns the caller and its scope
 * @throws Problem 401 without a known token, 403 when its scope is not enough, 429 for many unknown
 *   ones
 */
export function requireScope(c: RequestContext, service: AccessRules, needs: Scope): Access {
  const access = accessOf(c, service);
  if (access !== undefined && allows(access.scope, needs)) return access;
  if (access === undefined || bearerToken(c.req.header("Authorization")) === undefined) {
    throw new Problem(401, "token-needed", {
      title: `A token with the scope "${needs}" is required.`,
      hint: "Send it in the header Authorization: Bearer TOKEN.",
      headers: { "WWW-Authenticate": 'Bearer realm="verbatim"' },
    });
  }
  throw new Problem(403, "scope-missing", {
    title: `The token does not have the scope "${needs}".`,
    hint: "Ask the operator of the server for one that has it.",
  });
}

/** @returns undefined for a caller that may do nothing @throws Problem 401 for an unknown token */
export function accessOf(c: RequestContext, { tokens, anonymous, questionRate }: AccessRules): Access | undefined {
  const token = bearerToken(c.req.header("Authorization"));
  const client = c.get("client");
  if (token === undefined) return anonymous === undefined ? undefined : { scope: anonymous, client };
  const found = token === "" ? undefined : tokens?.find(token);
  if (found !== undefined) return found;
  questionRate.take(client, 10); // guesses are limited to a tenth of the rate of questions
  throw new Problem(401, "token-unknown", {
    title: "The token is unknown.",
    headers: { "WWW-Authenticate": 'Bearer realm="verbatim", error="invalid_token"' },
  });
}
