/** Ask documents without files or a model: tiny encoder, index in memory. */

import type { ModelInfo } from "../../src/encode/types.js";
import { createKernel, type Kernel } from "../../src/kernel/kernel.js";
import { search } from "../../src/search/search.js";
import { SearchSession } from "../../src/search/session.js";
import type { SearchOptions, SearchResult } from "../../src/search/types.js";
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

/** Room for every passage of a small index, so that each strategy can find what the exhaustive one does. */
export const EVERY_PASSAGE = {
  sparseCandidates: 1000,
  denseCandidates: 1000,
  denseRows: 100_000,
  denseBelow: Number.POSITIVE_INFINITY,
} as const satisfies Partial<SearchOptions>;

export interface Askable {
  encoder: TinyEncoder;
  session: SearchSession;
  snapshot: Awaited<ReturnType<typeof memoryIndex>>;
  ask(question: string, options?: Partial<SearchOptions>): Promise<SearchResult>;
}

const kernel = createKernel();

export async function askable(documents: readonly Document[], options: AskableOptions = {}): Promise<Askable> {
  const texts = options.known ?? documents.flatMap(({ title, text }) => [title, text]);
  const encoder = new TinyEncoder(texts, options.model);
  const snapshot = await memoryIndex(encoder, documents, options);
  const { info: model, tokenizer } = encoder;
  const session = new SearchSession({ snapshot, kernel: options.kernel ?? kernel, model, tokenizer });
  const ask = async (question: string, given: Partial<SearchOptions> = {}): Promise<SearchResult> =>
    search(session, await encoder.encodeQuestion(question), given);
  return { encoder, session, snapshot, ask };
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
