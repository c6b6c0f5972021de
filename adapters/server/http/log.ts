/** One JSON object a line: what happened, when, and what of which request. Questions and tokens are never written. */

/** `debug` is only for a person who looks on: it may name documents, and is never written to a log. */
export type LogLevel = "debug" | "info" | "warn" | "error";

export type Log = (level: LogLevel, event: string, details?: Readonly<Record<string, unknown>>) => void;

/** @param write  takes whole lines */
export function jsonLog(write: (line: string) => unknown): Log {
  return (level, event, details = {}) => {
    if (level === "debug") return;
    write(`${JSON.stringify({ time: new Date().toISOString(), level, event, ...details })}\n`);
  };
}

/** For the log only, which the server's owner reads: message and stack. */
export function errorDetails(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error) };
  const cause = error.cause instanceof Error ? { cause: error.cause.message } : {};
  return { error: error.message, stack: error.stack, ...cause };
}
