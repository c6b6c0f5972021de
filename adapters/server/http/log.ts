/** The log: one JSON object per line. It never contains questions, names of documents or tokens. */

/** `debug` may name documents: it is shown on a terminal and never written to a log. */
export type LogLevel = "debug" | "info" | "warn" | "error";

export type Log = (level: LogLevel, event: string, details?: Readonly<Record<string, unknown>>) => void;

/** @param write  receives complete lines */
export function jsonLog(write: (line: string) => unknown): Log {
  return (level, event, details = {}) => {
    if (level === "debug") return;
    write(`${JSON.stringify({ time: new Date().toISOString(), level, event, ...details })}\n`);
  };
}

/** Message and stack, for the log only. */
export function errorDetails(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error) };
  const cause = error.cause instanceof Error ? { cause: error.cause.message } : {};
  return { error: error.message, stack: error.stack, ...cause };
}
