/**
 * Codes of problems that a server or a site reports and a user of the page can meet. The other
 * languages translate them. In English the reported text is shown: it says more.
 */
export const ERROR_CODES = [
  "token-needed",
  "token-unknown",
  "scope-missing",
  "other-site",
  "read-only",
  "too-large",
  "cut-off",
  "too-busy",
  "too-fast",
  "timeout",
  "stopping",
  "no-document",
  "no-original",
  "no-job",
  "index-building",
  "index-missing",
  "index-locked",
  "out-of-space",
  "permission-denied",
  "io-error",
  "corrupt-segment",
  "corrupt-manifest",
  "unsupported-format",
  "model-mismatch",
  "model-missing",
  "unreadable-document",
  "unsupported-document",
  "aborted",
  "internal",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];
