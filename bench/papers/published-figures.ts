/** Published figures, each with its source. Percentages; MRR is on the papers' scale of 0 to 100. */

import type { Peer } from "./types.js";

const DENSPI = "Seo et al. 2019 (DenSPI)";
const SPARC = "Lee et al. 2020 (SPARC)";
const SPARTA = "Zhao et al. 2020 (SPARTA)";
/** Added to the source of a figure that was taken from a summary and not compared with the paper itself. */
const UNCHECKED = " (taken from a summary)";

interface Of {
  set: string;
  corpus: string;
}

function peersOf(of: Of, source: string, systems: Record<string, Record<string, number>>): Peer[] {
  return Object.entries(systems).map(([system, figures]) => ({
    system,
    ...of,
    figures: Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, { value }])),
    source,
  }));
}

const GIVEN: Of = { set: "SQuAD v1.1 dev", corpus: "the gold paragraph of each question" };

export const SQUAD_PEERS: readonly Peer[] = [
  ...peersOf(GIVEN, `${DENSPI}, table 1`, {
    "LSTM+SA+ELMo": { EM: 52.7, F1: 62.7 },
    "DenSPI (BERT-large), dense only": { EM: 73.6, F1: 81.7 },
    "… without the coherency scalar": { EM: 71.5, F1: 81.5 },
    "DrQA, a reader": { EM: 69.5, F1: 78.8 },
    "BERT-large, a reader": { EM: 84.1, F1: 90.9 },
  }),
  ...peersOf(GIVEN, `${SPARC}, table 3`, { "DenSPI + SPARC (BERT-large)": { EM: 76.4, F1: 84.8 } }),
  ...peersOf(GIVEN, `Lee et al. 2021 (DensePhrases), reading comprehension${UNCHECKED}`, {
    "DensePhrases (two SpanBERT-base)": { EM: 78.3, F1: 86.3 },
  }),
  ...peersOf(GIVEN, "Sun et al. 2020 (MobileBERT), abstract, which has only F1", {
    "MobileBERT, 25 M, a reader": { F1: 90.0 },
  }),
  ...peersOf(GIVEN, `Devlin et al. 2019 (BERT), table 2${UNCHECKED}`, {
    "BERT-base, a reader": { EM: 80.8, F1: 88.5 },
  }),
];

const REQA: Of = { set: "ReQA-SQuAD", corpus: "sentences of SQuAD dev (10,250 candidates, 11,426 questions)" };
const BIOASQ: Of = { set: "BioASQ", corpus: "MultiReQA (13,802 candidates, 1,562 questions)" };

export const SENTENCE_PEERS: readonly Peer[] = [
  ...peersOf(REQA, `${SPARTA}, table 5`, {
    BM25: { MRR: 58.0 },
    "USE-QA": { MRR: 62.5 },
    "Poly-encoder, trained on SQuAD": { MRR: 64.6 },
    "SPARTA, trained on SQuAD": { MRR: 78.5 },
  }),
  ...peersOf(REQA, `${SPARTA}, table 7`, {
    "SPARTA, 50 terms": { MRR: 69.5, "R@1": 61.3 },
    "SPARTA, 100 terms": { MRR: 72.3, "R@1": 64.4 },
    "SPARTA, 500 terms": { MRR: 76.9, "R@1": 69.4 },
    "SPARTA, 1,000 terms": { MRR: 78.2, "R@1": 70.8 },
    "SPARTA, all terms": { MRR: 79.0, "R@1": 71.6 },
  }),
  ...peersOf(BIOASQ, `${SPARTA}, table 5`, {
    BM25: { MRR: 8.9 },
    "USE-QA": { MRR: 7.7 },
    "Poly-encoder, trained on SQuAD": { MRR: 9.1 },
    "SPARTA, trained on SQuAD": { MRR: 14.5 },
  }),
];

/** The papers' corpus: about 5 million articles. */
const WIKIPEDIA = "all of English Wikipedia";
const OPEN_SQUAD: Of = { set: "SQuAD dev", corpus: WIKIPEDIA };

