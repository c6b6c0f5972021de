/**
 * How long does an answer from an OpenSearch cluster take, step by step, and is it the same as from
 * a folder?
 *
 *     npm run bench -- cluster --address opensearch://HOST:9200/NAME --questions FILE [--index DIR] [--strategy hybrid] [--count 500] [--seed 1] [--model DIR]
 *
 * The cluster must already hold the index (`verbatim copy DIR ADDRESS`, then
 * `verbatim compact --index ADDRESS`). After a warm-up with other questions, each question is asked
 * once of the cluster and, with --index, of the original folder. Answers are equal if texts,
 * places, scores, evidence and ranked passages are identical. Times are for the cluster only, in
 * one thread.
 */

import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { openIndex } from "../adapters/node/index.js";
import { openEncoder } from "../adapters/node/models/encoder/encoder.js";
import { openClusterIndex } from "../adapters/opensearch/open.js";
import type { AskResult } from "../src/ask/result.js";
import { draw } from "../src/evaluate/draw.js";
import { parseOpenQuestions } from "../src/evaluate/open-questions.js";
import { percentile } from "../src/evaluate/percentile.js";
import type { StrategyName } from "../src/search/strategies/names.js";
import type { StepTimes } from "../src/search/types.js";
import { record } from "./support/results.js";

const WARM_UP = 30;

const { values } = parseArgs({
  options: {
    address: { type: "string" },
    questions: { type: "string" },
    index: { type: "string" },
    strategy: { type: "string", default: "hybrid" },
    count: { type: "string", default: "500" },
    seed: { type: "string", default: "1" },
    model: { type: "string" },
  },
});
const { address, questions: file, index: path, model: modelFolder } = values;
if (address === undefined || file === undefined) {
  console.error(
    "usage: npm run bench -- cluster --address ADDRESS --questions FILE [--index DIR] [--strategy NAME] [--count N] [--seed N] [--model DIR]",
  );
  process.exit(2);
}
/** A cluster takes quotation marks in questions as they are. */
const options = { strategy: values.strategy as StrategyName, reader: "off", operators: false } as const;
const all = parseOpenQuestions(await readFile(file, "utf8"), file);
const drawn = draw(all, Number(values.count) + WARM_UP, Number(values.seed)).map(({ question }) => question);
const encoder = await openEncoder({ modelFolder, threads: 1 });
const cluster = await openClusterIndex({ address, encoder });
const folder = path === undefined ? undefined : await openIndex({ path, encoder, correctsSpelling: false });
for (const question of drawn.slice(0, WARM_UP)) await cluster.ask(question, options);

const serialize = ({ answers, passages }: AskResult): string => JSON.stringify([answers, passages]);
const asked = drawn.slice(WARM_UP);
const times: number[] = [];
const steps: StepTimes[] = [];
let same = 0;
let withoutVectors = 0;
for (const question of asked) {
  const result = await cluster.ask(question, options);
  times.push(result.tookMs);
  steps.push(result.steps);
  if (result.withoutVectors) withoutVectors++;
  if (folder !== undefined && serialize(await folder.ask(question, options)) === serialize(result)) same++;
}
const of = (list: number[], share: number): number =>
  percentile(
    list.sort((a, b) => a - b),
    share,
  );
const stepsP50 = Object.fromEntries(
  (Object.keys(steps[0]!) as Array<keyof StepTimes>).map((step) => [
    step,
    of(
      steps.map((one) => one[step]),
      0.5,
    ),
  ]),
);
const { documents, passages } = cluster.info;
await record("cluster", {
  strategy: values.strategy,
  documents,
  passages,
  questions: asked.length,
  ...(folder === undefined ? {} : { same }),
  withoutVectors,
  msP50: of(times, 0.5),
  msP95: of(times, 0.95),
  msP99: of(times, 0.99),
  stepsP50,
});
await folder?.close();
await cluster.close();
await encoder.close();
