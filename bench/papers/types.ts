/** What the tables of docs/results.md are made of. */

/** A mean, with its 95 % bootstrap interval where questions were judged one by one. */
export interface Figure {
  value: number;
  low?: number;
  high?: number;
}

/** Where and with what a row was measured. */
export interface Measured {
  /** Models by name and the start of their hash; "none" for BM25 alone. */
  model: string;
  machine: string;
  /** ISO day. */
  date: string;
  /** Load average of the machine when the row was finished. */
  load?: number;
}

/** One measured system. */
export interface Row extends Measured {
  system: string;
  /** The question set. */
  set: string;
  corpus: string;
  documents?: number;
  /** What the system searches: passages of an index, or sentences. */
  passages: number;
  questions: number;
  /** Questions of the full run; more than `questions` if only a sample was measured. */
  ofQuestions: number;
  /** By the name of a column of the table. */
  figures: Record<string, Figure>;
}

/** A row with the command that measured it. */
export interface WrittenRow extends Row {
  command: string;
}

/** A published system. */
export interface Peer {
  system: string;
  set: string;
  corpus: string;
  figures: Record<string, Figure>;
  /** Paper and table. */
  source: string;
}

/** A table of texts: the weights behind single answers. */
export interface Examples extends Measured {
  /** How many questions over what. */
  about: string;
  columns: string[];
  lines: string[][];
}

/** Examples with the command that wrote them. */
export interface WrittenExamples extends Examples {
  command: string;
}

/** docs/results/NAME.json. */
export interface TableResult {
  table: string;
  rows: WrittenRow[];
  peers: readonly Peer[];
  /** What the table should have and the last run left out. */
  notMeasured?: string[];
  examples?: WrittenExamples[];
}
