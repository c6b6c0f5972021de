/** Asks documents without files or a model: tiny encoder, index in memory, the pipeline that the product runs. */

import { askSteps } from "../../src/ask/ask.js";
import type { AdvancedOptions, AskOptions } from "../../src/ask/options.js";
import type { AskResult } from "../../src/ask/result.js";
import type { ModelInfo } from "../../src/encode/types.js";
import { createKernel, type Kernel } from "../../src/kernel/kernel.js";
import type { Reader } from "../../src/reader/types.js";
import { Searcher } from "../../src/search/searcher.js";
import type { Document } from "../../src/types.js";
import { Random } from "../../src/vectors/random.js";
import { MADE_UP_WORDS } from "./made-up.js";
import { type MemoryIndexOptions, memoryIndex } from "./memory-segment.js";
import { TinyEncoder } from "./tiny-encoder.js";

export interface AskableOptions extends MemoryIndexOptions {
  kernel?: Kernel;
  model?: Partial<ModelInfo>;
  /** Texts whose words the encoder knows; default the documents'. */
  known?: string[];
}

/** All options of a question in one flat object, as tests write them. */
export type FlatOptions = Omit<AskOptions, "advanced"> & AdvancedOptions;

const ADVANCED: ReadonlySet<string> = new Set([
  "candidates",
  "earlyStopFactor",
  "maxEncodedPassages",
  "phrasePassages",
  "readerPassages",
  "readBelow",
  "defaultMinConfidence",
  "rankedPassages",
  "filterKey",
  "features",
] satisfies Array<keyof AdvancedOptions>);

/** The same options with the engine's settings under `advanced`. */
export function nested(flat: FlatOptions): AskOptions {
  const entries = Object.entries(flat);
  const advanced = Object.fromEntries(entries.filter(([key]) => ADVANCED.has(key)));
  return { ...Object.fromEntries(entries.filter(([key]) => !ADVANCED.has(key))), advanced };
}

/** Room for every passage of a small index, so that each strategy can find what the exhaustive one does. */
export const EVERY_PASSAGE = {
  candidates: 1000,
  earlyStopFactor: Number.POSITIVE_INFINITY,
} as const satisfies FlatOptions;

export interface Askable {
  encoder: TinyEncoder;
  searcher: Searcher;
  snapshot: Awaited<ReturnType<typeof memoryIndex>>;
  ask(question: string, options?: FlatOptions): Promise<AskResult>;
}

/** Asks one searcher. Without a minimum confidence, so that every question that finds anything has an answer. */
export async function askSession(
  { searcher, encoder }: Pick<Askable, "searcher" | "encoder">,
  question: string,
  given: FlatOptions = {},
  reader?: Reader,
): Promise<AskResult> {
  const encoded = await encoder.encodeQuestion(question);
  const options = nested({ minConfidence: 0, ...given });
  for await (const { last, build } of askSteps(searcher, encoded, { options, reader })) {
    if (last) return build();
  }
  throw new Error("the question ended without a last step");
}

const kernel = createKernel();

export async function askable(documents: readonly Document[], options: AskableOptions = {}): Promise<Askable> {
  const texts = options.known ?? documents.flatMap(({ title, text }) => [title, text]);
  const encoder = new TinyEncoder(texts, options.model);
  const snapshot = await memoryIndex(encoder, documents, options);
  const { info: model, tokenizer } = encoder;
  const searcher = new Searcher({ snapshot, kernel: options.kernel ?? kernel, model, tokenizer });
  const ask = (question: string, given: FlatOptions = {}): Promise<AskResult> =>
    askSession({ searcher, encoder }, question, given);
  return { encoder, searcher, snapshot, ask };
}

/** A plain-text document; line n of the text is line n of the source. */
export function textDocument(id: string, text: string, title = ""): Document {
  const map = { kind: "text" as const, segments: [{ start: 0, line: 1, linear: true }] };
  return { id, title, text, source: `${id}.txt`, map };
}

/** Sentences of made-up words; few words, so that texts, n-grams and scores repeat. */
export function madeUpDocuments(seed: number, count: number, vocabulary = MADE_UP_WORDS.length): Document[] {
  const random = new Random(seed);
  return Array.from({ length: count }, (_, n) => {
    const words = Array.from({ length: 5 + random.int(120) }, (_, w) => {
      const word = MADE_UP_WORDS[random.int(vocabulary)]!;
      return w % 11 === 10 ? `${word}.` : word;
    });
    return textDocument(`doc-${n}`, words.join(" "), MADE_UP_WORDS[random.int(vocabulary)]!);
  });
}
