/** npm run demo: from a fresh clone to answers, on the sample documents. Needs only Node and, the first time, a registry. */

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
/** The documents do not say: no answer is better than a wrong one. */
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
    `verbatim: There is no model in ${model}.\n  hint: Clone the repository whole; it holds the model.\n`,
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
  say(`\n$ ./verbatim ask "${UNANSWERABLE}" --index ${index}      # nothing in the samples says it`);
  verbatim(["ask", UNANSWERABLE, "--index", index]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
say(`
Now your own files (nothing leaves this machine):
  ./verbatim index ~/notes --index ./my.index
  ./verbatim ask "your question" --index ./my.index
  ./verbatim ask --index ./my.index        asks for one question after another
Why an answer stands where it does: add --explain. For programs: add --json. All of it: ./verbatim --help`);
