/** Open questions in Chinese, over paragraphs of CMRC 2018 and Chinese Wikipedia, with the multilingual models. */

import { readFile } from "node:fs/promises";
import type { PapersContext, Table } from "../context.js";
import { buildCorpus, CHINESE_WIKIPEDIA } from "../corpora.js";
import { differenceOf } from "../figures.js";
import {
  type AskedSystem,
  BM25_READER,
  DEFAULT_SYSTEM,
  figuresOf,
  type Judgements,
  judge,
  questionSet,
  rowOver,
} from "../systems.js";
import type { Row } from "../types.js";

/** Questions of CMRC 2018 dev in a full run. */
const MOST = 300;

/** The first is the peer of the others. */
const WAYS: readonly AskedSystem[] = [
  BM25_READER,
  {
    name: "BM25 + reader, four passages",
    options: { strategy: "lexical", reader: "on", advanced: { readerPassages: 4 } },
  },
  DEFAULT_SYSTEM,
  { name: "hybrid, reader on", options: { strategy: "hybrid", reader: "on" } },
  { name: "hybrid, reader off", options: { strategy: "hybrid", reader: "off" } },
];

export const chineseOpen: Table = {
  name: "chinese-open",
  peers: [],
  async measure(english) {
    const context: PapersContext = { ...english, models: english.multilingual };
    const corpus = await buildCorpus(CHINESE_WIKIPEDIA, context);
    const { sample, questions } = context;
    const limits = { most: MOST, sample, questions, language: "zh" };
    const set = questionSet("CMRC 2018 dev", await readFile(corpus.squad, "utf8"), limits);
    const row = rowOver(corpus, set);
    const rows: Row[] = [];
    let peer: Judgements | undefined;
    for (const way of WAYS) {
      const part = `chinese-open/${way.name}`.replaceAll(" ", "-");
      const judgements = await judge(way, { part, set, corpus, context });
      peer ??= judgements;
      const figures = figuresOf(judgements);
      if (judgements !== peer) figures["EM above BM25 + reader"] = differenceOf(judgements.em, peer.em);
      rows.push(row(way.name, judgements.measured, figures));
    }
    return rows;
  },
};