export const OPEN_PEERS: readonly Peer[] = [
  ...peersOf(OPEN_SQUAD, `${SPARC}, table 1`, {
    DrQA: { EM: 29.8 },
    BERTserini: { EM: 38.6, F1: 46.1 },
    DenSPI: { EM: 36.2, F1: 44.4 },
    "DenSPI + SPARC": { EM: 40.7, F1: 49.0 },
  }),
  ...peersOf(OPEN_SQUAD, `${SPARTA}, table 1`, { SPARTA: { EM: 59.3, F1: 66.5 } }),
  ...peersOf({ set: "NQ-open", corpus: WIKIPEDIA }, `${SPARTA}, table 1 (test)`, {
    "BM25 + BERT": { EM: 26.5 },
    ORQA: { EM: 33.3 },
  }),
  ...peersOf({ set: "CuratedTREC", corpus: WIKIPEDIA }, `${SPARC}, table 1`, {
    DrQA: { EM: 25.4 },
    "Paragraph Ranker": { EM: 35.4 },
    ORQA: { EM: 30.1 },
    DenSPI: { EM: 31.6 },
    "DenSPI + SPARC": { EM: 35.7 },
  }),
  ...peersOf(
    { set: "NQ-open", corpus: WIKIPEDIA },
    `Karpukhin et al. 2020 (DPR), as ${SPARTA}, table 1, has it (dev)`,
    {
      DPR: { EM: 41.5 },
    },
  ),
  ...peersOf({ set: "NQ-open", corpus: WIKIPEDIA }, `Lee et al. 2021 (DensePhrases), open-domain table${UNCHECKED}`, {
    "DensePhrases (60 GB index)": { EM: 41.3 },
  }),
  ...peersOf(
    { set: "CuratedTREC", corpus: WIKIPEDIA },
    `Lee et al. 2021 (DensePhrases), open-domain table${UNCHECKED}`,
    {
      "DensePhrases (60 GB index)": { EM: 52.9 },
    },
  ),
];

export const SCALING_PEERS: readonly Peer[] = [
  ...peersOf({ set: "SQuAD dev", corpus: "1/100 of English Wikipedia" }, `${SPARC}, table 2`, {
    "DenSPI + SPARC": { EM: 60.0 },
    "… without SPARC": { EM: 55.9 },
    "… without tf-idf": { EM: 58.1 },
  }),
  ...peersOf({ set: "SQuAD dev", corpus: "1/10 of English Wikipedia" }, `${SPARC}, table 2`, {
    "DenSPI + SPARC": { EM: 51.6 },
    "… without SPARC": { EM: 48.4 },
    "… without tf-idf": { EM: 50.9 },
  }),
];

export const STRATEGY_PEERS: readonly Peer[] = peersOf(OPEN_SQUAD, `${SPARC}, table 5; s/Q: table 1`, {
  "DenSPI, sparse first": { EM: 33.3 },
  "DenSPI, dense first": { EM: 28.5 },
  "DenSPI, hybrid": { EM: 36.2, "ms p50": 710 },
  "DenSPI + SPARC, sparse first": { EM: 36.9 },
  "DenSPI + SPARC, dense first": { EM: 34.4 },
  "DenSPI + SPARC, hybrid": { EM: 40.7, "ms p50": 780 },
});

/** Bytes of a published index over bytes of the text. @param gigabytes  of the index */
const timesWikipedia = (gigabytes: number): number => Math.round((10 * gigabytes) / 14) / 10;

export const SIZE_PEERS: readonly Peer[] = [
  ...peersOf(OPEN_SQUAD, `${DENSPI}, section 5; EM: ${SPARC}, table 1`, {
    DenSPI: { "times the text": timesWikipedia(1200), EM: 36.2 },
  }),
  ...peersOf(OPEN_SQUAD, `${SPARC}, its draft of 2019; EM: table 1`, {
    "DenSPI + SPARC": { "times the text": timesWikipedia(1300), EM: 40.7 },
  }),
  ...peersOf({ set: "NQ-open", corpus: WIKIPEDIA }, `Lee et al. 2021 (DensePhrases), open-domain table${UNCHECKED}`, {
    DensePhrases: { "times the text": timesWikipedia(60), EM: 41.3 },
  }),
];

const BEIR: Of = { set: "BEIR, mean of 13 sets (none of ours)", corpus: "3,600 to 8.8 million documents each" };

export const RANKING_PEERS: readonly Peer[] = [
  ...peersOf(BEIR, "model card of opensearch-neural-sparse-encoding-doc-v2-mini", {
    "opensearch doc-v2-mini, 23 M, no network for questions": { "nDCG@10": 49.7 },
    "opensearch doc-v2-distill, 67 M, no network for questions": { "nDCG@10": 50.4 },
  }),
  ...peersOf(BEIR, "model card of splade-v3", { "SPLADE-v3, 110 M": { "nDCG@10": 51.7 } }),
];
