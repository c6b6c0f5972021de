/** SQuAD with the gold paragraph given (DenSPI table 1, SPARC table 3). */

import { evaluateSquad, type SquadEvaluation } from "../../../adapters/cli/eval/squad.js";
import { evaluateSquadReader } from "../../../adapters/cli/eval/squad-reader.js";
import type { SquadScore } from "../../../src/evaluate/squad-score.js";
import { createKernel } from "../../../src/kernel/kernel.js";
import { encoderName, measuredWith, type PapersContext, readerName, type Table } from "../context.js";
import { spanFigures } from "../figures.js";
import { SQUAD_PEERS } from "../published-figures.js";
import { countSquad, type SquadJson, sampleSquad } from "../squad-sample.js";
import type { Row } from "../types.js";

export const squad: Table = {
  name: "squad",
  peers: SQUAD_PEERS,
  async measure(context) {
    const whole = (await context.data.json("squad")) as SquadJson;
    const inputs = { sample: context.sample, data: context.data.hash("squad") };
    const file = sampleSquad(whole, context.sample);
    const size = countSquad(file);
    const about = {
      set: "SQuAD v1.1 dev",
      corpus: "the gold paragraph of each question",
      passages: size.paragraphs,
      questions: size.questions,
      ofQuestions: countSquad(whole).questions,
    };
    return [...(await phraseRows(file, { context, inputs, about })), await readerRow(file, { context, inputs, about })];
  },
};

interface Given {
  context: PapersContext;
  inputs: object;
  about: Pick<Row, "set" | "corpus" | "passages" | "questions" | "ofQuestions">;
}

/**
 * Phrase search over the vectors and n-grams that an index stores, and over all that the network
 * computes.
 */
async function phraseRows(file: SquadJson, { context, inputs, about }: Given): Promise<Row[]> {
  const { models, parts, io } = context;
  const model = await encoderName(models);
  const evaluate = async (stored: boolean, rowsOf: (result: SquadEvaluation) => [string, SquadScore][]) => {
    const part = stored ? "squad/phrase-search-stored" : "squad/phrase-search";
    return parts.part(part, { ...inputs, model }, async () => {
      const encoder = await models.encoder();
      const result = await evaluateSquad(file, { encoder, kernel: createKernel(), io, where: "SQuAD dev", stored });
      const measured = measuredWith(model, context);
      return rowsOf(result).map(
        ([system, score]): Row => ({ system, ...about, figures: spanFigures(score), ...measured }),
      );
    });
  };
  return [
    ...(await evaluate(true, ({ full, denseOnly }) => [
      ["phrase search, as stored in an index", full],
      ["phrase search, as stored, dense only", denseOnly],
    ])),
    ...(await evaluate(false, ({ full, withoutBigrams, denseOnly }) => [
      ["phrase search, all rows and n-grams", full],
      ["phrase search, all rows, without bigrams", withoutBigrams],
      ["phrase search, all rows, dense only", denseOnly],
    ])),
  ];
}

async function readerRow(file: SquadJson, { context, inputs, about }: Given): Promise<Row> {
  const { models, parts, io } = context;
  const model = await readerName(models);
  return parts.part("squad/reader", { ...inputs, model }, async () => {
    const { info, tokenizer } = await models.encoder();
    const reader = await models.reader();
    const { score } = await evaluateSquadReader(file, { reader, model: info, tokenizer, io, where: "SQuAD dev" });
    return { system: "reader", ...about, figures: spanFigures(score), ...measuredWith(model, context) };
  });
}
