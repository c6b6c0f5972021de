/** What `verbatim serve` prints on a terminal: indexing and errors, but not every request. */

import type { Log } from "../../server/http/log.js";
import { type Io, printLine } from "../process-io.js";
import { openBar } from "./progress.js";
import { count, counted, plain } from "./terminal.js";

type Details = Readonly<Record<string, unknown>>;

/** Prints the server's log events as text; `end` clears the live line. */
export async function serveView(
  io: Io,
  options: { followed: string | undefined },
): Promise<{ log: Log; end: () => void }> {
  const bar = await openBar(io, { quiet: false });
  const note = (line: string): void => {
    bar.end();
    printLine(io.stderr, line);
  };
  const printers: Record<string, (details: Details) => void> = {
    progress: (details) => {
      if (typeof details.share === "number") bar.show(details.share * 1000, 1000, amounts(details));
    },
    skipped: ({ source, reason, hint }) => note(`skipped ${plain(`${source}: ${reason}. ${hint ?? ""}`)}`),
    job: (details) => {
      const following = details.kind === "paths" && options.followed !== undefined && details.stopped !== true;
      note(`${changes(details)}.${following ? ` Following ${plain(options.followed!)} for changes.` : ""}`);
    },
    followed: (details) => note(`${changes(details)}.`),
    "job failed": ({ error, hint }) => note(problem(`Nothing was indexed: ${error}`, hint)),
    "following interrupted": ({ error, hint, retryInSeconds }) =>
      note(problem(`Following was interrupted and resumes in ${retryInSeconds} s: ${error}`, hint)),
    "following resumed": () => note("Following again; nothing that changed meanwhile was missed."),
    stopping: () => note("Stopping; work in progress is finished and saved. Press Ctrl-C again to quit at once."),
  };
  const log: Log = (level, event, details = {}) => {
    const known = printers[event];
    if (known !== undefined) known(details);
    else if (level === "error" || level === "warn") note(problem(`${event}: ${details.error ?? ""}`, undefined));
  };
  return { log, end: () => bar.end() };
}

function problem(message: string, hint: unknown): string {
  const next = typeof hint === "string" ? `\n  hint: ${plain(hint)}` : "";
  return `verbatim: ${plain(message)}${next}`;
}

function amounts({ documents, passages, unchanged }: Details): string {
  const known = Number(unchanged) > 0 ? `, ${count(Number(unchanged))} unchanged` : "";
  return `${counted(Number(documents), "document")}, ${counted(Number(passages), "passage")}${known}`;
}

/**
 * "12 documents indexed (34 passages), 1 document removed, 3 unchanged; the index is at version 5"
 */
function changes({ documents, passages, deleted, unchanged, version, stopped }: Details): string {
  const parts: string[] = [];
  if (Number(documents) > 0)
    parts.push(`${counted(Number(documents), "document")} indexed (${counted(Number(passages), "passage")})`);
  if (Number(deleted) > 0) parts.push(`${counted(Number(deleted), "document")} removed`);
  if (Number(unchanged) > 0) parts.push(`${count(Number(unchanged))} unchanged`);
  const what = parts.join(", ") || "nothing to index";
  const first = what.charAt(0).toUpperCase() + what.slice(1);
  const rest = stopped === true ? "; stopped before the end, run the same command again to resume" : "";
  return `${first}${typeof version === "number" ? `; the index is at version ${version}` : ""}${rest}`;
}
