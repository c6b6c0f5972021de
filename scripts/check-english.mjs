/**
 * npm run check:english: lists lines that use words or constructions which docs/glossary.md bans.
 * Prints `path:line: word` for each, then a count per folder, and exits with status 1 if there are
 * more than the allowed number.
 *
 *     node scripts/check-english.mjs [--max N] [PATH…]
 */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const FOLDERS = [
  "src",
  "adapters",
  "web",
  "bench",
  "scripts",
  "training",
  "docs",
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
];
const CHECKED = /\.(ts|tsx|mjs|md|py)$/;
const GENERATED =
  /(adapters\/client\/api\.ts|docs\/glossary\.md|docs\/research\/2026-11-21-weights\.md|docs\/results\.md|check-english\.mjs|wasm-bytes\.ts)$/;

/** Documents for measuring, whose authors may write as they like. */
const SAMPLES = /^bench\/development\/invented\//;

const BANNED = [
  /\b[Tt](?:old|ells?)\b(?! (?:me|you|us)\b)/,
  /\b(?:lie|lies|lay out|stood|stands?)\b(?!-?alone| for\b| out\b)/,
  /\bgo(?:es)? on\b/,
  /(?<!\b(?:an?|one|single|first|second|this|that) )\bpass(?:ed|es)? over\b/,
  /\b(?:is|are|was|were) taken (?:in|out)\b|\btakes? (?:in|out)\b/,
  /\bmend(?:s|ed|ing)?\b/,
  /\b(?:anew|afresh)\b/,
  /\b(?:nobody|whoever)\b/,
  /(?<!there )\b(?:is|are) none\b/,
  /\bso (?:many|often)\b/,
  /\bfor who\b/,
  /\bquicker\b/,
  /\ba thread a core\b/,
  /\bas (?:it|they) comes?\b/,
  /^\s*(?:\/\*\*|\*|\/\/) Of (?:a|an|the|what|all|each|every|its|one)\b/,
];

const args = process.argv.slice(2);
const at = args.indexOf("--max");
const max = at < 0 ? 0 : Number(args.splice(at, 2)[1]);
const paths = args.length > 0 ? args : FOLDERS;
const files = execFileSync("git", ["ls-files", "-z", "--", ...paths], { cwd: root, encoding: "utf8" })
  .split("\0")
  .filter((path) => CHECKED.test(path) && !GENERATED.test(path) && !SAMPLES.test(path));

let found = 0;
const perFolder = new Map();
for (const path of files) {
  const lines = readFileSync(`${root}/${path}`, "utf8").split("\n");
  for (const [i, line] of lines.entries()) {
    const match = BANNED.map((pattern) => pattern.exec(line)).find((m) => m !== null);
    if (match === undefined) continue;
    found++;
    const folder = path.split("/").slice(0, 2).join("/");
    perFolder.set(folder, (perFolder.get(folder) ?? 0) + 1);
    console.log(`${path}:${i + 1}: ${match[0].trim()}`);
  }
}
for (const [folder, count] of perFolder) console.log(`${String(count).padStart(5)}  ${folder}`);
console.log(`${found} lines${max > 0 ? `, ${max} allowed` : ""}`);
process.exit(found > max ? 1 : 0);
