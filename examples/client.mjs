/**
 * Talk to a running server, from Node or a browser:  node examples/client.mjs http://127.0.0.1:4180 [TOKEN]
 * `verbatim serve ./docs --json` prints the address and the token. Without a token, this program only asks questions.
 */

import { ProblemError, VerbatimClient } from "verbatim-qa/client";

const [url = "http://127.0.0.1:4180", token] = process.argv.slice(2);
const client = new VerbatimClient({ url, token });
try {
  if (token !== undefined) {
    const job = await client.put(
      "ferry",
      { text: "The ferry captain was Otto Brandt.", title: "The ferry" },
      { wait: true },
    );
    console.log(`put: ${job.state}, version ${job.version}`);
    const { answers } = await client.ask("who was the ferry captain?", {
      atLeastVersion: job.version,
      minConfidence: 0,
    });
    console.log(`asked: ${answers[0].text}`);
    await client.delete("ferry", { wait: true });
  }
  for await (const { final, result } of client.askStream("who founded the observatory?", { topK: 1 })) {
    const [best] = result.answers;
    console.log(`${final ? "final" : "so far"}: ${best ? `${best.text} (${best.source})` : "no answer"}`);
  }
  const { total } = await client.documents({ limit: 1 });
  console.log(`${total} documents`);
} catch (error) {
  if (!(error instanceof ProblemError)) throw error;
  console.error(`${error.problem.status} ${error.problem.code}: ${error.message}`);
  process.exitCode = 1;
}
