/** `verbatim-qa/server`: the server of `verbatim serve` for programs. */

export { VerbatimError } from "../../src/errors.js";
export type { Limits } from "./http/limits.js";
export { jsonLog, type Log, type LogLevel } from "./http/log.js";
export type { ServeOptions } from "./options.js";
export { type Access, SCOPES, type Scope, type StoredToken, Tokens } from "./security/tokens.js";
export { type RunningServer, serve } from "./serve.js";
