/**
 * npm run demo: indexes the sample documents of a fresh clone and asks questions. Needs only Node
 * and, the first time, a package registry.
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureBuilt, main, root } from "./prepare.mjs";

const QUESTIONS = [
  "Who founded the observatory?",
  "How long does the rye dough rest overnight?",
  "What does the red light on the pump mean?",
  "Which port does the server listen on?",
  "How many beehives did the survey count in the first year?",
  "When is the spring ride?",
];
/** A question that the documents do not answer. */
const UNANSWERABLE = "How much does a ticket for the ferry cost?";

function verbatim(args) {
  const result = spawnSync(process.execPath, [main, ...args], { cwd: root, stdio: "inherit" });
  if (result.status === 0 || result.status === 1) return;
  process.exit(result.status ?? 3);
}

function say(line) {
  process.stdout.write(`${line}\n`);
}

ensureBuilt();
const model = process.env.VERBATIM_MODEL ?? join(root, "models", "verbatim-en");
if (!existsSync(join(model, "model.json"))) {
  process.stderr.write(
    `verbatim: There is no model in ${model}.\n  hint: Clone the whole repository; it contains the model.\n`,
  );
  process.exit(3);
}
const folder = mkdtempSync(join(tmpdir(), "verbatim-demo-"));
try {
  const index = join(folder, "index");
  say(`\n$ ./verbatim index samples --index ${index}`);
  verbatim(["index", "samples", "--index", index]);
  for (const question of QUESTIONS) {
    say(`\n$ ./verbatim ask "${question}" --index ${index}`);
    verbatim(["ask", question, "--index", index, "--top-k", "3"]);
  }
  say(`\n$ ./verbatim ask "${UNANSWERABLE}" --index ${index}      # the samples do not answer it`);
  verbatim(["ask", UNANSWERABLE, "--index", index]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
say(`
Now your own files (nothing leaves this machine):
  ./verbatim index ~/notes --index ./my.index
  ./verbatim ask "your question" --index ./my.index
  ./verbatim ask --index ./my.index        asks for one question after another
To see why an answer ranks where it does, add --explain. For programs, add --json. All commands: ./verbatim --help`);
