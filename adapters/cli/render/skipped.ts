/** Reports skipped files, grouped by reason; --json lists all. */

import type { SkippedInput } from "../../node/documents/input.js";
import type { NotPruned } from "../../node/ingest/prune.js";
import { count, counted, plain } from "./terminal.js";

const SHOWN = 20;

export function skippedLines(skips: readonly SkippedInput[], total: number): string[] {
  if (skips.length === 0) return [];
  const groups = new Map<string, { skip: SkippedInput; names: string[] }>();
  for (const skip of skips.slice(0, SHOWN)) {
    const reason = skip.line === undefined ? skip.reason : skip.reason.replace(/^line \d+:? /, "");
    const key = `${reason}\n${skip.hint ?? ""}`;
    const group = groups.get(key) ?? { skip: { ...skip, reason }, names: [] };
    group.names.push(skip.line === undefined ? plain(skip.source) : `${plain(skip.source)}:${skip.line}`);
    groups.set(key, group);
  }
  const lines = [`Skipped ${count(total)}:`];
  for (const { skip, names } of groups.values()) {
    const hint = skip.hint === undefined ? "" : ` ${plain(skip.hint)}`;
    lines.push(`  ${names.join(", ")}: ${plain(skip.reason)}.${hint}`);
  }
  const shown = skips.slice(0, SHOWN).reduce((sum, skip) => sum + (skip.count ?? 1), 0);
  if (total > shown) lines.push(`  … and ${count(total - shown)} more (--json lists all)`);
  return lines;
}

/** Explains why documents stay in the index although their files were not found. */
export function notPrunedLine({ path, reason, documents }: NotPruned): string {
  const [stay, them] =
    documents === 1 ? ["its document stays", "it"] : [`its ${counted(documents, "document")} stay`, "them"];
  return `note: ${plain(path)} ${reason}: ${stay} in the index. To remove ${them}: verbatim delete --where 'source contains "…"'.`;
}
