/** What a person at a terminal sees of a server: what is taken in and what fails; not every request. */

import type { Log } from "../../server/http/log.js";
import { type Io, printLine } from "../process-io.js";
import { openBar } from "./progress.js";
import { count, counted, plain } from "./terminal.js";

type Details = Readonly<Record<string, unknown>>;

/** The events of adapters/server as lines for people; `end` takes the live line away. */
export function serveView(io: Io, options: { followed: string | undefined }): { log: Log; end: () => void } {
  const bar = openBar(io, { quiet: false });
  const note = (line: string): void => {
    bar.end();
    printLine(io.stderr, line);
  };
  const tell: Record<string, (details: Details) => void> = {
    progress: (details) => {
      if (typeof details.share === "number") bar.show(details.share * 1000, 1000, amounts(details));
    },
    skipped: ({ source, reason, hint }) => note(`skipped ${plain(`${source}: ${reason}. ${hint ?? ""}`)}`),
    job: (details) => {
      const following = details.kind === "paths" && options.followed !== undefined && details.stopped !== true;
      note(`${changes(details)}.${following ? ` Following ${plain(options.followed!)} for changes.` : ""}`);
    },
    followed: (details) => note(`${changes(details)}.`),
    "job failed": ({ error, hint }) => note(problem(`Nothing was taken in: ${error}`, hint)),
    "not followed": ({ error, hint }) => note(problem(`Changes are not followed any more: ${error}`, hint)),
    stopping: () => note("Stopping; what is under way is finished and saved. Ctrl-C again quits at once."),
  };
  const log: Log = (level, event, details = {}) => {
    const known = tell[event];
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
  const known = Number(unchanged) > 0 ? `, ${count(Number(unchanged))} known already` : "";
  return `${counted(Number(documents), "document")}, ${counted(Number(passages), "passage")}${known}`;
}

/** "12 documents taken in (34 passages), 1 taken out, 3 unchanged; version 5" */
function changes({ documents, passages, deleted, unchanged, version, stopped }: Details): string {
  const said: string[] = [];
  if (Number(documents) > 0)
    said.push(`${counted(Number(documents), "document")} taken in (${counted(Number(passages), "passage")})`);
  if (Number(deleted) > 0) said.push(`${counted(Number(deleted), "document")} taken out`);
  if (Number(unchanged) > 0) said.push(`${count(Number(unchanged))} unchanged`);
  const what = said.join(", ") || "nothing to take in";
  const first = what.charAt(0).toUpperCase() + what.slice(1);
  const rest = stopped === true ? "; stopped before the end, the same command again goes on" : "";
  return `${first}${typeof version === "number" ? `; the index is at version ${version}` : ""}${rest}`;
}
