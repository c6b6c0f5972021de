/** Errors of the official client, as `VerbatimError`, and which of them are worth a retry. */

import { VerbatimError } from "../../src/errors.js";

/** @param shown  the address without its password */
export function clusterError(error: unknown, shown: string): VerbatimError {
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
    const hint = "Create it with verbatim index PATH --to ADDRESS, or verbatim copy INDEX ADDRESS.";
    return new VerbatimError("index-missing", `There is no index ${shown}.`, { hint, cause: error });
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
  const message =
    status === undefined ? `${shown} cannot be reached: ${why}.` : `The cluster of ${shown} failed: ${why}.`;
  return new VerbatimError("io-error", message, { hint, cause: error });
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

/** The reason in one line, without the request body. */
function reasonOf(error: unknown): string {
  const { body, message } = error as {
    body?: { error?: { reason?: string; root_cause?: Array<{ reason?: string }> } | string };
    message?: string;
  };
  const reason =
    typeof body?.error === "object" ? (body.error.root_cause?.[0]?.reason ?? body.error.reason) : body?.error;
  return String(reason ?? message ?? error)
    .split("\n")[0]!
    .slice(0, 300);
}
