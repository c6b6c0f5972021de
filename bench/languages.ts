/**
 * Which languages are detected in texts of a known one? For each file, counts per language.
 *
 *     npm run bench -- languages FILE… [--limit 20000]
 *
 * A file is SQuAD JSON (its paragraphs), JSONL (the field "text" or "context"), or any other text, and may
 * be packed as .xz (needs xz). Folders stand for all files below them with text in them.
 */

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { detectLanguage } from "../src/text/language/language.js";
import { record } from "./support/results.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { limit: { type: "string", default: "20000" } },
});
const limit = Number(values.limit);

for (const path of positionals) {
  const texts = textsIn(path).slice(0, limit);
  const counts: Record<string, number> = {};
  const begun = process.cpuUsage();
  for (const text of texts) {
    const language = detectLanguage(text) ?? "unknown";
    counts[language] = (counts[language] ?? 0) + 1;
  }
  const { user, system } = process.cpuUsage(begun);
  const microseconds = Math.round((user + system) / Math.max(1, texts.length));
  await record("languages", { texts: texts.length, of: basename(path), counts, microseconds });
}

function textsIn(path: string): string[] {
  if (statSync(path).isDirectory()) {
    const entries = readdirSync(path, { recursive: true, withFileTypes: true });
    const files = entries.filter(
      (entry) => entry.isFile() && /\.(?:[cm]?[jt]sx?|py|c|h|md|json|txt)$/.test(entry.name),
    );
    return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
  }
  const text = path.endsWith(".xz") ? unpacked(path) : readFileSync(path, "utf8");
  const name = path.replace(/\.xz$/, "");
  if (name.endsWith(".jsonl")) return text.trimEnd().split("\n").slice(0, limit).map(textOfRecord);
  if (!name.endsWith(".json")) return [text];
  const { data } = JSON.parse(text) as { data: { paragraphs: { context: string }[] }[] };
  return data.flatMap(({ paragraphs }) => paragraphs.map(({ context }) => context));
}

function unpacked(path: string): string {
  return execFileSync("xz", ["-dc", path], { maxBuffer: 2 ** 30 }).toString("utf8");
}

function textOfRecord(line: string): string {
  const { text, context } = JSON.parse(line) as { text?: string; context?: string };
  return text ?? context ?? line;
}
