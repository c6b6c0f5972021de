/** SQuAD with the gold paragraph given (DenSPI table 1, SPARC table 3). */

import { evaluateSquad } from "../../../adapters/cli/eval/squad.js";
import { evaluateSquadReader } from "../../../adapters/cli/eval/squad-reader.js";
import type { SquadScore } from "../../../src/evaluate/squad-score.js";
import { createKernel } from "../../../src/kernel/kernel.js";
import { encoderName, measuredWith, type PapersContext, readerName, type Table } from "../context.js";
import { meanOf } from "../figures.js";
import { SQUAD_PEERS } from "../peers.js";
import { countSquad, type SquadJson, sampleSquad } from "../squad-sample.js";
import type { Row } from "../types.js";

const figuresOf = ({ perQuestion }: SquadScore): Row["figures"] => ({
  EM: meanOf(
    perQuestion.map(({ exactMatch }) => exactMatch),
    100,
  ),
  F1: meanOf(
    perQuestion.map(({ f1 }) => f1),
    100,
  ),
});

export const squad: Table = {
  name: "squad",
  peers: SQUAD_PEERS,
  async measure(context) {
    const whole = (await context.data.json("squad")) as SquadJson;
    const inputs = { sample: context.sample, data: await context.data.hash("squad") };
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

async function phraseRows(file: SquadJson, { context, inputs, about }: Given): Promise<Row[]> {
  const { models, parts, io } = context;
  const model = await encoderName(models);
  return parts.part("squad/phrase-search", { ...inputs, model }, async () => {
    const encoder = await models.encoder();
    const result = await evaluateSquad(file, { encoder, kernel: createKernel(), io, where: "SQuAD dev" });
    const measured = measuredWith(model, context);
    const row = (system: string, score: SquadScore): Row => ({
      system,
      ...about,
      figures: figuresOf(score),
      ...measured,
    });
    return [
      row("phrase search, all parts", result.full),
      row("phrase search without bigrams", result.withoutBigrams),
      row("phrase search, dense only", result.denseOnly),
    ];
  });
}

async function readerRow(file: SquadJson, { context, inputs, about }: Given): Promise<Row> {
  const { models, parts, io } = context;
  const model = await readerName(models);
  return parts.part("squad/reader", { ...inputs, model }, async () => {
    const { info, tokenizer } = await models.encoder();
    const reader = await models.reader();
    const { score } = await evaluateSquadReader(file, { reader, model: info, tokenizer, io, where: "SQuAD dev" });
    return { system: "reader", ...about, figures: figuresOf(score), ...measuredWith(model, context) };
  });
}
