/** Errors of the official client, as `VerbatimError`, and which of them are worth a retry. */

import { VerbatimError } from "../../../src/errors.js";

/** `found` of the error if the cluster has lost a search or a point in time, as by a deleted index. */
export const LOST_CONTEXT = "search_context_missing_exception";

interface FailedRequest {
  /** The address without its password. */
  shown: string;
  /** Milliseconds since the first try. */
  waitedMs: number;
}

export function clusterError(error: unknown, request: FailedRequest): VerbatimError {
  const { shown } = request;
  if (error instanceof VerbatimError) return error;
  const status = statusOf(error);
  const why = reasonOf(error);
  if (status === 401 || status === 403) {
    const hint =
      "Set VERBATIM_OPENSEARCH_USERNAME and VERBATIM_OPENSEARCH_PASSWORD, or write USER:PASSWORD@ before the host.";
    return new VerbatimError("permission-denied", `The cluster denied access to ${shown}: ${why}.`, {
      hint,
      cause: error,
    });
  }
  if (status === 404) {
    const type = typeOf(error);
    if (type === "index_not_found_exception") return indexMissing(shown, error);
    const hint = "Run the command again.";
    return new VerbatimError("io-error", `The cluster of ${shown} did not find what was requested: ${why}.`, {
      found: type,
      hint,
      cause: error,
    });
  }
  if (status === 429) {
    const hint = "Wait until it is less busy, or add nodes.";
    return new VerbatimError("io-error", `The cluster is overloaded: ${why}.`, { hint, cause: error });
  }
  if (status !== undefined && status < 500)
    return new VerbatimError("invalid-argument", `The cluster rejected the request: ${why}.`, { cause: error });
  const hint = /certificate|self.signed|altname/i.test(why)
    ? "Set VERBATIM_OPENSEARCH_CA to the file of the certificate authority that signed it."
    : "Check that the address is right and the cluster is up (GET _cluster/health), then try again.";
  return new VerbatimError("io-error", failureMessage(error, request), { hint, cause: error });
}

export function indexMissing(shown: string, cause?: unknown): VerbatimError {
  const hint = "Create it with verbatim index PATH --to ADDRESS, or verbatim copy INDEX ADDRESS.";
  return new VerbatimError("index-missing", `There is no index ${shown}.`, { hint, cause });
}

function failureMessage(error: unknown, { shown, waitedMs }: FailedRequest): string {
  const why = reasonOf(error);
  if (statusOf(error) !== undefined) return `The cluster of ${shown} failed: ${why}.`;
  if ((error as Error).name !== "TimeoutError") return `${shown} cannot be reached: ${why}.`;
  return `${shown} did not answer within ${Math.ceil(waitedMs / 1000)} s.`;
}

/**
 * True for temporary failures: no answer, busy, or a shard that is moving. Certificate errors are
 * permanent.
 */
export function isTemporary(error: unknown): boolean {
  if (error instanceof VerbatimError) return error.code === "io-error";
  const status = statusOf(error);
  if (status === undefined) return !/certificate|self.signed|altname/i.test(reasonOf(error));
  return status === 429 || status >= 500;
}

/** Status of the client's error; undefined if there was no answer. */
function statusOf(error: unknown): number | undefined {
  const { statusCode } = error as { statusCode?: unknown };
  return typeof statusCode === "number" && statusCode > 0 ? statusCode : undefined;
}

interface Cause {
  type?: string;
  reason?: string;
}

interface ErrorBody {
  error?: (Cause & { root_cause?: Cause[] }) | string;
}

/**
 * The cluster's own description of the error, which is the first shard's if a search failed on
 * shards. Other root causes mislead: that of a lost task is that the index [.tasks] is missing.
 */
function causeOf(error: unknown): Cause {
  const { body } = error as { body?: ErrorBody };
  if (typeof body?.error !== "object") return { reason: body?.error };
  const { type = "", root_cause: [first] = [] } = body.error;
  return type.includes("search_phase") && first !== undefined ? first : body.error;
}

/** The cluster's name of the error, such as "index_not_found_exception"; undefined if it sent none. */
export const typeOf = (error: unknown): string | undefined => causeOf(error).type;

/** The reason in one line, without the request body. */
function reasonOf(error: unknown): string {
  const { message } = error as { message?: string };
  return String(causeOf(error).reason ?? message ?? error)
    .split("\n")[0]!
    .slice(0, 300);
}
