/** A question and a passage with PyTorch's logits, as training/export_reader.py writes them. */
export interface GoldenPair {
  question: string;
  title: string;
  text: string;
  /** [CLS] question [SEP] title [SEP] passage [SEP] */
  ids: number[];
  questionTokens: number;
  /** Position of the first passage token. */
  firstToken: number;
  start: number[];
  end: number[];
  answer: number;
}
